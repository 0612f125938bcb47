"""Traversal of a tree: the children of a node, and all nodes below it."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from kernels.frontend.ast import declarations, expressions, statements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_PLAIN: Final = frozenset(
    {
        *("span", "header", "op", "id", "field", "function", "type", "name", "space", "const", "dynamic", "prefix"),
        *("first",),
    }
)
"""Fields that hold no nodes."""

_NODES: Final = frozenset(
    kind
    for module in (declarations, expressions, statements)
    for kind in vars(module).values()
    if "span" in getattr(kind, "__dataclass_fields__", ())
)
"""Classes of nodes: what has a place in the source."""


def children(node: object) -> Iterator[Any]:
    """Yield the child nodes of a node, in the order of the text."""
    return _nodes(_CHILDREN[type(node)](node))


def all_nodes(tree: object) -> Iterator[Any]:
    """Yield every node of a tree, this one first, in the order of the text."""
    yield tree
    for child in children(tree):
        yield from all_nodes(child)


def _nodes(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        kind = type(value)
        if kind in _NODES:
            yield value
        elif kind is tuple:
            yield from _nodes(value)


def below(node: Any) -> list[Any]:
    """Return a node and every node below it, in no particular order."""
    found = [node]
    for node in found:  # the list grows in the loop
        for value in _CHILDREN[type(node)](node):
            kind = type(value)
            if kind in _NODES:
                found.append(value)
            elif kind is tuple and value:
                found += [child for child in value if type(child) in _NODES]
    return found


def _children(kind: type) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that reads the fields of a class of node that may hold nodes."""
    names = [name for name in kind.__dataclass_fields__ if name not in _PLAIN]  # type: ignore[attr-defined]
    if len(names) > 1:
        return attrgetter(*names)
    if not names:
        return lambda node: ()
    get = attrgetter(*names)
    return lambda node: (get(node),)


_CHILDREN: Final = {kind: _children(kind) for kind in _NODES}
