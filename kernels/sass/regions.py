"""Which stretches of machine code a branch repeats, and which it may skip.

A branch back closes a loop; a branch ahead may skip what stands before its target, an exit the rest. What stands behind
an exit without a condition is skipped by who does not take the branch there. A function that
was not put in the place of its calls may run any number of times, like a loop. They keep the line of the statement that
they were compiled from, so the regions around an instruction tell what became of the statements
around it: a loop that was unrolled is several regions of its header's line, a condition without a region became a
predicate.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

INSTRUCTION_BYTES: Final = 16

ALWAYS: Final = 7
"""The condition of an instruction without one."""

_BRANCH: Final = 0x147
_CALL: Final = 0x144
_EXIT: Final = 0x14D
BARRIER: Final = 0x11D


@dataclass(frozen=True, slots=True)
class Region:
    """Code that a branch of a line of the source repeats (`loop`) or may skip.

    `waits` tells that a barrier stands in it; `within` is the position of the region around it in the list, or -1.
    """

    line: int
    loop: bool
    waits: bool
    within: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """A region by its places: the first instruction, and the first behind it. `branch` is the one that makes it."""

    first: int
    end: int
    branch: int

    @property
    def loop(self) -> bool:
        """Whether the branch goes back."""
        return self.branch >= self.first


def stretches(words: list[int], *, far: bool) -> list[Stretch]:
    """Find the stretches that branches and exits make, from outside in.

    Of two, one lies in the other, or they have nothing in common: what reaches beyond the end of the one around it ends
    there. `far` branches (sm_90) have eight bits more.
    """
    found: list[Stretch] = []
    open_: list[Stretch] = []
    for stretch in sorted(_branches(words, far=far), key=lambda s: (s.first, -s.end)):
        while open_ and open_[-1].end <= stretch.first:
            open_.pop()
        end = min(stretch.end, open_[-1].end) if open_ else stretch.end
        if stretch.loop and end < stretch.end:  # something jumps into the middle of a loop: it is no unit
            while open_ and open_[-1].end < stretch.end:
                found.remove(open_.pop())
            end = stretch.end
        found.append(Stretch(stretch.first, end, stretch.branch))
        open_.append(found[-1])
    return found


def regions(words: list[int], lines: list[int], *, far: bool) -> tuple[list[Region], list[int]]:
    """Describe all regions, and say for each instruction which one it stands in, or -1."""
    found: list[Region] = []
    inside = [-1] * len(words)
    for number, stretch in enumerate(stretches(words, far=far)):
        body = range(stretch.first, stretch.end)
        waits = any(words[place] & 0x1FF == BARRIER for place in body)
        found.append(Region(lines[stretch.branch], stretch.loop, waits, inside[stretch.first]))
        for place in body:
            inside[place] = number
    return found, inside


def _functions(words: list[int], *, far: bool) -> list[Stretch]:
    """Find what is called: it stands behind the kernel, one function behind the other."""
    calls = (place for place, word in enumerate(words) if word & 0x1FF == _CALL)
    begins = sorted({_target(words[place], place, far=far) for place in calls} & set(range(len(words))))
    return [Stretch(a, b, b - 1) for a, b in pairwise([*begins, len(words)])]


def _branches(words: list[int], *, far: bool) -> list[Stretch]:
    found = _functions(words, far=far)
    jumps: dict[int, int] = {}
    for place, word in enumerate(words):
        if word & 0x1FF == _BRANCH:
            jumps.setdefault(_target(word, place, far=far), place)
    for place, word in enumerate(words):
        if word & 0x1FF == _EXIT and word >> 12 & 15 != ALWAYS:
            found.append(Stretch(place + 1, len(words), place))
        elif word & 0x1FF == _EXIT and jumps.get(place + 1, place) < place:
            found.append(Stretch(place + 1, len(words), jumps[place + 1]))
        elif word & 0x1FF == _BRANCH:
            target = _target(word, place, far=far)
            if target < place:
                found.append(Stretch(max(target, 0), place + 1, place))
            elif target > place + 1:
                found.append(Stretch(place + 1, min(target, len(words)), place))
    return found


def _target(word: int, place: int, *, far: bool) -> int:
    """Where a branch or call leads."""
    offset = word >> 34 & (1 << 48) - 1
    offset -= offset >> 47 << 48
    if far:
        offset = offset << 8 | word >> 16 & 0xFF
    return place + 1 + offset * 4 // INSTRUCTION_BYTES
