"""Questions of a lesson that are answered and judged: by a choice, by a number, or by a click on the picture."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis import lane_roles
from kernels.errors import InputError
from kernels.lessons.fields import fill, number
from kernels.lessons.moments import Target, find_element
from kernels.narration.words import point, thread_name, threads_named, vocabulary_of
from kernels.trace.structs import element_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernels.lessons.facts import RunFacts, StepFacts
    from kernels.lessons.model import Ask, Click
    from kernels.narration.words import Vocabulary
    from kernels.trace import Trace

_DIGITS: Final = 0.005
"""Relative error of an answer that is no whole number: as much as three significant digits leave."""

_ROLES: Final = {
    "idle": "does not take part in this step",
    "active": "takes part in this step",
    "zero-fill": "writes a zero in this step",
    "guarded-off": "skips this step",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """What is said about an answer."""

    right: bool
    words: str
    """The reason; of a right one, the lesson's answer."""


@dataclass(frozen=True, slots=True)
class Choices:
    """One of several texts is right."""

    right: str
    wrong: Mapping[str, str] = field(hash=False)
    """Reason of each wrong one."""

    @property
    def shown(self) -> tuple[str, ...]:
        """All of them, in an order that does not tell: short ones first, then by the alphabet."""
        return tuple(sorted((self.right, *self.wrong), key=lambda text: (len(text.split()) > 1, text)))


@dataclass(frozen=True, slots=True)
class Number:
    """A number of the run is asked."""

    right: float
    wrong: tuple[tuple[float, str], ...]
    """Numbers that come from a known mistake, with the reason."""


@dataclass(frozen=True, slots=True)
class Place:
    """A thread or an element of the picture is to be clicked."""

    wants: str
    """`thread` or `element`."""
    right: frozenset[Target]
    told: Mapping[Target, str] = field(hash=False)
    """What the run says of others."""
    otherwise: str = ""
    """What it says of those that are not named."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question at its moment, with the numbers of its run."""

    text: str
    answer: str
    by: Choices | Number | Place

    def judge(self, reply: str | Target) -> Judged:
        """Judge an answer: the text of a choice or of a number, or what was clicked.

        Raises
        ------
        InputError
            When the text is no number where one is asked.
        """
        by = self.by
        if isinstance(by, Place):
            right, reason = _judge_place(by, reply)
        elif isinstance(by, Number):
            right, reason = _judge_number(by, str(reply))
        else:
            right, reason = reply == by.right, by.wrong.get(str(reply), "")
        return Judged(right, self.answer if right else reason)


def asked(ask: Ask, here: StepFacts, others: Mapping[str, RunFacts], missing: str | None) -> Asked:
    """Fill in a question.

    Raises
    ------
    InputError
        When its run has no such value or element, as after an edit of the source.
    """
    text, answer = (fill(part, here, others, missing=missing) for part in (ask.text, ask.answer))
    reasons = [(wrong, fill(reason, here, others, missing=missing)) for wrong, reason in ask.wrong]
    by: Choices | Number | Place
    if ask.click is not None:
        by = _place(ask.click, here)
    elif ask.number:
        by = Number(
            number(ask.number, here, others), tuple((number(wrong, here, others), why) for wrong, why in reasons)
        )
    else:
        by = Choices(
            fill(ask.right, here, others, missing=missing),
            {fill(wrong, here, others, missing=missing): why for wrong, why in reasons},
        )
    return Asked(text, answer, by)


def parse_reply(text: str) -> float:
    """Read a number as people write it: 1,024, 1 024, 12.5, 75 %; raises InputError for another text."""
    plain = re.sub(r"[,\s\u00a0\u202f%]", "", text)
    try:
        value = float(plain)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"'{text.strip()}' is not a number: write one, as in 12 or 0.5")
    return value


def _judge_number(by: Number, text: str) -> tuple[bool, str]:
    value = parse_reply(text)
    if _same(value, by.right):
        return True, ""
    for wrong, reason in by.wrong:
        if _same(value, wrong):
            return False, reason
    return False, f"{text.strip()} is too {'large' if value > by.right else 'small'}."


def _same(found: float, wanted: float) -> bool:
    return found == wanted or (wanted != int(wanted) and abs(found - wanted) <= _DIGITS * abs(wanted))


def _judge_place(by: Place, reply: str | Target) -> tuple[bool, str]:
    if isinstance(reply, str) or reply.kind != by.wants:
        return False, f"Click {'a thread' if by.wants == 'thread' else 'an element of an array'}."
    return reply in by.right, by.told.get(reply, by.otherwise)


# --- what a click should hit ------------------------------------------------------------------------------


def _place(click: Click, here: StepFacts) -> Place:
    if click.role:
        return _by_role(click.role, here)
    if click.reads or click.writes:
        return _by_element(click.reads or click.writes, here, reads=bool(click.reads))
    return _by_thread(click.read_by or click.written_by, here, reads=bool(click.read_by))


def _by_role(role: str, here: StepFacts) -> Place:
    """Ask for a thread with a role."""
    trace, block = here.facts.trace, here.frame.block
    first = block * trace.launch.block.count
    roles = lane_roles(trace, here.frame.step, block).names()
    threads = {Target("thread", lane=first + n): name for n, name in enumerate(roles)}
    told = {target: f"{_thread(here, target.lane)} {_ROLES[name]}." for target, name in threads.items()}
    return Place("thread", frozenset(t for t, name in threads.items() if name == role), told, _elsewhere(here))


def _by_element(name: str, here: StepFacts, *, reads: bool) -> Place:
    """Ask for a thread that accesses an element."""
    trace, wanted = here.facts.trace, find_element(here.facts.trace, name)
    verb = "reads" if reads else "writes"
    pairs = _touched(here, reads=reads)
    touched = {lane: [at for other, at in pairs if other == lane] for lane in _lanes(here)}
    told = {
        Target("thread", lane=lane): f"{_thread(here, lane)} {verb} {_elements(trace, places)} in this step."
        for lane, places in touched.items()
    }
    right = frozenset(Target("thread", lane=lane) for lane, places in touched.items() if wanted in places)
    return Place("thread", right, told, _elsewhere(here))


def _by_thread(thread: tuple[int, ...], here: StepFacts, *, reads: bool) -> Place:
    """Ask for an element that a thread accesses."""
    trace, block = here.facts.trace, here.frame.block
    lane = block * trace.launch.block.count + trace.launch.block.linear(*thread)
    verb = "read" if reads else "written"
    lanes: dict[tuple[int, int], list[int]] = {}
    for other, place in _touched(here, reads=reads):
        lanes.setdefault(place, []).append(other)
    told = {
        _element(place): f"{element_name(trace.arrays[place[0]], place[1])} is {verb} by "
        f"{threads_named(trace, np.array(found, np.int32), _vocabulary(here))} in this step."
        for place, found in lanes.items()
    }
    right = frozenset(_element(place) for place, found in lanes.items() if lane in found)
    return Place("element", right, told, f"No thread of the block {'reads' if reads else 'writes'} it in this step.")


def _touched(here: StepFacts, *, reads: bool) -> list[tuple[int, tuple[int, int]]]:
    """Each thread with an element that it reads, or writes, in the step: its array and flat index."""
    trace = here.facts.trace
    return [
        (lane, (group.site.array, index))
        for group in trace.accesses(here.frame.step, here.frame.block)
        if (group.site.access == "read") == reads
        for lane, index in zip(group.element_lanes.tolist(), group.elements.tolist(), strict=True)
    ]


def _lanes(here: StepFacts) -> range:
    threads = here.facts.trace.launch.block.count
    return range(here.frame.block * threads, (here.frame.block + 1) * threads)


def _element(place: tuple[int, int]) -> Target:
    return Target("element", array=place[0], index=place[1])


def _elements(trace: Trace, places: list[tuple[int, int]]) -> str:
    return " and ".join(dict.fromkeys(element_name(trace.arrays[array], at) for array, at in places)) or "nothing"


def _vocabulary(here: StepFacts) -> Vocabulary:
    return vocabulary_of(on_cpu=here.facts.run.kernel.runs_on == "cpu")


def _thread(here: StepFacts, lane: int) -> str:
    return thread_name(here.facts.trace, lane, _vocabulary(here)).capitalize()


def _elsewhere(here: StepFacts) -> str:
    trace = here.facts.trace
    block = point(trace, trace.launch.grid.member(here.frame.block))
    return f"That thread is of another block: this step is of block {block}."
