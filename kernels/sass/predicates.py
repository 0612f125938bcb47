"""Instructions with a condition of their own: a warp executes them where it comes by, even for no lane.

A compiler turns a short `if` into conditions of the instructions under it. The regions around an instruction tell
which of the `if`s around an access still are branches: warps come by the rest at the outermost of the others. Around
functions of a warp, which wait for its lanes, compilers keep a branch, even where the code's lines do not tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis.syntax import head_of, source_of
from kernels.analysis.trip_counts import warps_at
from kernels.analysis.walk import children
from kernels.frontend.ast import Break, Call, Continue, If, Return, Switch
from kernels.sass.merging import repetition
from kernels.sass.unroll_model import around, rung_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kernels.analysis.syntax import Place
    from kernels.analysis.walk import Loop
    from kernels.frontend.ast import Program, Span
    from kernels.sass.candidates import Made, Pool
    from kernels.sass.cubin import Instructions, MemoryCode
    from kernels.trace import Trace

_OF_WARPS: Final = ("__shfl", "shfl", "__ballot", "__any", "__all", "__match", "__reduce", "__syncwarp")
"""How the names of functions begin in which lanes of a warp wait for each other."""


def tested(trace: Trace, sites: Sequence[int], code: MemoryCode, there: Sequence[Instructions]) -> Span | None:
    """Return the statement at which warps come by all of the instructions that have a condition; None if not one."""
    found = {
        _tested(source_of(trace).program, place, code, i)
        for place in (place_of(trace, number) for number in sites)
        for i in there
        if i.guarded
    }
    return found.pop() if len(found) == 1 else None


def idle(trace: Trace, pool: Pool, made: Made, head: Span, there: Sequence[Instructions]) -> int | None:
    """Count executions for no lane of instructions that stand alone for their accesses; None where they may not."""
    executed = warps_at(trace, head)
    missing = [executed - len(requests) for requests in pool.asked]
    if not any(missing):
        return 0
    alone = {size: len(r) for size, r in made.compiled.items()} == {size: len(r) for size, r in pool.written.items()}
    if not alone or min(missing) < 0:
        return None
    copies, guarded = (sum(i.count for i in there if i.guarded or whole) for whole in (True, False))
    if guarded == copies:
        return sum(missing)
    # Some copies of an unrolled loop's body are branches: then each has to stand for as many accesses.
    each = np.bincount(repetition(pool.windows(pool.asked[0])))
    if len(pool.asked) > 1 or len(each) != copies or len(set(each.tolist())) > 1 or missing[0] % copies:
        return None
    return missing[0] // copies * guarded


def of_the_source(trace: Trace, sites: Sequence[int], code: MemoryCode, i: Instructions) -> bool:
    """Whether an instruction's condition can be one of the source, not one that the compiler has found."""
    return any(_of_the_source(place_of(trace, number), code, i) for number in sites)


def _of_the_source(place: Place | None, code: MemoryCode, i: Instructions) -> bool:
    if place is None or any(_jumps(place.function.body)) or any(_leaving(place.function.body)):
        return True
    if not place.function.kernel or any(reference.guards for reference in place.references):
        return True
    kept, lines = _kept(place, code, i)
    branches = [b for b, _ in place.branches if not kept or _inside(b.span, kept[-1].span)]
    if len(kept) < len(place.loops) or not all(any(map(_stands_in(b.header), lines)) for b in branches):
        return True
    return bool(kept) and _left_over(code, i, kept[-1])


def _kept(place: Place, code: MemoryCode, i: Instructions) -> tuple[list[Loop], list[int]]:
    """Return the loops around a place that still are some around an instruction, and the lines of regions inside."""
    lines = [code.regions[region].line for region in around(code, i.region)]
    kept = [loop for loop in place.loops if any(map(_stands_in(loop.header), lines))]
    if kept:  # what is around the loop, or around this copy of its body, is no matter of what is in it
        lines = lines[: next(n for n, line in enumerate(lines) if _stands_in(kept[-1].header)(line))]
    return kept, lines


def _left_over(code: MemoryCode, i: Instructions, loop: Loop) -> bool:
    """Whether an instruction stands in code for what is left over of an unrolled loop."""
    rung = rung_of(code, i, loop)
    return rung >= 0 and not code.regions[rung].loop


def skipped(trace: Trace, sites: Sequence[int], code: MemoryCode, i: Instructions) -> bool:
    """Whether a branch may skip an instruction whose accesses nobody made; reads may be made ahead of their branch."""
    over = [code.regions[region] for region in around(code, i.region) if not code.regions[region].loop]
    if i.access == "write":
        return bool(over)
    executed = {trace.statements[n].span for n in set(trace.step_statement.tolist())}

    def so(place: Place | None) -> bool:
        if place is None or not place.function.kernel:
            return bool(over)
        reached = [n for n, (branch, _) in enumerate(place.branches) if branch.header in executed]
        deciding = [branch.header for branch, _ in place.branches[reached[-1] :]] if reached else []
        headers = deciding + [loop.header for loop in place.loops]
        headers += [branch.header for branch in _leaving(place.function.body)]
        return any(_stands_in(header)(region.line) for header in headers for region in over)

    return all(so(place_of(trace, number)) for number in sites)


def place_of(trace: Trace, site: int) -> Place | None:
    """Return the statement that makes an access."""
    return source_of(trace).places.get(trace.statements[trace.sites[site].statement].span)


def _tested(program: Program, place: Place | None, code: MemoryCode, instructions: Instructions) -> Span | None:
    if place is None:
        return None
    lines = [code.regions[region].line for region in around(code, instructions.region)]
    if any(not any(map(_stands_in(branch.header), lines)) for branch in _leaving(place.function.body)):
        return None  # then the condition may be that of lanes that have returned
    kept, lines = _kept(place, code, instructions)

    def compiled(head: Span) -> bool:
        return any(map(_stands_in(head), lines))

    inner = [branch for branch, _ in place.branches if not kept or _inside(branch.span, kept[-1].span)]
    plain = [branch for branch in inner if not compiled(branch.header)]
    unrolled = [loop for loop in place.loops if loop not in kept]
    if not plain:
        # The condition is one inside the statement, or that of what is left over of an unrolled loop.
        chosen = any(reference.guards for reference in place.references)
        climbs = bool(kept) and _left_over(code, instructions, kept[-1])
        return head_of(place.node) if (chosen or climbs) and not unrolled else None
    if any(_meets(program, branch, set()) for branch in plain):
        return None
    if plain != inner[-len(plain) :] or any(_inside(loop.span, plain[0].span) for loop in unrolled):
        return None
    return plain[0].header


def _leaving(node: object) -> Iterator[If]:
    """Conditions under which a thread returns."""
    if isinstance(node, If) and _returns(node):
        yield node
    for child in children(node):
        yield from _leaving(child)


def _returns(node: object) -> bool:
    return isinstance(node, Return) or any(_returns(child) for child in children(node))


def _jumps(node: object) -> Iterator[object]:
    """Statements that go elsewhere."""
    if isinstance(node, Break | Continue | Switch):
        yield node
    for child in children(node):
        yield from _jumps(child)


def _meets(program: Program, node: object, seen: set[str]) -> bool:
    """Whether lanes of a warp wait for each other in a statement, or in a function that it calls."""
    if isinstance(node, Call):
        name = node.function.rpartition("::")[2].removeprefix(".")
        if name.startswith(_OF_WARPS):
            return True
        if name not in seen:
            seen.add(name)
            called = (f.body for f in program.functions if f.name.rpartition("::")[2] == name)
            if any(_meets(program, body, seen) for body in called):
                return True
    return any(_meets(program, child, seen) for child in children(node))


def _stands_in(head: Span) -> Callable[[int], bool]:
    return lambda line: head.line <= line <= head.end_line


def _inside(part: Span, whole: Span) -> bool:
    return (whole.line, whole.column) <= (part.line, part.column) and (part.end_line, part.end_column) <= (
        whole.end_line,
        whole.end_column,
    )
