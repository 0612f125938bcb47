"""Elements of arrays: an index expression as a flat index and, where the source has them, row and column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis.syntax.evaluate import values, without_updates
from kernels.analysis.syntax.layouts import Layout, layout
from kernels.analysis.syntax.source import source_of
from kernels.analysis.syntax.walk import qualified_name
from kernels.frontend.ast import Binary, Cast, Expr, Name, Number, Span
from kernels.frontend.types import INT
from kernels.trace.members import members_of
from kernels.trace.records import widen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kernels.analysis.syntax.source import Place, Reference
    from kernels.analysis.values.registers import Names
    from kernels.trace import ArrayInfo, Trace

_NOWHERE: Final = Span(0, 0, 0, 0)


@dataclass(frozen=True, eq=False)
class Elements:
    """One element of an array per lane."""

    array: ArrayInfo
    flat: NDArray[np.int64]
    """Flat indices."""
    coordinates: tuple[NDArray[np.int64], ...]
    """One column per dimension; empty where the source has a flat index only."""
    inside: NDArray[np.bool_]
    """For each lane: True if all coordinates, or without them the flat index, are inside the array.

    A[0][3] of a 3×3 matrix is outside, although its flat index 3 is not.
    """

    def name(self, at: int) -> str:
        """Return `A[0][3]`, `A[7]` where only the flat index is known, or `p[4].y` in an array of structs."""
        *parts, field = (int(c[at]) for c in self.cells)
        path = self.array.struct.fields[field].path if self.array.struct is not None else f"[{field}]"
        return self.array.name + "".join(f"[{part}]" for part in parts) + path

    @property
    def cells(self) -> tuple[NDArray[np.int64], ...]:
        """Coordinates, or else the flat index; in arrays of structs followed by the number of the field."""
        members = members_of(self.array)
        if members is None:
            return self.coordinates or (self.flat,)
        outer, word = self.coordinates, np.zeros_like(self.flat)
        if not outer:
            outer, word = (self.flat // members.words,), self.flat % members.words
        elif members.words > 1:
            outer, word = outer[:-1], outer[-1]
        return (*outer, members.fields(word))

    def only(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> Elements:
        """Return the elements of some lanes."""
        return Elements(self.array, self.flat[rows], tuple(c[rows] for c in self.coordinates), self.inside[rows])

    def widen(self, width: int) -> Elements:
        """Return each element followed by the others of a wide access."""
        if width == 1 or not self.coordinates:
            return self if width == 1 else elements_at(self.array, widen(self.flat, width))
        *outer, last = self.coordinates
        columns = (*(np.repeat(c, width) for c in outer), widen(last, width))
        inside = np.repeat(self.inside, width) & (columns[-1] < self.array.shape[-1])
        return Elements(self.array, widen(self.flat, width), columns, inside)


def array_of(trace: Trace, reference: Reference) -> ArrayInfo | None:
    """Return the array of a reference, by the trace's sites or by its name; None where these do not determine it."""
    at = [trace.arrays[site.array] for site in trace.sites if site.span == reference.node.span]
    by_name = [array for array in at or trace.arrays if array.name == reference.base]
    return by_name[0] if by_name else at[0] if len({array.name for array in at}) == 1 else None


def elements_of_reference(trace: Trace, place: Place, reference: Reference, names: Names) -> Elements | None:
    """Evaluate the index of a reference for every lane of `names`, also for lanes that did not access it.

    None if the array is accessed through another pointer or one that is assigned to, or if the index depends on
    memory.
    """
    array = array_of(trace, reference)
    moves = (place.function.name, reference.base) in source_of(trace).reassigned
    if array is None or array.name != reference.base or moves:
        return None
    parts = coordinate_expressions(trace, place, reference, array)
    # Updates such as `i++` in the index count with the value that they had in the access, not after it.
    flat_index = () if parts else flat_expression(trace, place, reference, array)
    found = [values(without_updates(part), names) for part in parts or flat_index]
    if not found or any(c is None or c.dtype.kind not in "iu" for c in found):
        return None
    columns = tuple(np.asarray(c, np.int64) for c in found)
    if not parts:
        return elements_at(array, columns[0])
    flat = np.zeros_like(columns[0])
    inside = np.ones(len(flat), bool)
    for column, length in zip(columns, array.shape, strict=True):
        flat = flat * length + column
        inside &= (column >= 0) & (column < length)
    return Elements(array, flat, columns, inside)


def elements_at(array: ArrayInfo, flat: NDArray[np.int64]) -> Elements:
    """Return the elements of flat indices; with coordinates if all of them are inside the array."""
    inside = (flat >= 0) & (flat < array.size)
    known = bool(inside.all()) and len(flat)
    coordinates = tuple(c.astype(np.int64) for c in np.unravel_index(flat, array.shape)) if known else ()
    return Elements(array, flat, coordinates, inside)


def concatenate_elements(several: Sequence[Elements]) -> Elements:
    """Concatenate elements of one array; the result has coordinates if all parts have."""
    dimensions = min(len(elements.coordinates) for elements in several)
    return Elements(
        several[0].array,
        np.concatenate([elements.flat for elements in several]),
        tuple(np.concatenate([e.coordinates[n] for e in several]) for n in range(dimensions)),
        np.concatenate([elements.inside for elements in several]),
    )


def coordinate_expressions(trace: Trace, place: Place, reference: Reference, array: ArrayInfo) -> tuple[Expr, ...]:
    """Return one expression for each dimension of the array; () if the index cannot be split.

    Arrays of vectors and structs have their fields in the last dimension. A flat index of a matrix is a sum: addends
    with the number of columns as a factor are rows, the others are columns. The factor is a kernel parameter with that
    value, or the number itself in exactly one addend. With N columns, `row * N + col` is row `row` and column `col`.
    """
    steps = layout(trace, place, reference, array)
    if steps is not None and steps != Layout(1, 0):
        member = Number(_NOWHERE, steps.member, INT)
        whole = len(reference.indices) + 1 == len(array.shape) and array.shape[-1] == steps.scale
        return (*reference.indices, member) if whole else ()
    if len(reference.indices) == len(array.shape):
        return reference.indices
    if len(reference.indices) != 1 or len(array.shape) != 2:
        return ()
    width = array.shape[1]
    terms = _terms(trace, place, reference.indices[0])
    # Prefer the parameter: with N = 3 the 3 of `(3 * row) * N + col` is no width. A literal counts only if it is the
    # one factor of that value, as the 8 in `row * 8 + col`.
    by_parameter = [_without_width(t, width, trace, literal=False) for t in terms]
    rows = by_parameter
    if not any(row is not None for row in rows):
        rows = [_without_width(t, width, trace, literal=True) for t in terms]
        if sum(row is not None for row in rows) != 1:
            return ()
    row_terms = [row for row in rows if row is not None]
    column_terms = [term for term, row in zip(terms, rows, strict=True) if row is None]
    return _total(row_terms), _total(column_terms)


def flat_expression(trace: Trace, place: Place, reference: Reference, array: ArrayInfo) -> tuple[Expr, ...]:
    """Return (index in elements relative to the pointer,); () for an access with several indices."""
    steps = layout(trace, place, reference, array) or Layout(1, 0)
    if len(reference.indices) > 1:
        return ()
    index = reference.indices[0] if reference.indices else Number(_NOWHERE, 0, INT)
    scaled = index if steps.scale == 1 else Binary(_NOWHERE, "*", Number(_NOWHERE, steps.scale, INT), index)
    return (Binary(_NOWHERE, "+", scaled, Number(_NOWHERE, steps.member, INT)) if steps.member else scaled,)


Term = tuple[int, tuple[Expr, ...]]
"""An addend: its sign and factors."""


def _terms(trace: Trace, place: Place, node: Expr, sign: int = 1) -> list[Term]:
    if isinstance(node, Cast):
        return _terms(trace, place, node.operand, sign)
    if isinstance(node, Binary) and node.op in ("+", "-"):
        right = sign if node.op == "+" else -sign
        return _terms(trace, place, node.left, sign) + _terms(trace, place, node.right, right)
    if isinstance(node, Name):
        definition = source_of(trace).definitions.get((place.function.name, node.id))
        # `int base = row * N;  A[base + col]`: replace a constant variable by its value if that can contain the row.
        if definition is not None and _has_product(definition):
            return _terms(trace, place, definition, sign)
    return [(sign, tuple(_factors(node)))]


def _has_product(node: Expr) -> bool:
    """Return whether a sum has an addend that can select a row; `blockIdx.x * blockDim.x` cannot."""
    if isinstance(node, Binary) and node.op in ("+", "-"):
        return _has_product(node.left) or _has_product(node.right)
    return isinstance(node, Binary) and node.op == "*" and any(isinstance(f, Name) for f in _factors(node))


def _factors(node: Expr) -> list[Expr]:
    if isinstance(node, Binary) and node.op == "*":
        return _factors(node.left) + _factors(node.right)
    return [node]


def _without_width(term: Term, width: int, trace: Trace, *, literal: bool) -> Term | None:
    """Return a term without one factor equal to the width; None if it has no such factor."""
    sign, factors = term
    for at, factor in enumerate(factors):
        if literal:
            found = isinstance(factor, Number) and factor.value == width
        else:
            found = isinstance(factor, Name) and trace.scalars.get(qualified_name(factor)) == width
        if found:
            return sign, factors[:at] + factors[at + 1 :]
    return None


def _total(terms: list[Term]) -> Expr:
    """Return the sum of terms as an expression; 0 for none."""
    total: Expr | None = None
    for sign, factors in terms:
        product = _product(factors)
        if total is None:
            total = product if sign > 0 else Binary(product.span, "-", _zero(product), product)
        else:
            total = Binary(product.span, "+" if sign > 0 else "-", total, product)
    return total if total is not None else Number(_NOWHERE, 0, INT)


def _product(factors: tuple[Expr, ...]) -> Expr:
    total: Expr | None = None
    for factor in factors:
        total = factor if total is None else Binary(factor.span, "*", total, factor)
    return total if total is not None else Number(_NOWHERE, 1, INT)


def _zero(near: Expr) -> Number:
    return Number(near.span, 0, INT)
