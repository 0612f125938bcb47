"""Regions of machine code: the instructions that a branch repeats or may skip.

A backward branch closes a loop. A forward branch may skip the instructions before its target, a conditional exit all
that follow. Code after an unconditional exit is skipped by the threads that do not take the branch there. A function
that is not inlined may be executed any number of times, like a loop.

Branches keep the line of the statement that they were compiled from, so the regions around an instruction show how the
statements around it were compiled: an unrolled loop is several regions of its head's line, and a condition without a
region became a predicate.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

INSTRUCTION_BYTES: Final = 16

ALWAYS: Final = 7
"""The predicate field of an unpredicated instruction."""

_BRANCH: Final = 0x147
_CALL: Final = 0x144
_EXIT: Final = 0x14D
BARRIER: Final = 0x11D


@dataclass(frozen=True, slots=True)
class Region:
    """Code that a branch repeats or may skip."""

    line: int
    """The branch's line in the source."""
    loop: bool
    """Whether the branch repeats the code."""
    waits: bool
    """Whether a barrier is in it."""
    within: int
    """Position of the enclosing region in the list, or -1."""


@dataclass(frozen=True, slots=True)
class Extent:
    """A region as a range of instructions."""

    first: int
    end: int
    """The first instruction after the region."""
    branch: int
    """The branch, or the exit, that delimits it."""

    @property
    def loop(self) -> bool:
        """Return whether the branch is a backward one."""
        return self.branch >= self.first


def find_extents(words: list[int], *, far: bool) -> list[Extent]:
    """Find the regions that branches and exits delimit, outer ones first.

    Any two are nested or disjoint: a region that reaches beyond the end of the enclosing one is cut there.
    `far` branches (sm_90) have eight more bits.
    """
    found: list[Extent] = []
    enclosing: list[Extent] = []
    for extent in sorted(_branches(words, far=far), key=lambda s: (s.first, -s.end)):
        while enclosing and enclosing[-1].end <= extent.first:
            enclosing.pop()
        end = min(extent.end, enclosing[-1].end) if enclosing else extent.end
        if extent.loop and end < extent.end:  # a jump into the middle of a loop: the enclosing region is dropped
            while enclosing and enclosing[-1].end < extent.end:
                found.remove(enclosing.pop())
            end = extent.end
        found.append(Extent(extent.first, end, extent.branch))
        enclosing.append(found[-1])
    return found


def regions(words: list[int], lines: list[int], *, far: bool) -> tuple[list[Region], list[int]]:
    """Return all regions, and for each instruction the innermost one around it, or -1."""
    found: list[Region] = []
    inside = [-1] * len(words)
    for number, extent in enumerate(find_extents(words, far=far)):
        body = range(extent.first, extent.end)
        waits = any(words[place] & 0x1FF == BARRIER for place in body)
        found.append(Region(lines[extent.branch], extent.loop, waits, inside[extent.first]))
        for place in body:
            inside[place] = number
    return found, inside


def _functions(words: list[int], *, far: bool) -> list[Extent]:
    """Find the called functions: they follow the kernel, one after the other."""
    calls = (place for place, word in enumerate(words) if word & 0x1FF == _CALL)
    begins = sorted({_target(words[place], place, far=far) for place in calls} & set(range(len(words))))
    return [Extent(a, b, b - 1) for a, b in pairwise([*begins, len(words)])]


def _branches(words: list[int], *, far: bool) -> list[Extent]:
    found = _functions(words, far=far)
    jumps: dict[int, int] = {}
    for place, word in enumerate(words):
        if word & 0x1FF == _BRANCH:
            jumps.setdefault(_target(word, place, far=far), place)
    for place, word in enumerate(words):
        # After a conditional exit the remaining threads execute all that follows. The code after an unconditional exit
        # is reached only by a branch from before it, whose line it gets.
        if word & 0x1FF == _EXIT and word >> 12 & 15 != ALWAYS:
            found.append(Extent(place + 1, len(words), place))
        elif word & 0x1FF == _EXIT and jumps.get(place + 1, place) < place:
            found.append(Extent(place + 1, len(words), jumps[place + 1]))
        elif word & 0x1FF == _BRANCH:
            target = _target(word, place, far=far)
            if target < place:
                found.append(Extent(max(target, 0), place + 1, place))
            elif target > place + 1:
                found.append(Extent(place + 1, min(target, len(words)), place))
    return found


def _target(word: int, place: int, *, far: bool) -> int:
    """Return the target of a branch or call."""
    offset = word >> 34 & (1 << 48) - 1
    offset -= offset >> 47 << 48  # sign of a 48-bit number
    if far:
        offset = offset << 8 | word >> 16 & 0xFF
    return place + 1 + offset * 4 // INSTRUCTION_BYTES
