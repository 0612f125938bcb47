"""Whether an instruction can stand where it does for an access: under the branches of the source, and under no others.

Compilers move what accesses memory. A read whose value is needed later may go behind a branch that the source has
behind it, and then fewer warps make it; what both sides of a branch do may be done once for both. Then the accesses of
the trace are not those of the code.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.requests import warps
from kernels.analysis.syntax import head_of, source_of
from kernels.analysis.walk import calls_in, children
from kernels.frontend.ast import Block, Break, Continue, For, Goto, If, Return, Switch, While
from kernels.sass.unroll_model import around

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from kernels.analysis.syntax import Place, Source
    from kernels.frontend.ast import Span, Statement
    from kernels.sass.cubin import Instructions, MemoryCode
    from kernels.trace import Trace


def stands(trace: Trace, sites: Sequence[int], code: MemoryCode, i: Instructions, every: Sequence[int]) -> bool:
    """Whether an instruction is skipped where the source skips one of some accesses, and nowhere else.

    `every` are the accesses that were merged with these.
    """
    source = source_of(trace)
    ways = _ways(source)
    spans = {trace.statements[trace.sites[number].statement].span for number in sites}
    regions = [code.regions[region] for region in around(code, i.region)]
    lines = [region.line for region in regions]
    over = [region.line for region in regions if not region.loop]
    for place in (source.places.get(span) for span in spans):
        if place is None or place.function.span in ways.elsewhere:
            return True
        if any(_comes_twice(trace, source, place, branch) for branch, _ in place.branches):
            continue
        known = ways.around(place)
        passed = [line for line in over if not _within(line, known)]
        if (not passed or (not place.loops and all(_all_go_on(trace, source, line) for line in passed))) and (
            i.guarded or _covered(trace, place, lines, every)
        ):
            return True
    return False


def _comes_twice(trace: Trace, source: Source, place: Place, branch: If) -> bool:
    """Whether lanes may come to a side of a branch from two tests, apart: at the end nothing brings them together."""
    head = source.places.get(branch.header)
    end = branch.span.end_line, branch.span.end_column
    behind = (other for other in source.places.values() if other.function.span == place.function.span)
    return (
        head is not None
        and any(reference.guards for reference in head.references)
        and not any((at.line, at.column) >= end for at in (head_of(other.node) for other in behind))
        and not _masks(trace, head_of(place.node)) <= _masks(trace, branch.header)
    )


def _all_go_on(trace: Trace, source: Source, line: int) -> bool:
    """Whether the branch of a line is one that no thread takes: an instruction behind it is executed by all."""
    for place in source.places.values():
        node = place.node
        if isinstance(node, If | For | While) and node.header.line <= line <= node.header.end_line:
            body = node.then if isinstance(node, If) else node.body
            inner = _first(body)
            return inner is not None and not place.loops and _lanes(trace, node.header) == _lanes(trace, inner)
    return False


def _first(node: Statement | None) -> Span | None:
    if isinstance(node, Block):
        return _first(node.body[0]) if node.body else None
    return None if node is None else head_of(node)


def _lanes(trace: Trace, span: Span) -> set[int]:
    """Collect the lanes that ever execute a statement."""
    return {lane for mask in _masks(trace, span) for lane in trace.masks[mask].tolist()}


def _covered(trace: Trace, place: Place, lines: Sequence[int], every: Sequence[int]) -> bool:
    """Whether each branch of the source that parts lanes is one of the code, or all lanes access what is merged."""
    heads = [*(branch.header for branch, _ in place.branches), head_of(place.node)]
    return all(
        _within_any(branch.span, lines)
        or _masks(trace, then) <= _masks(trace, branch.header)
        or _on_both_sides(trace, branch, every)
        for (branch, _), then in zip(place.branches, heads[1:], strict=True)
    )


def _on_both_sides(trace: Trace, branch: If, every: Sequence[int]) -> bool:
    """Whether all who come to a branch access something behind it each time, and each warp goes one way."""
    places = source_of(trace).places
    spans = {trace.statements[trace.sites[number].statement].span for number in every}
    head = _steps(trace, branch.header)
    ways = [(set[int](), set[int]()) for _ in head]
    for place in (places[span] for span in spans if span in places):
        for side in (side for other, side in place.branches if other.span == branch.span):
            steps = _steps(trace, head_of(place.node))
            time = np.searchsorted(head, steps, side="right") - 1
            for n, mask in set(zip(time.tolist(), trace.step_mask[steps].tolist(), strict=True)):
                ways[n][side].add(mask)
    masks = trace.step_mask[head].tolist()
    each = {(mask, *map(frozenset, sides)) for mask, sides in zip(masks, ways, strict=True)}
    return all(_parted(trace, *one) for one in each)


def _parted(trace: Trace, mask: int, one: frozenset[int], other: frozenset[int]) -> bool:
    """Whether the lanes of a mask are those of some others, and no warp is in both."""
    here, there = (
        np.unique(np.concatenate([np.zeros(0, np.int64), *(trace.masks[m] for m in some)])) for some in (one, other)
    )
    shared = np.intersect1d(warps(trace, here), warps(trace, there))
    return np.array_equal(np.union1d(here, there), trace.masks[mask]) and not len(shared)


def _steps(trace: Trace, span: Span) -> NDArray[np.intp]:
    numbers = [number for number, statement in enumerate(trace.statements) if statement.span == span]
    return np.flatnonzero(np.isin(trace.step_statement, numbers))


def _masks(trace: Trace, span: Span) -> set[int]:
    """Collect the sets of lanes that execute a statement."""
    return set(trace.step_mask[_steps(trace, span)].tolist())


@dataclass(frozen=True, slots=True)
class _Ways:
    """Where threads may part in a program: ways out of each function, and who calls it; functions by their places.

    `elsewhere` are functions with a `switch` or `goto`, of which nothing is said.
    """

    out: dict[Span, tuple[Span, ...]]
    callers: dict[str, list[Place]]
    elsewhere: set[Span]
    known: dict[Span, tuple[Span, ...]]

    def around(self, place: Place) -> tuple[Span, ...]:
        """Return where the source may skip a statement: around it, ways out before it, and so for its function."""
        at = head_of(place.node)
        if at not in self.known:
            self.known[at] = tuple(dict.fromkeys(self._around(place, set())))
        return self.known[at]

    def _around(self, place: Place, seen: set[str]) -> Iterator[Span]:
        at = head_of(place.node)
        yield at
        yield from (branch.span for branch, _ in place.branches)
        yield from (loop.span for loop in place.loops)
        yield from (way for way in self.out[place.function.span] if _before(way, at))
        name = place.function.name.rpartition("::")[2]
        if not place.function.kernel and name not in seen:
            seen.add(name)
            for caller in self.callers.get(name, ()):
                yield from self._around(caller, seen)


@lru_cache(maxsize=16)
def _ways(source: Source) -> _Ways:
    functions = {place.function.span: place.function for place in source.places.values()}
    out = {span: tuple(way.span for way in _ways_out(f.body)) for span, f in functions.items()}
    callers: dict[str, list[Place]] = {}
    for place in source.places.values():
        for name in {call.function.rpartition("::")[2].removeprefix(".") for call in calls_in(place.node)}:
            callers.setdefault(name, []).append(place)
    elsewhere = {span for span, function in functions.items() if _goes_elsewhere(function.body)}
    return _Ways(out, callers, elsewhere, {})


def _ways_out(node: object) -> Iterator[If]:
    """Conditions under which a thread leaves a function or a loop, or its turn."""
    if isinstance(node, If) and _leaves(node):
        yield node
    for child in children(node):
        yield from _ways_out(child)


def _leaves(node: object) -> bool:
    return isinstance(node, Return | Break | Continue) or any(_leaves(child) for child in children(node))


def _goes_elsewhere(node: object) -> bool:
    return isinstance(node, Switch | Goto) or any(_goes_elsewhere(child) for child in children(node))


def _before(first: Span, second: Span) -> bool:
    return (first.line, first.column) < (second.line, second.column)


def _within(line: int, spans: Sequence[Span]) -> bool:
    return any(span.line <= line <= span.end_line for span in spans)


def _within_any(span: Span, lines: Sequence[int]) -> bool:
    return any(span.line <= line <= span.end_line for line in lines)
