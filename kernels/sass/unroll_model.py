"""Model of an unrolled loop: body copies with their unroll factors, and the epilogue.

A compiler turns a loop into several copies of its body. Often these are: a loop that executes 16 iterations per pass,
straight code for 8, a loop for 4 per pass, and code for the 1 to 3 that remain (or those first). Each copy is a
region whose branch has the loop's line. The bytes that a copy accesses give its unroll factor. Its position gives the
iterations that it executes: a copy that loops executes as many whole passes as remain, other code executes one pass if
enough iterations remain, and the last copy all that remain. With factors 16, 8, 4 (a loop) and 1 (a loop), 30
iterations are one pass of the first copy, one of the second, one of the third, and two of the last.

Threads of a warp with different trip counts diverge where their copies differ, and execute a copy together where both
reach it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import gcd, inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.analysis.trip_counts import Numbers
    from kernels.analysis.walk import Loop
    from kernels.sass.cubin import Instructions, MemoryCode
    from kernels.sass.regions import Region


@dataclass(frozen=True)
class BodyCopy:
    """One copy of a loop's body, or several iterations of it in a row."""

    sizes: Counter[int]
    """Number of instructions by size in bytes."""
    loops: bool
    """Whether the copy is a loop itself."""
    last: bool
    """Whether no other copy follows, but those nested in it."""
    guarded: bool
    """Whether an instruction is predicated."""
    branches: bool
    """Whether a branch in it may skip instructions."""

    @property
    def varies(self) -> bool:
        """Return whether a pass may make fewer accesses than the copy has instructions."""
        return self.guarded or self.branches

    @property
    def bytes(self) -> int:
        """Bytes that one pass moves for a lane."""
        return sum(size * count for size, count in self.sizes.items())


class Assignment(NamedTuple):
    """The copy that executes each of some iterations."""

    copy: Numbers
    pass_number: Numbers
    """The pass of the copy, from 0."""
    offset: Numbers
    """The iteration within the pass, from 0."""


def body_copies(code: MemoryCode, instructions: Sequence[Instructions], loop: Loop) -> list[BodyCopy]:
    """Group the instructions of a loop by body copy, in the order of the code."""
    by_copy: dict[int, list[Instructions]] = {}
    for i in instructions:
        by_copy.setdefault(body_copy_of(code, i, loop), []).append(i)
    order = list(by_copy)
    return [
        BodyCopy(
            _sizes(by_copy[region]),
            code.regions[region].loop,
            all(region in enclosing_regions(code, later) for later in order[index + 1 :]),
            any(i.guarded for i in by_copy[region]),
            any(i.region != region for i in by_copy[region]),
        )
        for index, region in enumerate(order)
    ]


def body_copy_of(code: MemoryCode, instructions: Instructions, loop: Loop) -> int:
    """Return the region of the body copy around instructions; -1 for none.

    That is the innermost region of the loop that repeats, else the innermost of all.
    """
    inside = [
        region
        for region in enclosing_regions(code, instructions.region)
        if _is_of(code.regions[region], loop) and not code.regions[region].waits
    ]
    return next((region for region in inside if code.regions[region].loop), inside[0] if inside else -1)


def _is_of(region: Region, loop: Loop) -> bool:
    """Return whether a region belongs to a loop: it has its head's line, or it repeats and has a line of its body."""
    whole = loop.span if region.loop else loop.header
    return whole.line <= region.line <= whole.end_line


def enclosing_regions(code: MemoryCode, region: int) -> list[int]:
    """List a region and those around it, innermost first."""
    found = []
    while region >= 0:
        found.append(region)
        region = code.regions[region].within
    return found


def unroll_factors(copies: Sequence[BodyCopy], iteration_bytes: int) -> list[int] | None:
    """Return the unroll factor of each copy from the bytes of one iteration; None where the model does not fit.

    It does not fit where a copy has no whole number of iterations (the last may read more than it needs), or where no
    iterations can remain for a copy. Compilers emit such code only as a duplicate for another call of the function.
    """
    if any(copy.bytes % iteration_bytes and not copy.last for copy in copies):
        return None
    found = [copy.bytes // iteration_bytes for copy in copies]
    if not all(found):
        return None
    # Before each copy at most `most` iterations remain, and their number is a multiple of `multiple`. With factors 16
    # (a loop), 8, 4 (a loop), 1 (a loop) `most` is infinite, 15, 7, 3: each copy may still be needed.
    most, multiple = inf, 1
    for index, (copy, width) in enumerate(zip(copies, found, strict=True)):
        if (most < 1 or (most < width and not copy.last)) and copy.sizes not in [
            earlier.sizes for earlier in copies[:index]
        ]:
            return None
        larger = [later for later in found[index + 1 :] if later > width]
        if larger:  # this copy executes the remainder before the loop of a larger factor
            multiple = min(larger)
        elif copy.loops:  # it executes whole passes until fewer iterations than a pass remain
            most = min(most, width - gcd(width, multiple))
        else:  # it executes one pass at most
            most = max(most - width, 0 if copy.last else min(most, width - gcd(width, multiple)))
    return found


def assign_copies(
    copies: Sequence[BodyCopy], factors: Sequence[int], number: Numbers, count: Numbers
) -> Assignment | None:
    """Find the copy of each iteration, by number, in loops of `count` iterations; None where iterations remain."""
    assigned, pass_number, offset = (np.zeros(len(number), np.int64) for _ in range(3))
    remaining, begin = count.copy(), np.zeros(len(count), np.int64)
    for index, (copy, factor) in enumerate(zip(copies, factors, strict=True)):
        # A copy that the later ones are nested in executes its iterations whatever remains; else the remainder comes
        # before the loop of a larger factor.
        larger = [] if copy.last else [later for later in factors[index + 1 :] if later > factor]
        available = remaining % min(larger) if larger else remaining
        if copy.loops:
            executed = available // factor * factor
        else:  # one pass, if enough iterations remain for it; the last copy tests each of its iterations
            executed = np.where((available >= factor) | copy.last, np.minimum(available, factor), 0)
        here = (number >= begin) & (number < begin + executed)
        assigned[here] = index
        pass_number[here], offset[here] = np.divmod(number[here] - begin[here], factor)
        begin, remaining = begin + executed, remaining - executed
    return None if remaining.any() else Assignment(assigned, pass_number, offset)


def _sizes(instructions: Sequence[Instructions]) -> Counter[int]:
    found: Counter[int] = Counter()
    for i in instructions:
        found[i.size] += i.count
    return found
