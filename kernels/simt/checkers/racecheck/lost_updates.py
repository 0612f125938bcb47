"""Lost updates: unordered writes of values that are computed from the element that they are stored in.

Lanes that run in lockstep all read the old value, so all write the same new one: at `int p = (*count)++;` every thread
writes 1. That is not a harmless race of equal values: threads that run one after another write 1, 2, 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernels.frontend import ast
from kernels.frontend.ast.traversal import below

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from kernels.frontend.ast import Expr, Span
    from kernels.simt.checkers.racecheck.reports import Race
    from kernels.trace.records import Site


class Stores:
    """The expressions that `=` stores in memory, by the span of the target."""

    def __init__(self) -> None:
        self._values: dict[Span, tuple[Expr, Callable[[], list[Any]]]] = {}

    def add(self, target: Span, value: Expr, function: Callable[[], list[Any]]) -> None:
        """Add an assignment in a function; `function` returns all nodes of that."""
        self._values[target] = value, function

    def sources(self, target: Span) -> set[Span]:
        """Return the spans of all expressions that a stored value is computed from, also through variables.

        Compound assignments, `++` and `--` read the old value at the span that they write.
        """
        if target not in self._values:
            return {target}
        value, function = self._values[target]
        names = _values(function())
        spans: set[Span] = set()
        waiting, seen = [value], set[str]()
        for expression in waiting:  # grows meanwhile
            for node in below(expression):
                spans.add(node.span)
                # `int old = *p; *p = old + 1;`: the stored value comes from the element through a variable.
                if isinstance(node, ast.Name) and node.id not in seen:
                    seen.add(node.id)
                    waiting += names.get(node.id, ())
        return spans


def _values(function: Iterable[Any]) -> dict[str, list[Expr]]:
    """Return the expressions that the function assigns to each of its variables."""
    found: dict[str, list[Expr]] = {}
    for node in function:
        if isinstance(node, ast.Assign) and isinstance(node.target, ast.Name):
            found.setdefault(node.target.id, []).append(node.value)
        elif isinstance(node, ast.Declare):
            for variable in node.variables:
                values = variable.value if isinstance(variable.value, tuple) else (variable.value,)
                found.setdefault(variable.name, []).extend(one for one in values if one is not None)
    return found


def find_updates(races: Mapping[tuple[int, int], Race], sites: Iterable[tuple[int, Site]], stores: Stores) -> set[int]:
    """Return the places that write what they computed from an element that other threads write in between.

    Parameters
    ----------
    races : mapping
        The races of one array, by the two places.
    sites : iterable
        The sites of the array, each with its place.
    stores : Stores
        The expressions that are stored.
    """
    by_place: dict[int, list[Site]] = {}
    for place, site in sites:
        by_place.setdefault(place, []).append(site)
    result = set()
    for one, two in races:
        for read, write in ((one, two), (two, one)):
            if _access(by_place[read]) == "read" and _access(by_place[write]) == "write":
                reads = {site.span for site in by_place[read]}
                if any(reads & stores.sources(site.span) for site in by_place[write]):
                    result.add(write)
    return result


def _access(sites: Sequence[Site]) -> str:
    return sites[0].access
