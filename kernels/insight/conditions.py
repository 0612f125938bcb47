"""Instructions with a condition of their own: a warp executes them where it comes by, even for no lane.

A compiler turns a short `if` into conditions of the instructions under it. The regions around an instruction tell
which of the `if`s around an access still are branches: warps come by the rest at the outermost of the others. Around
functions of a warp, which wait for its lanes, compilers keep a branch, even where the code's lines do not tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.insight.ladder import around, rung_of
from kernels.insight.syntax import head_of, source_of
from kernels.insight.turns import warps_at
from kernels.insight.walk import children
from kernels.source.nodes import Call, If, Return

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kernels.gpu.cubin import Instructions, MemoryCode
    from kernels.insight.pools import Made, Pool
    from kernels.insight.syntax import Place
    from kernels.source.nodes import Program, Span
    from kernels.trace import Trace

_OF_WARPS: Final = ("__shfl", "shfl", "__ballot", "__any", "__all", "__match", "__reduce", "__syncwarp")
"""How the names of functions begin in which lanes of a warp wait for each other."""


def tested(
    trace: Trace, sites: Sequence[int], code: MemoryCode, there: Sequence[Instructions]
) -> Span | None:
    """Return the statement at which warps come by all of the instructions that have a condition; None if not one."""
    found = {
        _tested(source_of(trace).program, place, code, i)
        for place in (place_of(trace, number) for number in sites)
        for i in there
        if i.guarded
    }
    return found.pop() if len(found) == 1 else None


def idle(trace: Trace, pool: Pool, made: Made, head: Span) -> int | None:
    """Count executions for no lane of instructions that stand alone for their accesses; None where they may not."""
    executed = warps_at(trace, head)
    missing = [executed - len(requests) for requests in pool.asked]
    if not any(missing):
        return 0
    alone = {size: len(r) for size, r in made.compiled.items()} == {
        size: len(r) for size, r in pool.written.items()
    }
    return sum(missing) if alone and min(missing) >= 0 else None


def place_of(trace: Trace, site: int) -> Place | None:
    """Return the statement that makes an access."""
    return source_of(trace).places.get(trace.statements[trace.sites[site].statement].span)


def _tested(
    program: Program, place: Place | None, code: MemoryCode, instructions: Instructions
) -> Span | None:
    if place is None:
        return None
    lines = [code.regions[region].line for region in around(code, instructions.region)]
    if any(not any(map(_stands_in(branch.header), lines)) for branch in _leaving(place.function.body)):
        return None  # then the condition may be that of lanes that have returned
    kept = [loop for loop in place.loops if any(map(_stands_in(loop.header), lines))]
    if kept:  # what is around the loop, or around this copy of its body, is no matter of what is in it
        lines = lines[: next(n for n, line in enumerate(lines) if _stands_in(kept[-1].header)(line))]

    def compiled(head: Span) -> bool:
        return any(map(_stands_in(head), lines))

    inner = [branch for branch, _ in place.branches if not kept or _inside(branch.span, kept[-1].span)]
    plain = [branch for branch in inner if not compiled(branch.header)]
    unrolled = [loop for loop in place.loops if loop not in kept]
    if not plain:
        # The condition is one inside the statement, or that of what is left over of an unrolled loop.
        chosen = any(reference.guards for reference in place.references)
        climbs = bool(kept) and rung_of(code, instructions, kept[-1]) >= 0
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
