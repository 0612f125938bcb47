"""Messages of hazards, with threads and blocks named as in captions: thread (1,0) of block (0,0)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.analysis.order.races import first_wrong_read
from kernels.narration.words import ON_GPU, point, thread_name
from kernels.simt.machine.hazards import name_in_messages
from kernels.trace import element_name

if TYPE_CHECKING:
    from kernels.analysis.order.races import Race
    from kernels.launch import Launch
    from kernels.narration.words import Vocabulary
    from kernels.trace import Hazard, Trace


PROPOSED: Final = "tilescope proposed this launch: check its values before the kernel"
"""What precedes the hazards of a run whose launch the file does not state."""


def hazard_message(launch: Launch, hazard: Hazard) -> str:
    """Return the message of a hazard; a saved trace stores it with other names for the threads of its accesses."""
    words = hazard.message
    for access in (access for pair in hazard.pairs for access in pair.accesses):
        thread, block = launch.index_text(access.thread), launch.index_text(access.block)
        words = words.replace(
            name_in_messages(launch, access.block, access.thread), f"thread {thread} of block {block}"
        )
    return words


# --- Races in words: a clause for the caption, and labels for the picture


_VERBS: Final = {"read": "reads", "write": "writes", "atomic": "updates"}
_WRITER: Final = {"early": "writes later", "late": "overwrote it"}


def race_clause(trace: Trace, race: Race, vocabulary: Vocabulary) -> str:
    """Name both threads, the element, and what is wrong with their order."""
    first, second = (thread_name(trace, party.lane, vocabulary) for party in race.parties)
    element = element_name(trace.arrays[race.array], race.index)
    if race.order == "early":
        return f"{first} reads {element}, which {second} has not written yet"
    if race.order == "late":
        return f"{first} reads {element}, which {second} has overwritten already"
    verbs = [_VERBS[party.access] for party in race.parties]
    return f"{first} {verbs[0]} {element} and {second} {verbs[1]} it: nothing orders the two"


def wrong_read_sentence(trace: Trace, hazard: Hazard, vocabulary: Vocabulary = ON_GPU) -> str:
    """Name the first read that a hazard makes wrong in this run; "" if the order of warps hides it."""
    race = first_wrong_read(trace, hazard)
    return "" if race is None else f"In this run {race_clause(trace, race, vocabulary)}."


def race_labels(trace: Trace, race: Race) -> tuple[str, str, str]:
    """Return labels for the element and the two threads: As[5][2]; (0,5) reads; (2,5) writes later."""
    names = [point(trace, trace.thread_of(party.lane)) for party in race.parties]
    verbs = [_VERBS[party.access] for party in race.parties]
    if race.order != "unordered":
        verbs[1] = _WRITER[race.order]
    element = element_name(trace.arrays[race.array], race.index)
    return element, f"{names[0]} {verbs[0]}", f"{names[1]} {verbs[1]}"
