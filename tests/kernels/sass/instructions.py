"""Compiled code made up for a test: instructions on lines that hold a text, and what is counted of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kernels.sass.counts import count_as_compiled
from kernels.sass.cubin import Instructions, MemoryCode
from kernels.sass.messages import notes
from kernels.sass.regions import Region

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.sass.cubin import Direction, Memory
    from kernels.trace import Trace


Row = tuple[str, "Memory", "Direction", int, int]
"""The text of a line, space, access, bytes, count."""


def code(trace: Trace, *rows: Row, regions: Sequence[Region] = ()) -> MemoryCode:
    """Instructions on the lines that hold a text, in the innermost of some regions, each within the one before."""
    found = (
        Instructions(line_of(trace, text), space, access, size, len(regions) - 1, 0, guarded=False, count=count)
        for text, space, access, size, count in rows
    )
    return MemoryCode(tuple(regions), tuple(found))


def together(*parts: MemoryCode) -> MemoryCode:
    """One behind the other, each in regions of its own."""
    regions: list[Region] = []
    instructions: list[Instructions] = []
    for part in parts:
        moved = len(regions)
        instructions += [replace(i, region=i.region + moved if i.region >= 0 else -1) for i in part.instructions]
        regions += [replace(r, within=r.within + moved if r.within >= 0 else -1) for r in part.regions]
    return MemoryCode(tuple(regions), tuple(instructions))


def loop(trace: Trace, text: str) -> Region:
    return Region(line_of(trace, text), loop=True, waits=False, within=-1)


def skipped(trace: Trace, text: str) -> Region:
    return Region(line_of(trace, text), loop=False, waits=False, within=-1)


def line_of(trace: Trace, text: str) -> int:
    return next(n for n, line in enumerate(trace.text.splitlines(), 1) if text in line)


def shared_reads(trace: Trace, instructions: MemoryCode) -> dict[str, tuple[int, int]]:
    """Requests and wavefronts by array."""
    found = count_as_compiled(trace, instructions).arrays
    return {c.array: (c.requests, c.wavefronts) for c in found if (c.space, c.access) == ("shared", "read")}


def said(trace: Trace, instructions: MemoryCode) -> list[str]:
    return [note.text for note in notes(trace, count_as_compiled(trace, instructions))]


def unrolled(trace: Trace, space: Memory, *rungs: dict[int, int], line: str = "sum +=") -> MemoryCode:
    """A loop one behind the other for each rung, given as instructions by size."""
    return together(
        *(
            code(
                trace,
                *((line, space, "read", size, count) for size, count in rung.items()),
                regions=[loop(trace, "for (int")],
            )
            for rung in rungs
        )
    )


def reads_of(trace: Trace, array: str, found: MemoryCode) -> int:
    arrays = count_as_compiled(trace, found).arrays
    return next(c.requests for c in arrays if (c.array, c.access) == (array, "read"))
