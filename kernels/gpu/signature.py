"""The parameters of a __global__ function, read from its source, so that arguments are bound by name.

Only the declaration is looked at: the body may use constructs that the simulator does not execute.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_SCALARS: Final = {
    "bool": "bool", "char": "int8", "int8_t": "int8", "unsigned char": "uint8", "uint8_t": "uint8",
    "short": "int16", "unsigned short": "uint16", "int": "int32", "int32_t": "int32", "unsigned": "uint32",
    "unsigned int": "uint32", "uint32_t": "uint32", "long long": "int64", "int64_t": "int64",
    "unsigned long long": "uint64", "uint64_t": "uint64", "size_t": "uint64", "float": "float32",
    "double": "float64",
}  # fmt: skip
"""NumPy's name of each C type; `long` is left out, for its size depends on the system."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: a pointer to, or one value of, `dtype`."""

    name: str
    dtype: np.dtype[np.generic]
    pointer: bool


@lru_cache(maxsize=64)
def parameters(text: str, file: str, entry: str) -> tuple[Parameter, ...]:
    """Return the parameters of the kernel `entry`, in order.

    Raises
    ------
    SourceError
        When there is no such kernel, or a parameter is neither a pointer nor a number.
    """
    import tree_sitter_cuda
    from tree_sitter import Language, Parser

    tree = Parser(Language(tree_sitter_cuda.language())).parse(text.encode())
    for declarator in _nodes(tree.root_node, "function_declarator"):
        name, owner = declarator.child_by_field_name("declarator"), declarator.parent
        if name is None or owner is None or owner.type != "function_definition" or _text(name) != entry:
            continue
        if any(child.type == "__global__" or _text(child) == "__global__" for child in owner.children):
            declared = _nodes(declarator, "parameter_declaration")
            return tuple(_parameter(node, file) for node in declared if _text(node) != "void")
    raise SourceError(file, 1, 1, f"has no __global__ function named {entry}")


def _parameter(node: Node, file: str) -> Parameter:
    kind, declarator = node.child_by_field_name("type"), node.child_by_field_name("declarator")
    names = list(_nodes(declarator, "identifier")) if declarator else []
    spelling = " ".join(re.sub(r"\bconst\b", " ", _text(kind) if kind else "").split())
    if len(names) != 1 or spelling not in _SCALARS:
        row, column = node.start_point
        reason = f"cannot pass '{_text(node)}': use a pointer to, or a value of, {', '.join(_SCALARS)}"
        raise SourceError(file, row + 1, column + 1, reason)
    pointer = declarator is not None and declarator.type in ("pointer_declarator", "array_declarator")
    return Parameter(_text(names[0]), np.dtype(_SCALARS[spelling]), pointer)


def _nodes(root: Node, kind: str) -> Iterator[Node]:
    """Every node of that kind at or below root, in source order, none inside another of the same kind."""
    if root.type == kind:
        yield root
        return
    for child in root.children:
        yield from _nodes(child, kind)


def _text(node: Node) -> str:
    return node.text.decode() if node.text is not None else ""
