"""Atomic functions: the values that they store, and the types that they accept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.headers.bfloat16 import BF16, BF162
from kernels.frontend.types import (
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    LONG,
    UINT,
    ULONG,
    USHORT,
    VECTORS,
    Pointer,
    Scalar,
    Struct,
)
from kernels.number_types import bfloat_to_double, round_to_bfloat
from kernels.simt.compiler.compiled_values import Code, Element
from kernels.simt.compiler.expressions.addresses import pointee
from kernels.simt.compiler.expressions.load_store import exchanger
from kernels.simt.compiler.expressions.operators import convert
from kernels.simt.compiler.structs.member_bounds import check_members

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Call
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group

    Combine = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class _Packed:
    """Layout of a vector in the word that `atomicAdd` changes; each member is added to separately."""

    word: Scalar
    """Type of the word."""
    part: str
    """NumPy's type of a member."""
    bfloat16: bool = False
    """True if members are the bits of bfloat16."""

    def pack(self, value: Any, size: int) -> Any:
        """Return the words of a struct's value, one for each lane."""
        parts = [np.broadcast_to(np.asarray(part, self.part), (size,)) for part in value]
        return np.ascontiguousarray(np.stack(parts, axis=1)).view(self.word.dtype)[:, 0]

    def unpack(self, words: Any) -> tuple[Any, ...]:
        """Return the value of a struct from its words."""
        parts = self._parts(words)
        return tuple(np.ascontiguousarray(parts[:, n]) for n in range(parts.shape[1]))

    def add(self, old: Any, value: Any) -> Any:
        """Return the sums of the members of words."""
        a, b = self._parts(old), self._parts(value)
        total = np.asarray(round_to_bfloat(bfloat_to_double(a) + bfloat_to_double(b))) if self.bfloat16 else a + b
        return np.ascontiguousarray(total.astype(self.part)).view(self.word.dtype)[:, 0]

    def _parts(self, words: Any) -> Any:
        return np.ascontiguousarray(words)[:, None].view(self.part)


_PACKED: Final[dict[str, _Packed]] = {
    VECTORS["half2"].name: _Packed(UINT, "float16"),
    VECTORS["float2"].name: _Packed(ULONG, "float32"),
    BF16.name: _Packed(USHORT, "uint16", bfloat16=True),
    BF162.name: _Packed(UINT, "uint16", bfloat16=True),
}


def _packed_layout(kind: Struct) -> _Packed | None:
    """Return the layout of a vector in the word that atomicAdd changes; None for a vector that it does not accept."""
    return _PACKED.get(kind.name) if kind in (BF16, BF162, VECTORS.get(kind.name)) else None


_WHOLE: Final = (INT, UINT, ULONG)


def compare_and_swap(old: Any, compare: Any, value: Any) -> Any:
    """Return the value in memory after a compare-and-swap."""
    return np.where(old == compare, value, old)


def _count_up(old: Any, most: Any) -> Any:
    return np.where(old >= most, np.zeros_like(old), old + np.ones_like(old))


def _count_down(old: Any, most: Any) -> Any:
    return np.where((old == 0) | (old > most), most, old - np.ones_like(old))


FUNCTIONS: Final[dict[str, tuple[tuple[Scalar, ...], int, Combine]]] = {
    "atomicAdd": ((*_WHOLE, FLOAT, DOUBLE, HALF), 1, np.add),
    "atomicSub": ((INT, UINT), 1, np.subtract),
    "atomicMin": ((*_WHOLE, LONG), 1, np.minimum),
    "atomicMax": ((*_WHOLE, LONG), 1, np.maximum),
    "atomicExch": ((*_WHOLE, FLOAT), 1, lambda old, value: value),
    "atomicAnd": ((*_WHOLE, LONG), 1, np.bitwise_and),
    "atomicOr": ((*_WHOLE, LONG), 1, np.bitwise_or),
    "atomicXor": ((*_WHOLE, LONG), 1, np.bitwise_xor),
    "atomicInc": ((UINT,), 1, _count_up),
    "atomicDec": ((UINT,), 1, _count_down),
    "atomicCAS": ((*_WHOLE, USHORT), 2, compare_and_swap),
}
"""Name: types (CUDA C++ Programming Guide, "Atomic Functions"), operands after the address, the new value."""

_ADVICE: Final = {
    str(LONG): "make the array unsigned long long",
    str(FLOAT): "see the array as int, and its values with __float_as_int, in a loop around atomicCAS",
    str(DOUBLE): "see the array as unsigned long long, and its values with __double_as_longlong, in a loop "
    "around atomicCAS",
}


def _compile(name: str, scope: str) -> Compile:
    kinds, count, combine = FUNCTIONS[name]

    def compile_call(c: Context, node: Call) -> Code:
        if len(node.arguments) != count + 1:
            raise c.refuse(node.span, f"{node.function} takes {count + 1} arguments, {len(node.arguments)} are given")
        code = c.compile(node.arguments[0])
        kind = pointee(code.type)
        if kind is None:
            raise c.refuse(node.span, f"{node.function} needs the address of an array element, not {code.type}")
        read_only = (isinstance(code.type, Pointer) and code.type.const) or (
            code.memory is not None and code.memory.info.space not in ("global", "shared")
        )
        if read_only or (code.memory is not None and code.memory.const):
            raise c.refuse(node.span, f"{node.function} works on global and shared memory that is not const")
        if name == "atomicAdd" and isinstance(kind, Struct):
            vector = _packed_layout(kind)
            if vector is not None:
                return _add_to(c, node, code, kind, vector, scope)
        if not isinstance(kind, Scalar) or kind not in kinds:
            instead = _ADVICE.get(str(kind), f"it takes {', '.join(map(str, kinds))}")
            raise c.refuse(node.span, f"{node.function} does not take {kind}; {instead}")
        values = [convert(c, c.compile(a), kind, node.span).run for a in node.arguments[1:]]
        element = check_members(c, Element(code.memory, code, kind, node.span, False, code.index.members), "atomic")
        offset = element.offset.run
        sites = len(c.machine.sites)
        exchange = exchanger(c, element, combine)
        new_sites = range(sites, len(c.machine.sites))
        if scope == "_block":
            c.racecheck.atomics.block_scope.update(new_sites)
        # atomicCAS may take a lock; with relaxed order, which CUDA's atomic functions have, it acquires at the next
        # fence only (CUDA C++ Programming Guide, "Atomic Functions": they do not act as memory fences).
        if combine is compare_and_swap:
            c.racecheck.atomics.compare_and_swap.update(new_sites)
            c.racecheck.atomics.locks.update(new_sites)

        def run(group: Group, mask: Active) -> Value:
            index = offset(group, mask)
            return exchange(group, mask, index, tuple([value(group, mask) for value in values]))

        return Code(run, kind, None, False)

    return compile_call


def _add_to(c: Context, node: Call, code: Code, kind: Struct, vector: _Packed, scope: str) -> Code:
    """Compile `atomicAdd` of a vector."""
    value = convert(c, c.compile(node.arguments[1]), kind, node.span).run
    element = check_members(c, Element(code.memory, code, kind, node.span, False, code.index.members), "atomic")
    offset, sites = element.offset.run, len(c.machine.sites)
    exchange = exchanger(c, replace(element, kind=vector.word), vector.add)
    if scope == "_block":
        c.racecheck.atomics.block_scope.update(range(sites, len(c.machine.sites)))

    def run(group: Group, mask: Active) -> Value:
        index = offset(group, mask)
        found = exchange(group, mask, index, (vector.pack(value(group, mask), group.size),))
        return vector.unpack(np.broadcast_to(np.asarray(found, vector.word.dtype), (group.size,)))

    return Code(run, kind, None, False)


ATOMICS: Final[dict[str, Compile]] = {
    f"{name}{scope}": _compile(name, scope) for name in FUNCTIONS for scope in ("", "_block", "_system")
}
"""By name. All scopes store the same; they differ for racecheck, in the threads for which they are atomic."""
