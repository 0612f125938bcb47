"""Control dependence: comparison of the branches around an instruction with those around an access of the source.

Compilers move memory accesses. A read may be moved after a later branch of the source and is then executed by fewer
warps; accesses on both sides of a branch may become one before it. Then the accesses of the trace are not those of the
code, and they must not be matched.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.requests import warps
from kernels.analysis.syntax import source_of, step_span
from kernels.analysis.walk import calls_in, children
from kernels.frontend.ast import Block, Break, Continue, For, Goto, If, Return, Switch, While
from kernels.sass.unroll_model import enclosing_regions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from kernels.analysis.syntax import Place, Source
    from kernels.frontend.ast import Span, Statement
    from kernels.sass.cubin import Instructions, MemoryCode
    from kernels.trace import Trace


def is_control_equivalent(
    trace: Trace, sites: Sequence[int], code: MemoryCode, i: Instructions, merged: Sequence[int]
) -> bool:
    """Return whether an instruction is skipped exactly where the source skips one of some sites.

    `merged` are all sites whose accesses the instruction may make, these among them.
    """
    source = source_of(trace)
    paths = _exit_paths(source)
    spans = {trace.statements[trace.sites[number].statement].span for number in sites}
    regions = [code.regions[region] for region in enclosing_regions(code, i.region)]
    lines = [region.line for region in regions]
    skipping = [region.line for region in regions if not region.loop]
    for place in (source.places.get(span) for span in spans):
        if place is None or place.function.span in paths.irregular:
            return True
        if any(_is_reached_twice(trace, source, place, branch) for branch, _ in place.branches):
            continue
        # A branch of the code that the source does not have around the access comes from code that was moved.
        around = paths.statements_around(place)
        foreign = [line for line in skipping if not _within(line, around)]
        if (not foreign or (not place.loops and all(_is_never_taken(trace, source, line) for line in foreign))) and (
            i.guarded or _has_all_branches(trace, place, lines, merged)
        ):
            return True
    return False


def _is_reached_twice(trace: Trace, source: Source, place: Place, branch: If) -> bool:
    """Return whether lanes reach a side of a branch separately, from two tests of a && or ||, and never reconverge."""
    head = source.places.get(branch.header)
    end = branch.span.end_line, branch.span.end_column
    others = (other for other in source.places.values() if other.function.span == place.function.span)
    return (
        head is not None
        and any(reference.guards for reference in head.references)
        and not any((at.line, at.column) >= end for at in (step_span(other.node) for other in others))
        and not _masks(trace, step_span(place.node)) <= _masks(trace, branch.header)
    )


def _is_never_taken(trace: Trace, source: Source, line: int) -> bool:
    """Return whether no thread ever takes the branch of a line: then all execute the instructions after it."""
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
    return None if node is None else step_span(node)


def _lanes(trace: Trace, span: Span) -> set[int]:
    """Return the lanes that ever execute a statement."""
    return {lane for mask in _masks(trace, span) for lane in trace.masks[mask].tolist()}


def _has_all_branches(trace: Trace, place: Place, lines: Sequence[int], merged: Sequence[int]) -> bool:
    """Return whether every divergent branch is in the code, or all lanes make one of the accesses merged under it."""
    heads = [*(branch.header for branch, _ in place.branches), step_span(place.node)]
    return all(
        _within_any(branch.span, lines)
        or _masks(trace, then) <= _masks(trace, branch.header)
        or _on_both_sides(trace, branch, merged)
        for (branch, _), then in zip(place.branches, heads[1:], strict=True)
    )


def _on_both_sides(trace: Trace, branch: If, merged: Sequence[int]) -> bool:
    """Return whether all lanes at a branch make an access on its side each time, and no warp diverges there."""
    places = source_of(trace).places
    spans = {trace.statements[trace.sites[number].statement].span for number in merged}
    head = _steps(trace, branch.header)
    paths = [(set[int](), set[int]()) for _ in head]
    for place in (places[span] for span in spans if span in places):
        # For each execution of the branch, collect the lane sets that make the accesses on each side of it.
        for side in (side for other, side in place.branches if other.span == branch.span):
            steps = _steps(trace, step_span(place.node))
            # The latest execution of the branch before each step.
            time = np.searchsorted(head, steps, side="right") - 1
            for n, mask in set(zip(time.tolist(), trace.step_mask[steps].tolist(), strict=True)):
                paths[n][side].add(mask)
    masks = trace.step_mask[head].tolist()
    each = {(mask, *map(frozenset, sides)) for mask, sides in zip(masks, paths, strict=True)}
    return all(_splits_by_warp(trace, *one) for one in each)


def _splits_by_warp(trace: Trace, mask: int, one: frozenset[int], other: frozenset[int]) -> bool:
    """Return whether the lanes of a mask are those of two sets of masks, and no warp is in both sets."""
    here, there = (
        np.unique(np.concatenate([np.zeros(0, np.int64), *(trace.masks[m] for m in some)])) for some in (one, other)
    )
    shared = np.intersect1d(warps(trace, here), warps(trace, there))
    return np.array_equal(np.union1d(here, there), trace.masks[mask]) and not len(shared)


def _steps(trace: Trace, span: Span) -> NDArray[np.intp]:
    numbers = [number for number, statement in enumerate(trace.statements) if statement.span == span]
    return np.flatnonzero(np.isin(trace.step_statement, numbers))


def _masks(trace: Trace, span: Span) -> set[int]:
    """Return the numbers of the lane sets that execute a statement."""
    return set(trace.step_mask[_steps(trace, span)].tolist())


@dataclass(frozen=True, slots=True)
class _ExitPaths:
    """The statements at which threads may diverge, for all functions of a program."""

    exits: dict[Span, tuple[Span, ...]]
    """By function: the conditions of its returns, breaks and continues."""
    callers: dict[str, list[Place]]
    irregular: set[Span]
    """Functions with a `switch` or `goto`, which are not analysed."""
    cache: dict[Span, tuple[Span, ...]]

    def statements_around(self, place: Place) -> tuple[Span, ...]:
        """Return the statements that may skip a place: those around it, earlier exits, and the same of its callers."""
        at = step_span(place.node)
        if at not in self.cache:
            self.cache[at] = tuple(dict.fromkeys(self._around(place, set())))
        return self.cache[at]

    def _around(self, place: Place, seen: set[str]) -> Iterator[Span]:
        at = step_span(place.node)
        yield at
        yield from (branch.span for branch, _ in place.branches)
        yield from (loop.span for loop in place.loops)
        yield from (way for way in self.exits[place.function.span] if _before(way, at))
        name = place.function.name.rpartition("::")[2]
        if not place.function.kernel and name not in seen:
            seen.add(name)
            for caller in self.callers.get(name, ()):
                yield from self._around(caller, seen)


@lru_cache(maxsize=16)
def _exit_paths(source: Source) -> _ExitPaths:
    functions = {place.function.span: place.function for place in source.places.values()}
    exits = {span: tuple(way.span for way in _exits(f.body)) for span, f in functions.items()}
    callers: dict[str, list[Place]] = {}
    for place in source.places.values():
        for name in {call.function.rpartition("::")[2].removeprefix(".") for call in calls_in(place.node)}:
            callers.setdefault(name, []).append(place)
    irregular = {span for span, function in functions.items() if _has_irregular_flow(function.body)}
    return _ExitPaths(exits, callers, irregular, {})


def _exits(node: object) -> Iterator[If]:
    """Yield the conditions under which a thread leaves a function, a loop or an iteration."""
    if isinstance(node, If) and _has_exit(node):
        yield node
    for child in children(node):
        yield from _exits(child)


def _has_exit(node: object) -> bool:
    return isinstance(node, Return | Break | Continue) or any(_has_exit(child) for child in children(node))


def _has_irregular_flow(node: object) -> bool:
    return isinstance(node, Switch | Goto) or any(_has_irregular_flow(child) for child in children(node))


def _before(first: Span, second: Span) -> bool:
    return (first.line, first.column) < (second.line, second.column)


def _within(line: int, spans: Sequence[Span]) -> bool:
    return any(span.line <= line <= span.end_line for span in spans)


def _within_any(span: Span, lines: Sequence[int]) -> bool:
    return any(span.line <= line <= span.end_line for line in lines)
