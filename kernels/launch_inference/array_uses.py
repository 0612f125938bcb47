"""Uses of a kernel's arrays: their initial contents, the lengths of their rows, and indices that are data."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast, render
from kernels.frontend.types import Scalar

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from kernels.frontend.index_expressions import Indices
    from kernels.frontend.types import CType

NUMBERS: Final = "randint(1,9,1)"
"""Neither sorted nor distinct, so that a result shows which elements went into it, and a mistake in their order."""

_MOST_INDEX: Final = 8
_CODES: Final = range(10)
"""Small numbers with which elements are compared: `world[i] == 1`."""

_AFTER: Final = " + 1"
_MOST_UNCHOSEN: Final = 2
"""Length of an array by a size of the kernel, at most, in elements that indices choose."""

_BYTES: Final = 256
"""Values of a byte that is an index, as of a histogram."""


class ArrayUses:
    """The subscripts of each array of a kernel, and what follows from them."""

    def __init__(self, indices: Indices, arrays: Mapping[str, CType], body: str) -> None:
        self._indices, self._arrays, self._body = indices, arrays, body
        self._subscripts = [
            (render(node.base), node.index, indices.sources(node.index), id(node))
            for node in indices.nodes
            if isinstance(node, ast.Index)
        ]
        assignments = [node for node in indices.nodes if isinstance(node, ast.Assign | ast.Update)]
        self._stored = {id(node.target) for node in assignments if node.op == "="}
        self._counted = {id(node.target) for node in assignments if node.op != "="}
        conditions = (node.condition for node in indices.nodes if isinstance(node, ast.If))
        self.filters = any(indices.sources(condition) & arrays.keys() for condition in conditions)
        """Whether the data decides what is stored."""

    def fill(self, name: str, element: CType, least_size: int) -> str:
        """Return the contents of an array; `least_size` limits the numbers that are used as indices."""
        counted = self.choosers(name) and any(
            base == name and at in self._counted for base, _, _, at in self._subscripts
        )
        if counted or re.search(rf"\batomic\w+\s*\(\s*&?\s*{re.escape(name)}\b", self._body):
            return "zeros"
        if not isinstance(element, Scalar) or element.dtype.kind not in "iub":
            return NUMBERS
        if element.dtype.kind == "b":
            return "mod(2)"
        chosen = [at for _, _, sources, at in self._subscripts if name in sources]
        if self.has_bounds(name) or self._stored.intersection(chosen):
            return "iota"  # ascending, and each element once: rows have one element each, no two threads store to one
        if chosen:
            return f"randint(0,{max(1, min(_MOST_INDEX, least_size) - 1)},1)"
        equal = (node for node in self._indices.nodes if isinstance(node, ast.Binary) and node.op in ("==", "!="))
        found = (node.right for node in equal if name in self._indices.sources(node.left))
        codes = [int(n.value) for n in found if isinstance(n, ast.Number) and n.value in _CODES]
        return f"randint(0,{max(1, *codes)},1)" if codes else NUMBERS

    def has_bounds(self, name: str) -> bool:
        """Return whether an array holds n + 1 bounds of n parts: its elements i and i + 1, or 0 and i + 1, are read.

        A sort compares neighbours, too, and stores them.
        """
        if any(base == name and at in self._stored | self._counted for base, _, _, at in self._subscripts):
            return False
        kind, own = self._arrays[name], [index for base, index, _, _ in self._subscripts if base == name]
        simple = {render(index) for index in own if isinstance(index, ast.Name | ast.Member | ast.Number)}
        after = {text.removesuffix(_AFTER) for text in map(render, own) if text.endswith(_AFTER)}
        whole = isinstance(kind, Scalar) and kind.dtype.kind in "iu"
        return bool(after and "0" in simple) or (whole and bool(after & simple))

    def choosers(self, name: str) -> set[str]:
        """Return the arrays whose elements are indices of an array: a run accesses only some of its elements."""
        return {
            other for base, _, sources, _ in self._subscripts if base == name for other in sources & self._arrays.keys()
        }

    def length_by_choice(self, name: str, reach: int, sizes: Collection[int]) -> int:
        """Return the elements of an array with `choosers`: all that a byte can choose, or a size of the kernel.

        A size that is larger by far is that of other arrays: the rows of a matrix are fewer than its elements.
        """
        kinds = [self._arrays[chooser] for chooser in self.choosers(name)]
        if any(isinstance(kind, Scalar) and kind.size_bytes == 1 for kind in kinds):
            return max(reach, _BYTES)
        return min((size for size in sizes if reach <= size <= _MOST_UNCHOSEN * reach), default=reach)

    def row_lengths(self, name: str, sizes: Collection[str]) -> frozenset[str]:
        """Return the sizes by which an index of an array is multiplied; without any, of all arrays."""
        own = [render(index) for base, index, _, _ in self._subscripts if base == name]
        for texts in (own, map(render, self._products())):
            text = " ".join(texts)
            if found := frozenset(s for s in sizes if re.search(rf"\* {re.escape(s)}\b|\b{re.escape(s)} \*", text)):
                return found
        return frozenset()

    def _products(self) -> list[ast.Binary]:
        return [node for node in self._indices.nodes if isinstance(node, ast.Binary) and node.op == "*"]
