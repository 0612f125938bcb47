"""Fragments of an executed `mma.sync`: lane, register and value of each element of its matrices.

The numbers of the registers are the operands of the asm statement; their values are those that the trace has for the
step, read as the instruction reads them: two halves in a register, the upper 19 bits of a tf32 number. The layout is
the one that the simulator executes (`kernels.analysis.values.matrix_products`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.analysis.syntax.evaluate import values
from kernels.analysis.syntax.source import place_of
from kernels.analysis.syntax.walk import qualified_name
from kernels.analysis.values.matrix_products import (
    PACKED,
    Holders,
    matrix_product,
    operand_expressions,
    product_holders,
)
from kernels.analysis.values.registers import Names, declared_register, last_assignment
from kernels.frontend import render
from kernels.frontend.ast import Assembly, Call
from kernels.launch import WARP_SIZE
from kernels.simt.machine.fragments import packed_numbers
from kernels.trace import element_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.analysis.syntax.source import Place
    from kernels.frontend.ast import Expr
    from kernels.trace import AccessGroup, Trace

_SAME_BITS: Final = ("__float_as_uint", "__float_as_int", "__uint_as_float", "__int_as_float")
"""Functions that give the bits of a register another type."""


@dataclass(frozen=True, slots=True, eq=False)
class Fragment:
    """A matrix whose elements are in registers of a warp; arrays are [rows, columns]."""

    holders: Holders
    """Lane and register of each element."""
    registers: tuple[str, ...]
    """Name of each register in the source: "a[0]"."""
    type: str
    """Type of the elements: "bf16"."""
    values: NDArray[np.generic]
    known: NDArray[np.bool_]
    """False for elements whose values the trace does not have."""

    def of_lane(self, lane: int) -> tuple[tuple[tuple[int, int], ...], ...]:
        """Return for each register of a lane the elements (row, column) in it."""
        own = [
            np.argwhere((self.holders.lane == lane) & (self.holders.register == n)) for n in range(len(self.registers))
        ]
        return tuple(tuple((int(row), int(column)) for row, column in at) for at in own)


@dataclass(frozen=True, slots=True, eq=False)
class Multiplication:
    """An `mma.sync` of one warp: sums = left x right + earlier sums."""

    left: Fragment
    """A, 16 rows."""
    right: Fragment
    """B, 8 columns."""
    before: Fragment
    """The earlier sums, 16 x 8."""
    after: Fragment
    """The results."""

    @property
    def matrices(self) -> tuple[Fragment, Fragment, Fragment]:
        """A, B and the results."""
        return self.left, self.right, self.after

    @property
    def depth(self) -> int:
        """Products in each sum: columns of A and rows of B."""
        return int(self.left.values.shape[1])

    @property
    def name(self) -> str:
        """Name of the instruction, with its shape and types."""
        types = f"{self.left.type} to {self.after.type}"
        return f"mma.sync m16n8k{self.depth}, {types}"


def multiplication(trace: Trace, step: int, lanes: NDArray[np.int32]) -> Multiplication | None:
    """Return the `mma.sync` that a warp with these lanes executes in a step; None for other steps.

    A warp of fewer than 32 threads, or one of which some lanes do not take part, executes none that is defined.
    """
    place = place_of(trace, step)
    if place is None or not isinstance(place.node, Assembly) or len(lanes) != WARP_SIZE:
        return None
    product = matrix_product(place.node)
    if product is None or not np.isin(lanes, trace.lanes(step)).all():
        return None
    contents = _Contents(trace, step, place, lanes)
    every, held = operand_expressions(place.node), product_holders(product)

    def fragment(numbers: tuple[int, ...], kind: str, holders: Holders, *, after: bool = False) -> Fragment:
        operands = [contents.words(every[number], after=after) for number in numbers]
        names = tuple(contents.name(every[number]) for number in numbers)
        numbers_in = _numbers(np.stack([words for words, _ in operands]), kind)
        known = np.stack([known for _, known in operands])[holders.register, holders.lane]
        found = numbers_in[holders.register, holders.lane, holders.part]
        return Fragment(holders, names, kind, found, known)

    return Multiplication(
        fragment(product.left, product.factor_type, held.left),
        fragment(product.right, product.factor_type, held.right),
        fragment(product.sums, product.sum_type, held.sums),
        fragment(product.results, product.sum_type, held.sums, after=True),
    )


def _numbers(words: NDArray[np.uint32], kind: str) -> NDArray[np.generic]:
    """Return the numbers in registers, [register, lane, number]."""
    return packed_numbers(words, kind).reshape(*words.shape, PACKED[kind])


@dataclass(frozen=True, slots=True)
class _Contents:
    """Contents of the operands of an asm statement in the lanes of a warp."""

    trace: Trace
    step: int
    place: Place
    lanes: NDArray[np.int32]

    def words(self, node: Expr, *, after: bool) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
        """Return the 32 bits of an operand in each lane, before or after the step, and which the trace has."""
        node = _plain(node)
        access = self._access(node)
        if access is not None:
            return self._in_array(access, self.step if after else self.step - 1)
        register = declared_register(self.trace, self.place, qualified_name(node)) if qualified_name(node) else None
        if register is not None:
            found = last_assignment(self.trace, register, self.step if after else self.step - 1, self.lanes)
            known = found.rows >= 0
            if bool(known.any()) or after:
                return _bits(found.values, known)
        other = values(node, Names.at(self.trace, self.step - 1, self.lanes, self.place))
        if other is None:
            return np.zeros(WARP_SIZE, np.uint32), np.zeros(WARP_SIZE, bool)
        return _bits(other, np.ones(WARP_SIZE, bool))

    def name(self, node: Expr) -> str:
        """Return the name of an operand: as written, or of the element of an array where all lanes use the same one."""
        access = self._access(_plain(node))
        if access is None or access.array.space != "local" or access.site.width > 1:
            return render(node)
        own = np.unique(access.index[np.isin(access.lanes, self.lanes)])
        return element_name(access.array, int(own[0])) if len(own) == 1 else render(node)

    def _access(self, node: Expr) -> AccessGroup | None:
        """Return the accesses to elements of an array that are this operand."""
        return next((group for group in self.trace.accesses(self.step) if group.site.span == node.span), None)

    def _in_array(self, access: AccessGroup, step: int) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
        trace, site, info = self.trace, access.site, access.array
        words, known = np.zeros(WARP_SIZE, np.uint32), np.zeros(WARP_SIZE, bool)
        if site.width * info.dtype.itemsize != words.itemsize:
            return words, known
        at = np.searchsorted(access.lanes, self.lanes)
        copies: dict[int, tuple[NDArray[np.generic], NDArray[np.bool_]]] = {}
        for lane, first in enumerate(access.index[at].tolist()):
            owner = {"local": int(self.lanes[lane]), "shared": int(self.lanes[lane]) // trace.launch.block.count}
            copy = owner.get(info.space, 0)
            if copy not in copies:
                copies[copy] = trace.contents(site.array, step, copy)
            every, written = (part.reshape(-1)[first : first + site.width] for part in copies[copy])
            if first >= 0 and len(every) == site.width and every.dtype.itemsize == info.dtype.itemsize:
                words[lane], known[lane] = np.ascontiguousarray(every).view(np.uint32)[0], bool(written.all())
        return words, known


def _plain(node: Expr) -> Expr:
    """Return an operand without functions that only change the type of its bits."""
    while isinstance(node, Call) and node.function in _SAME_BITS and len(node.arguments) == 1:
        node = node.arguments[0]
    return node


def _bits(column: NDArray[Any], known: NDArray[np.bool_]) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """Return numbers as the 32 bits of a register: of a literal those of a float."""
    if column.dtype.kind == "f":
        column = column.astype(np.float32)
    if column.dtype.itemsize == np.dtype(np.uint32).itemsize:
        return np.ascontiguousarray(column).view(np.uint32), known
    if column.dtype.kind in "iu":
        return (column.astype(np.int64) & 0xFFFFFFFF).astype(np.uint32), known
    return np.zeros(len(column), np.uint32), np.zeros(len(column), bool)
