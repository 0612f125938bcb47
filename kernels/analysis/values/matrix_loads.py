"""`ldmatrix` as executed: the row addresses, the lanes that give them, and the lanes to which the elements go.

An instruction loads one, two or four matrices of 8 x 8 numbers of 16 bits. Lane 8 m + r gives the address of row r of
matrix m, 16 bytes of shared memory; the row's elements go to four lanes, two to each, and with `.trans` the column's.

A swizzle is found in the source: an XOR in the expression of the address, or in that of a variable in it. Its numbers
are those of the trace, at the statement that has computed it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis.metrics.pattern_groups import LINE_BYTES
from kernels.analysis.syntax.evaluate import values
from kernels.analysis.syntax.source import place_of, source_of
from kernels.analysis.syntax.walk import names_in, qualified_name, rewrite
from kernels.analysis.values.matrix_products import Holders, holders, operand_expressions
from kernels.analysis.values.registers import Names, declared_register, last_assignment
from kernels.frontend import render
from kernels.frontend.ast import (
    Assembly,
    Assign,
    Binary,
    Call,
    Conditional,
    Declare,
    Do,
    Expr,
    Member,
    Name,
    Return,
)
from kernels.frontend.ast.traversal import all_nodes
from kernels.frontend.headers.bfloat16 import BF16
from kernels.frontend.types import Array
from kernels.launch import WARP_SIZE
from kernels.simt.machine.fragments import moved_slots

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.analysis.syntax.source import Place
    from kernels.trace import ArrayInfo, Trace

_LOAD: Final = re.compile(
    r"\s*ldmatrix\.sync\.aligned\.([\w.]+?)(?:\.shared(?:::cta)?)?\.b16\s*\{([^}]*)\}\s*,\s*\[\s*%(\d+)\s*\]\s*;?\s*"
)
_OPERAND: Final = re.compile(r"%(\d+)")

SIDE: Final = 8
"""Rows and columns of a matrix."""

ROW_BYTES: Final = 16

_DEPTH: Final = 4
"""Definitions of variables that are followed from the address to an XOR."""


@dataclass(frozen=True, slots=True, eq=False)
class Swizzle:
    """An XOR in the index of the rows; arrays have an entry for each row address, in the order of the lanes."""

    text: str
    """As the source writes it: "chunk ^ row % 8"."""
    left: NDArray[np.int64]
    right: NDArray[np.int64]

    @property
    def result(self) -> NDArray[np.int64]:
        """The XOR of the two."""
        return self.left ^ self.right

    @property
    def named(self) -> NDArray[np.int64] | None:
        """The place that the program names: the operand that all rows of a matrix have in common, if one alone is."""
        alike = [part for part in (self.left, self.right) if not np.ptp(part.reshape(-1, SIDE), axis=1).any()]
        return alike[0] if len(alike) == 1 else None

    def of_row(self, number: int) -> str:
        """Write the XOR with the numbers of one row: "1 ^ 5 = 4"."""
        return f"{self.left[number]} ^ {self.right[number]} = {self.result[number]}"


@dataclass(frozen=True, slots=True, eq=False)
class MatrixLoad:
    """An `ldmatrix` of one warp."""

    array: ArrayInfo
    """The array in shared memory."""
    transposed: bool
    registers: tuple[str, ...]
    """Name in the source of the register for each matrix."""
    elements: NDArray[np.int64]
    """[matrices, 8]: first element of the array in each row."""
    addresses: NDArray[np.int64]
    """[matrices, 8]: byte address of each row in shared memory."""
    holders: Holders
    """Lane and register to which each element goes; arrays are [matrices, 8, 8], as the rows lie in memory."""
    values: NDArray[np.generic]
    """[matrices, 8, 8]."""
    known: NDArray[np.bool_]
    """False for elements that are uninitialised or outside of the array, or whose type is not known."""
    swizzle: Swizzle | None

    @property
    def chunks(self) -> NDArray[np.int64]:
        """[matrices, 8]: place of each row in its line of 128 bytes, in 16 bytes, which four banks serve: 0 to 7."""
        return self.addresses % LINE_BYTES // ROW_BYTES

    @property
    def lines(self) -> NDArray[np.int64]:
        """[matrices, 8]: line of 128 bytes of each row, one word of each bank."""
        return self.addresses // LINE_BYTES

    @property
    def named_chunks(self) -> NDArray[np.int64] | None:
        """[matrices, 8]: the chunks before the swizzle, where it is what places the rows in their lines."""
        named = self.swizzle.named if self.swizzle is not None else None
        if self.swizzle is None or named is None or not np.array_equal(self.swizzle.result, self.chunks.reshape(-1)):
            return None
        return named.reshape(-1, SIDE)

    @property
    def matrices(self) -> int:
        """Number of matrices: 1, 2 or 4."""
        return len(self.elements)

    @property
    def name(self) -> str:
        """Name of the instruction, with the number of matrices."""
        return f"ldmatrix.x{self.matrices}{'.trans' if self.transposed else ''}"


def matrix_load(trace: Trace, step: int, lanes: NDArray[np.int32]) -> MatrixLoad | None:
    """Return the `ldmatrix` that a warp with these lanes executes in a step; None for other steps."""
    place = place_of(trace, step)
    if place is None or not isinstance(place.node, Assembly) or len(lanes) != WARP_SIZE:
        return None
    match = _LOAD.fullmatch(place.node.template)
    if match is None or not np.isin(lanes, trace.lanes(step)).all():
        return None
    every, numbers = operand_expressions(place.node), [int(number) for number in _OPERAND.findall(match[2])]
    givers = lanes[: SIDE * len(numbers)]
    access = next((group for group in trace.accesses(step) if group.array.space == "shared"), None)
    if access is None or access.site.width * access.array.dtype.itemsize != ROW_BYTES:
        return None
    if not np.isin(givers, access.lanes).all():
        return None
    info, transposed = access.array, "trans" in match[1].split(".")
    first = access.index[np.searchsorted(access.lanes, givers)]
    found, known = _halves(trace, step, access.site.array, first, int(lanes[0]) // trace.launch.block.count)
    if _is_bfloat(place, info.name):
        found = (found.view(np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)
    shape = len(numbers), SIDE, SIDE
    return MatrixLoad(
        info,
        transposed,
        tuple(render(every[number]) for number in numbers),
        first.reshape(-1, SIDE),
        (info.address + first * info.dtype.itemsize).reshape(-1, SIDE),
        _targets(len(numbers), transposed=transposed),
        found.reshape(shape),
        known.reshape(shape),
        _swizzle(trace, step - 1, place, every[int(match[3])], givers, _DEPTH),
    )


def _targets(count: int, *, transposed: bool) -> Holders:
    """Return the holder of each element of the matrices in memory."""
    elements = np.arange(count * SIDE * SIDE).reshape(1, count, SIDE, SIDE)
    slots = np.empty(count * SIDE * SIDE, np.int64)
    slots[moved_slots(elements, transposed=transposed).reshape(-1)] = np.arange(len(slots))
    return holders(slots.reshape(count, SIDE, SIDE), 2)


def _halves(
    trace: Trace, step: int, array: int, first: NDArray[np.int64], block: int
) -> tuple[NDArray[np.generic], NDArray[np.bool_]]:
    """Return the eight numbers in each row of 16 bytes, where the array's elements are numbers of 16 bits."""
    info, nothing = trace.arrays[array], np.zeros((len(first), SIDE), bool)
    if info.dtype.itemsize * SIDE != ROW_BYTES:
        return np.zeros((len(first), SIDE), np.float32), nothing
    contents, written = trace.contents(array, step - 1, block)
    index = first[:, None] + np.arange(SIDE)
    inside = (index >= 0) & (index < info.size)
    at = np.where(inside, index, 0)
    found, known = contents.reshape(-1)[at], written.reshape(-1)[at] & inside
    return found, known


def _is_bfloat(place: Place, name: str) -> bool:
    """Return whether a visible array has elements of bfloat16, which the trace has as bits."""
    kind = getattr(place.visible.get(name), "type", None)
    while isinstance(kind, Array):
        kind = kind.of
    return kind is BF16


def _swizzle(trace: Trace, step: int, place: Place, node: Expr, lanes: NDArray[np.int32], depth: int) -> Swizzle | None:
    """Return the first XOR in an expression, or in what its variables were assigned, that differs from row to row.

    Its numbers are those after `step`. An expression with a condition is left alone: it may not have used the XOR.
    """
    node = _inlined(trace, node)
    parts = list(all_nodes(node))
    if any(isinstance(part, Conditional) for part in parts):
        return None
    names = Names.at(trace, step, lanes, place)
    for part in parts:
        if isinstance(part, Binary) and part.op == "^":
            left, right = values(part.left, names), values(part.right, names)
            if left is not None and right is not None and (np.ptp(left) or np.ptp(right)):
                return Swizzle(render(part), left.astype(np.int64), right.astype(np.int64))
    if not depth:
        return None
    used = dict.fromkeys(qualified_name(part) for part in parts if isinstance(part, Name | Member))
    for name in filter(None, used):
        if (found := _in_definition(trace, step, place, name, lanes, depth - 1)) is not None:
            return found
    return None


def _in_definition(
    trace: Trace, step: int, place: Place, name: str, lanes: NDArray[np.int32], depth: int
) -> Swizzle | None:
    """Look in the last assignment of a variable, where it is the same one for all lanes."""
    register = declared_register(trace, place, name)
    if register is None:
        return None
    rows = np.unique(last_assignment(trace, register, step, lanes).rows)
    if len(rows) != 1 or rows[0] < 0:
        return None
    at = int(trace.set_step[rows[0]])
    there = place_of(trace, at)
    if there is None or there.function is not place.function:
        return None
    match there.node:
        case Declare():  # the variables before this one have their values after the step
            own = [variable.value for variable in there.node.variables if variable.name == name]
            if len(own) == 1 and isinstance(own[0], Expr):
                return _swizzle(trace, at, there, own[0], lanes, depth)
        case Do(expression=Assign(op="=", target=Name(id=target), value=value)) if target == name:
            return _swizzle(trace, at - 1, there, value, lanes, depth)
    return None


def _inlined(trace: Trace, node: Expr) -> Expr:
    """Replace calls of functions that only return an expression of their parameters, such as `place(row, chunk)`."""

    def change(part: Expr) -> Expr | None:
        if not isinstance(part, Call):
            return None
        found = [function for function in source_of(trace).program.functions if function.name == part.function]
        body = found[0].body.body if len(found) == 1 else ()
        if len(body) != 1 or not isinstance(body[0], Return) or body[0].value is None:
            return None
        arguments = (_inlined(trace, argument) for argument in part.arguments)
        by_name = dict(zip(found[0].parameter_names, arguments, strict=False))
        if not set(names_in(body[0].value)) <= by_name.keys():
            return None
        return rewrite(body[0].value, lambda name: by_name.get(name.id) if isinstance(name, Name) else None)

    return rewrite(node, change)
