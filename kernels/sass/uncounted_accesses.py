"""Accesses of the compiled code that the trace does not have, and the reason for each.

There are three kinds of instructions without an access in the trace. Those under a branch that no thread took move
nothing, and if the branch became their predicate, warps execute them with no active lane. `printf`, `malloc` and
`free` access internal memory. The rest implement something that the source only implies: tables of `sinf`, the
loop of an atomic, spilled registers. How often these are executed cannot be derived from the trace.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from kernels.analysis.syntax import source_of
from kernels.analysis.trip_counts import warp_executions
from kernels.analysis.walk import calls_in
from kernels.frontend.ast import Assembly
from kernels.sass.candidates import CompiledAccesses
from kernels.sass.predicates import guard_of, may_be_skipped, statement_of
from kernels.sass.unroll_model import enclosing_regions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.sass.cubin import Instructions, MemoryCode
    from kernels.trace import Trace
    from kernels.trace.records import Access, Space, Statement

Cause = Literal["system", "copy", "atomic", "other"]

_SYSTEM_CALLS: Final = frozenset({"printf", "malloc", "free", "new", "new[]", "new[]{}", "delete", "delete[]"})
"""Functions of CUDA that access internal memory."""

_COPY_CALLS: Final = frozenset({"memcpy_async", "__pipeline_memcpy_async"})

_SYSTEM_ACCESSES: Final[tuple[tuple[Space, Access], ...]] = (
    ("global", "read"),
    ("global", "write"),
    ("global", "atomic"),
    ("shared", "read"),
    ("local", "read"),
    ("local", "write"),
)


@dataclass(frozen=True, slots=True)
class UncountedAccesses:
    """Accesses on a line that a GPU counts and the trace does not have."""

    line: int
    space: Space
    access: Access
    cause: Cause


def library_accesses(trace: Trace) -> list[UncountedAccesses]:
    """List the accesses of executed calls such as `printf`, and the stores that a GPU counts as asynchronous copies."""
    executed = set(np.unique(trace.step_statement).tolist())
    statements = [s for n, s in enumerate(trace.statements) if n in executed]
    lines = [s.span.line for s in statements if _cause_of(trace, s) == "system"]
    system = [UncountedAccesses(line, *kind, "system") for line in dict.fromkeys(lines) for kind in _SYSTEM_ACCESSES]
    copies = [s.span.line for s in statements if _cause_of(trace, s) == "copy"]
    return system + [UncountedAccesses(line, "shared", "write", "copy") for line in copies]


def _cause_of(trace: Trace, statement: Statement) -> Cause | None:
    """Return the cause that the statement itself gives for uncounted accesses."""
    place = source_of(trace).places.get(statement.span)
    if place is None:
        return None
    if isinstance(place.node, Assembly):
        return "copy" if place.node.template.lstrip().startswith("cp.async") else None
    names = {call.function.rpartition("::")[2].removeprefix(".") for call in calls_in(place.node)}
    return "copy" if names & _COPY_CALLS else "system" if names & _SYSTEM_CALLS else None


@dataclass(frozen=True, eq=False)
class UnmatchedInstructions:
    """Finds the reason for instructions without an access in the trace."""

    trace: Trace
    code: MemoryCode
    executed: frozenset[int]
    """The sites with accesses."""

    def explain(
        self, space: Space, rest: Sequence[Instructions]
    ) -> tuple[list[CompiledAccesses], list[UncountedAccesses]]:
        """Sort instructions of one kind: those executed, but never for a lane, and those with uncounted accesses."""
        inactive, uncounted = list[CompiledAccesses](), list[UncountedAccesses]()
        for line in dict.fromkeys(i.line for i in rest):
            here = [i for i in rest if i.line == line]
            sites = self.sites_at(line, space, here[0].access)
            guarded = [i for i in here if i.guarded and space == "shared"]
            # Dead: the line has accesses of this kind, and no thread ever made one.
            dead = bool(sites) and not self.executed & set(sites)
            times = self._times(space, sites, guarded) if dead and guarded else 0
            plain = (i for i in here if not i.guarded)
            if not dead or times is None or not all(may_be_skipped(self.trace, sites, self.code, i) for i in plain):
                cause = self._cause(line, space)
                uncounted.append(UncountedAccesses(line, space, here[0].access, cause))
                uncounted += [UncountedAccesses(line, space, "atomic", cause)] if cause == "atomic" else []
            elif times:
                inactive.append(CompiledAccesses(tuple(sites), {}, {}, "merged", times))
        return inactive, uncounted

    def has_effect(self, space: Space, i: Instructions) -> bool:
        """Return whether an instruction is ever executed."""
        return any(self.explain(space, [i]))

    def sites_at(self, line: int, space: str, access: str) -> list[int]:
        """List the sites of one kind in the statements of a line."""
        trace = self.trace
        kind = space, access
        return [
            n
            for n, site in enumerate(trace.sites)
            if (trace.arrays[site.array].space, site.access) == kind
            and trace.statements[site.statement].span.line <= line <= trace.statements[site.statement].span.end_line
        ]

    def _cause(self, line: int, space: str) -> Cause:
        here = [s for s in self.trace.statements if s.span.line <= line <= s.span.end_line]
        causes = [_cause_of(self.trace, statement) for statement in here]
        for cause in ("copy", "system"):
            if cause in causes:
                return cause
        return "atomic" if self.sites_at(line, space, "atomic") else "other"

    def _times(self, space: str, sites: Sequence[int], instructions: Sequence[Instructions]) -> int | None:
        """Count executions of instructions whose predicate is false in all lanes; None where they may be copies."""
        trace, code = self.trace, self.code
        head, place = guard_of(trace, sites, code, instructions), statement_of(trace, sites[0])
        if head is None or place is None:
            return None
        # If the instructions do not access the bytes of the source exactly once, or are in several regions or an
        # unrolled loop, some are copies, and the trace does not have the number of executions of each.
        moved = sum(trace.sites[n].width * trace.arrays[trace.sites[n].array].dtype.itemsize for n in sites)
        regions = {i.region for i in code.instructions if (i.line, i.space) == (instructions[0].line, space)}
        lines = [code.regions[region].line for region in enclosing_regions(code, instructions[0].region)]
        rolled = all(any(p.line <= line <= p.end_line for line in lines) for p in (x.span for x in place.loops))
        if len(regions) > 1 or not rolled or sum(i.count * i.size for i in instructions) != moved:
            return None
        return warp_executions(trace, head) * sum(i.count for i in instructions)
