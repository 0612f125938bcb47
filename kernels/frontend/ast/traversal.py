"""Traversal of a tree: a node and all nodes below it."""

from __future__ import annotations

from typing import Any, Final

_PLAIN: Final = frozenset(
    {
        *("span", "header", "op", "id", "field", "function", "type", "name", "space", "const", "dynamic", "prefix"),
        *("first",),
    }
)
"""Fields that hold no nodes."""

_PARTS: Final[dict[type, tuple[str, ...]]] = {}
"""By class of node: the other fields. It is filled as classes are met."""


def below(node: Any) -> list[Any]:
    """Return a node and every node below it, in no particular order."""
    found = [node]
    for node in found:  # which grows
        kind = type(node)
        parts = _PARTS.get(kind)
        if parts is None:
            parts = _PARTS[kind] = tuple(name for name in kind.__dataclass_fields__ if name not in _PLAIN)
        for name in parts:
            value = getattr(node, name)
            if type(value) is tuple:
                found += [child for child in value if hasattr(child, "span")]
            elif hasattr(value, "span"):
                found.append(value)
    return found
