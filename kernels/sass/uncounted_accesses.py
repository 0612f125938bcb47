"""What the compiled code accesses besides the accesses of a trace, and what of it can be told.

Instructions that stand for no access of the trace are of three kinds. Those in a branch that nobody took move nothing;
where the branch has become their condition, warps execute them for no lane. `printf` accesses memory of its own. The
others serve something that the source does not name: tables of `sinf`, a loop around an atomic, registers that did not
suffice. How often these run, the trace does not say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from kernels.analysis.trip_counts import warps_at
from kernels.sass.candidates import Accesses
from kernels.sass.predicates import place_of, skipped, tested
from kernels.sass.unroll_model import around

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.sass.cubin import Instructions, MemoryCode
    from kernels.trace import Trace
    from kernels.trace.records import Access, Space

Cause = Literal["system", "copy", "atomic", "other"]

_OF_THE_SYSTEM: Final = re.compile(r"\b(printf|malloc|free|new|delete)\b")
"""What statements say that call functions of CUDA's with memory of their own."""

_ITS_ACCESSES: Final[tuple[tuple[Space, Access], ...]] = (
    ("global", "read"),
    ("global", "write"),
    ("global", "atomic"),
    ("shared", "read"),
    ("local", "read"),
    ("local", "write"),
)


@dataclass(frozen=True, slots=True)
class Beside:
    """Accesses on a line that a GPU makes and counts, but nobody can count here."""

    line: int
    space: Space
    access: Access
    cause: Cause


def calls(trace: Trace) -> list[Beside]:
    """List what executed calls of `printf` and its like access, and stores that a GPU counts as copies."""
    executed = set(np.unique(trace.step_statement).tolist())
    statements = [s for n, s in enumerate(trace.statements) if n in executed]
    called = [s.span.line for s in statements if _OF_THE_SYSTEM.search(s.text)]
    printed = [Beside(line, *kind, "system") for line in dict.fromkeys(called) for kind in _ITS_ACCESSES]
    copied = [Beside(s.span.line, "shared", "write", "copy") for s in statements if _copies(s.text)]
    return printed + copied


@dataclass(frozen=True, eq=False)
class Rest:
    """Explains instructions that stand for no access; `executed` are the sites that do access something."""

    trace: Trace
    code: MemoryCode
    executed: frozenset[int]

    def explained(self, space: Space, rest: Sequence[Instructions]) -> tuple[list[Accesses], list[Beside]]:
        """Tell what instructions of one kind do: nothing, something for no lane, or something besides."""
        idle, beside = list[Accesses](), list[Beside]()
        for line in dict.fromkeys(i.line for i in rest):
            here = [i for i in rest if i.line == line]
            sites = self.sites_at(line, space, here[0].access)
            guarded = [i for i in here if i.guarded and space == "shared"]
            dead = bool(sites) and not self.executed & set(sites)
            times = self._times(space, sites, guarded) if dead and guarded else 0
            plain = (i for i in here if not i.guarded)
            if not dead or times is None or not all(skipped(self.trace, sites, self.code, i) for i in plain):
                cause = self._cause(line, space)
                beside.append(Beside(line, space, here[0].access, cause))
                beside += [Beside(line, space, "atomic", cause)] if cause == "atomic" else []
            elif times:
                idle.append(Accesses(tuple(sites), {}, {}, "merged", times))
        return idle, beside

    def serves(self, space: Space, i: Instructions) -> bool:
        """Whether an instruction does anything."""
        return any(self.explained(space, [i]))

    def sites_at(self, line: int, space: str, access: str) -> list[int]:
        """List the accesses of one kind that statements of a line name."""
        trace = self.trace
        kind = space, access
        return [
            n
            for n, site in enumerate(trace.sites)
            if (trace.arrays[site.array].space, site.access) == kind
            and trace.statements[site.statement].span.line <= line <= trace.statements[site.statement].span.end_line
        ]

    def _cause(self, line: int, space: str) -> Cause:
        texts = [s.text for s in self.trace.statements if s.span.line <= line <= s.span.end_line]
        if any(map(_copies, texts)):
            return "copy"
        if any(map(_OF_THE_SYSTEM.search, texts)):
            return "system"
        return "atomic" if self.sites_at(line, space, "atomic") else "other"

    def _times(self, space: str, sites: Sequence[int], there: Sequence[Instructions]) -> int | None:
        """Count executions of instructions with conditions that nobody meets; None where they may be copies."""
        trace, code = self.trace, self.code
        head, place = tested(trace, sites, code, there), place_of(trace, sites[0])
        if head is None or place is None:
            return None
        moved = sum(trace.sites[n].width * trace.arrays[trace.sites[n].array].dtype.itemsize for n in sites)
        regions = {i.region for i in code.instructions if (i.line, i.space) == (there[0].line, space)}
        lines = [code.regions[region].line for region in around(code, there[0].region)]
        rolled = all(any(p.line <= line <= p.end_line for line in lines) for p in (x.span for x in place.loops))
        if len(regions) > 1 or not rolled or sum(i.count * i.size for i in there) != moved:
            return None
        return warps_at(trace, head) * sum(i.count for i in there)


def _copies(text: str) -> bool:
    return "cp.async" in text or "memcpy_async" in text
