"""The way through a tree: every node below one, each once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_PLAIN: Final = frozenset(
    (
        "span",
        "header",
        "op",
        "id",
        "field",
        "function",
        "type",
        "name",
        "space",
        "const",
        "dynamic",
        "prefix",
        "first",
    )
)
"""Fields that hold no nodes."""

_PARTS: Final[dict[type, tuple[str, ...]]] = {}
"""By class of node: the other fields. It is filled as classes are met."""


def below(node: Any) -> Iterator[Any]:
    """Yield a node and every node below it, in no particular order."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        kind = type(node)
        if kind not in _PARTS:
            _PARTS[kind] = tuple(name for name in kind.__dataclass_fields__ if name not in _PLAIN)
        for name in _PARTS[kind]:
            value = getattr(node, name)
            if type(value) is tuple:
                waiting += [child for child in value if hasattr(child, "span")]
            elif hasattr(value, "span"):
                waiting.append(value)
