"""Predicated instructions: warps that reach them execute them, even with a predicate that is false in all lanes.

A compiler turns a short `if` into predicates of the instructions under it. An `if` around an access is still a branch
where a region around the instruction has its line; the warps that execute the instruction are those that reach the
outermost of the other `if`s. Around warp functions, whose lanes wait for each other, compilers keep a branch even if
no region has its line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis.syntax import source_of, step_span
from kernels.analysis.trip_counts import warp_executions
from kernels.analysis.walk import children
from kernels.frontend.ast import Break, Call, Continue, If, Return, Switch
from kernels.sass.merging import occurrence_numbers
from kernels.sass.unroll_model import body_copy_of, enclosing_regions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kernels.analysis.syntax import Place
    from kernels.analysis.walk import Loop
    from kernels.frontend.ast import Program, Span
    from kernels.sass.candidates import CandidateGroup, MergeOutcome
    from kernels.sass.cubin import Instructions, MemoryCode
    from kernels.trace import Trace

_WARP_FUNCTIONS: Final = ("__shfl", "shfl", "__ballot", "__any", "__all", "__match", "__reduce", "__syncwarp")
"""Prefixes of the functions in which the lanes of a warp wait for each other."""


def guard_of(trace: Trace, sites: Sequence[int], code: MemoryCode, instructions: Sequence[Instructions]) -> Span | None:
    """Return the statement whose warps reach all predicated instructions; None where there is not exactly one."""
    found = {
        _guard_of(source_of(trace).program, place, code, i)
        for place in (statement_of(trace, number) for number in sites)
        for i in instructions
        if i.guarded
    }
    return found.pop() if len(found) == 1 else None


def count_inactive(
    trace: Trace, group: CandidateGroup, outcomes: MergeOutcome, head: Span, instructions: Sequence[Instructions]
) -> int | None:
    """Count executions for no lane of unmerged instructions; None where accesses may have been merged."""
    # The guard is executed by every warp that reaches the instruction, the accesses only by those with an active lane.
    executed = warp_executions(trace, head)
    missing = [executed - len(requests) for requests in group.requests]
    if not any(missing):
        return 0
    unmerged = {size: len(r) for size, r in outcomes.requests.items()} == {
        size: len(r) for size, r in group.source_requests.items()
    }
    if not unmerged or min(missing) < 0:
        return None
    copies, guarded = (sum(i.count for i in instructions if i.guarded or whole) for whole in (True, False))
    if guarded == copies:
        return sum(missing)
    # In some copies of an unrolled body the `if` is still a branch: then all copies must have equally many accesses.
    each = np.bincount(occurrence_numbers(group.windows(group.requests[0])))
    if len(group.requests) > 1 or len(each) != copies or len(set(each.tolist())) > 1 or missing[0] % copies:
        return None
    return missing[0] // copies * guarded


def has_source_condition(trace: Trace, sites: Sequence[int], code: MemoryCode, i: Instructions) -> bool:
    """Return whether a predicate can be a condition of the source, and not one that the compiler introduced."""
    return any(_of_the_source(statement_of(trace, number), code, i) for number in sites)


def _of_the_source(place: Place | None, code: MemoryCode, i: Instructions) -> bool:
    if place is None or any(_jumps(place.function.body)) or any(_returning_branches(place.function.body)):
        return True
    if not place.function.kernel or any(reference.guards for reference in place.references):
        return True
    # Inside a loop that is not unrolled, an `if` of the source without a branch of its line became the predicate.
    rolled_loops, lines = _rolled_loops(place, code, i)
    branches = [b for b, _ in place.branches if not rolled_loops or _inside(b.span, rolled_loops[-1].span)]
    if len(rolled_loops) < len(place.loops) or not all(any(map(_covers_line(b.header), lines)) for b in branches):
        return True
    return bool(rolled_loops) and _is_epilogue(code, i, rolled_loops[-1])


def _rolled_loops(place: Place, code: MemoryCode, i: Instructions) -> tuple[list[Loop], list[int]]:
    """Return the loops around a statement that are still loops, and the lines of the regions inside them."""
    lines = [code.regions[region].line for region in enclosing_regions(code, i.region)]
    rolled_loops = [loop for loop in place.loops if any(map(_covers_line(loop.header), lines))]
    if rolled_loops:  # regions around the loop, or around this copy of its body, do not affect the code in it
        lines = lines[: next(n for n, line in enumerate(lines) if _covers_line(rolled_loops[-1].header)(line))]
    return rolled_loops, lines


def _is_epilogue(code: MemoryCode, i: Instructions, loop: Loop) -> bool:
    """Return whether an instruction is in the epilogue of an unrolled loop."""
    copy = body_copy_of(code, i, loop)
    return copy >= 0 and not code.regions[copy].loop


def may_be_skipped(trace: Trace, sites: Sequence[int], code: MemoryCode, i: Instructions) -> bool:
    """Return whether a branch may skip an instruction without accesses; reads may be moved before their branch."""
    over = [code.regions[region] for region in enclosing_regions(code, i.region) if not code.regions[region].loop]
    if i.access == "write":
        return bool(over)
    executed = {trace.statements[n].span for n in set(trace.step_statement.tolist())}

    def is_skipped(place: Place | None) -> bool:
        if place is None or not place.function.kernel:
            return bool(over)
        reached = [n for n, (branch, _) in enumerate(place.branches) if branch.header in executed]
        deciding = [branch.header for branch, _ in place.branches[reached[-1] :]] if reached else []
        headers = deciding + [loop.header for loop in place.loops]
        headers += [branch.header for branch in _returning_branches(place.function.body)]
        return any(_covers_line(header)(region.line) for header in headers for region in over)

    return all(is_skipped(statement_of(trace, number)) for number in sites)


def statement_of(trace: Trace, site: int) -> Place | None:
    """Return the statement that contains a site."""
    return source_of(trace).places.get(trace.statements[trace.sites[site].statement].span)


def _guard_of(program: Program, place: Place | None, code: MemoryCode, instructions: Instructions) -> Span | None:
    if place is None:
        return None
    lines = [code.regions[region].line for region in enclosing_regions(code, instructions.region)]
    if any(not any(map(_covers_line(branch.header), lines)) for branch in _returning_branches(place.function.body)):
        return None  # then the predicate may be that of lanes that have not returned
    rolled_loops, lines = _rolled_loops(place, code, instructions)

    def compiled(head: Span) -> bool:
        return any(map(_covers_line(head), lines))

    inner = [branch for branch, _ in place.branches if not rolled_loops or _inside(branch.span, rolled_loops[-1].span)]
    plain = [branch for branch in inner if not compiled(branch.header)]
    unrolled = [loop for loop in place.loops if loop not in rolled_loops]
    if not plain:
        # The predicate is a condition inside the statement, or the test of an epilogue.
        chosen = any(reference.guards for reference in place.references)
        climbs = bool(rolled_loops) and _is_epilogue(code, instructions, rolled_loops[-1])
        return step_span(place.node) if (chosen or climbs) and not unrolled else None
    if any(_synchronises_lanes(program, branch, set()) for branch in plain):
        return None
    # The outermost predicated `if` decides only if neither a branch nor an unrolled loop is between it and the access.
    if plain != inner[-len(plain) :] or any(_inside(loop.span, plain[0].span) for loop in unrolled):
        return None
    return plain[0].header


def _returning_branches(node: object) -> Iterator[If]:
    """Yield the conditions under which a thread returns."""
    if isinstance(node, If) and _returns(node):
        yield node
    for child in children(node):
        yield from _returning_branches(child)


def _returns(node: object) -> bool:
    return isinstance(node, Return) or any(_returns(child) for child in children(node))


def _jumps(node: object) -> Iterator[object]:
    """Yield the jumps other than return."""
    if isinstance(node, Break | Continue | Switch):
        yield node
    for child in children(node):
        yield from _jumps(child)


def _synchronises_lanes(program: Program, node: object, seen: set[str]) -> bool:
    """Return whether the lanes of a warp wait for each other in a statement, or in a function that it calls."""
    if isinstance(node, Call):
        name = node.function.rpartition("::")[2].removeprefix(".")
        if name.startswith(_WARP_FUNCTIONS):
            return True
        if name not in seen:
            seen.add(name)
            called = (f.body for f in program.functions if f.name.rpartition("::")[2] == name)
            if any(_synchronises_lanes(program, body, seen) for body in called):
                return True
    return any(_synchronises_lanes(program, child, seen) for child in children(node))


def _covers_line(head: Span) -> Callable[[int], bool]:
    return lambda line: head.line <= line <= head.end_line


def _inside(part: Span, whole: Span) -> bool:
    return (whole.line, whole.column) <= (part.line, part.column) and (part.end_line, part.end_column) <= (
        whole.end_line,
        whole.end_column,
    )
