"""Traversal of a tree: a node and all nodes below it."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_PLAIN: Final = frozenset(
    {
        *("span", "header", "op", "id", "field", "function", "type", "name", "space", "const", "dynamic", "prefix"),
        *("first",),
    }
)
"""Fields that hold no nodes."""

_VALUES: Final[dict[type, Callable[[Any], tuple[Any, ...]]]] = {}
"""Functions that return the other fields, by class of node; filled on demand."""


def below(node: Any) -> list[Any]:
    """Return a node and every node below it, in no particular order."""
    found = [node]
    for node in found:  # the list grows in the loop
        kind = type(node)
        values = _VALUES.get(kind)
        if values is None:
            values = _VALUES[kind] = _getter(kind)
        for value in values(node):
            if type(value) is tuple:
                found += [child for child in value if hasattr(child, "span")]
            elif value is not None and hasattr(value, "span"):
                found.append(value)
    return found


def _getter(kind: type) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that returns the fields of a class of node that may hold nodes."""
    names = [name for name in kind.__dataclass_fields__ if name not in _PLAIN]  # type: ignore[attr-defined]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda node: tuple(getattr(node, name) for name in names)
