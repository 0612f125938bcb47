"""Messages of hazards, with threads and blocks named as in captions: thread (1,0) of block (0,0)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.simt.machine.hazards import name_in_messages

if TYPE_CHECKING:
    from kernels.launch import Launch
    from kernels.trace import Hazard

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
