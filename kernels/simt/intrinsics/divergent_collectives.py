"""Warp functions called from divergent places, under independent thread scheduling.

A thread waits until all threads that its mask names, and that have not returned, have called the same function with the
same mask, at any place in the source (PTX ISA, "bar.warp.sync", "shfl.sync"; CUDA C++ Programming Guide, "Warp Shuffle
Functions"). Then their operands are combined to vectors of a whole warp, and the function is computed once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend import ast
from kernels.frontend.types import BOOL, INT, UINT, Pointer, Scalar, Struct
from kernels.launch import WARP_SIZE
from kernels.simt.compiler.compiled_values import Code, slot_reader
from kernels.simt.compiler.expressions.operators import convert
from kernels.simt.compiler.structs.layout import leaves
from kernels.simt.intrinsics.shuffles import shuffled_value
from kernels.simt.intrinsics.warp import ALL_LANES, Warps
from kernels.simt.machine.arithmetic import ndarray
from kernels.simt.machine.collectives import place_in_warp
from kernels.simt.machine.lanes import Group
from kernels.simt.machine.steps import Barrier, Collective, Step

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from numpy.typing import NDArray

    from kernels.frontend.ast import Call
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active

_SYNC: Final = "__syncwarp"
_VOTES: Final = ("__any_sync", "__all_sync", "__ballot_sync")


def allow_divergence(compile_call: Compile) -> Compile:
    """Return the compiler of a function with a mask: with a group for each thread, its lanes wait for each other."""

    def either(c: Context, node: Call) -> Code:
        return (
            _compile_collective(c, node, compile_call)
            if c.machine.assumptions.single_threads
            else compile_call(c, node)
        )

    return either


def _compile_collective(c: Context, node: Call, compile_call: Compile) -> Code:
    """Compile a call that waits as a step before the statement that contains it.

    Raises
    ------
    SourceError
        If no step can precede the statement, or an argument does not fit into a register.
    """
    caller = c.statement
    number = c.new_statement(node.span, "group-barrier" if node.function == _SYNC else "do")
    arguments = [_operand(c, node, position) for position in range(len(node.arguments))]
    c.statement = caller
    kinds = [_kinds(c, node, code) for code in arguments]
    # Operands of one call must be combinable: the same shuffle of an int and of a double are different calls.
    function = node.function, *(kind if isinstance(kind, tuple) else kind.itemsize for kind in kinds)
    if c.hoisted is None:
        raise c.unsupported(node.span, f"{node.function} of lanes that come from different places, here")
    slots, result = [c.slot() for _ in arguments], c.slot()
    with c.scope():
        names = []
        for position, (code, slot) in enumerate(zip(arguments, slots, strict=True)):
            names.append(ast.Name(node.span, f"({position})"))
            c.declare(names[-1].id, Code(slot_reader(slot), code.type, None, False))
        # The call itself is compiled as usual, with arguments that read the combined operands.
        inner = compile_call(c, replace(node, arguments=tuple(names)))
    begin, span, make = c.machine.recorder.step, node.span, inner.run
    warps = _WholeWarps(c)

    def perform(
        members: Sequence[Group], operands: Sequence[tuple[Value, ...]], alive: NDArray[np.bool_]
    ) -> list[Value]:
        joint, at = warps.of(members[0]), [warps.lane(group) for group in members]
        bits = np.zeros(joint.size, bool)
        bits[at] = True
        # The checks of the mask must not report lanes that have returned.
        joint.exited = ~alive[: joint.size]
        for position, (slot, kind) in enumerate(zip(slots, kinds, strict=True)):
            joint.values[slot] = _combine([each[position] for each in operands], at, kind, joint.size)
        # Divergence becomes a mask: the function sees a warp in which only the participants are active.
        found = make(joint, joint.narrow(None, bits))
        return [_of_lane(found, lane) for lane in at]

    def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
        begin(number, group, mask)
        values = tuple(_as_vector(code.run(group, mask), kind) for code, kind in zip(arguments, kinds, strict=True))
        # The first argument of every function with a mask is the mask.
        named = int(values[0][0]) if values else ALL_LANES
        yield Barrier(number, span, mask, collective=Collective(function, named, values, result, perform))
        return mask

    def value(group: Group, mask: Active) -> Value:
        found = group.values[result]
        own = inner.type.dtype if isinstance(inner.type, Scalar) else None
        return found.view(own) if own is not None and type(found) is ndarray else found

    # An expression cannot wait: the wait is a step before the statement, and the expression reads its result.
    c.hoisted.append(Step(None, wait))
    return Code(value, inner.type)


class _WholeWarps:
    """Groups of whole warps, in which the lanes of single-thread groups execute a warp function together."""

    def __init__(self, c: Context) -> None:
        self._context = c
        self._warps: dict[int, Group] = {}

    def of(self, member: Group) -> Group:
        """Return the warp that a thread belongs to."""
        threads = self._context.machine.launch.block.count
        warp, _ = place_in_warp(member, threads)
        if warp not in self._warps:
            block, first = divmod(int(member.lanes[0]), threads)
            first = block * threads + first // WARP_SIZE * WARP_SIZE
            lanes = np.arange(first, min(first + WARP_SIZE, (block + 1) * threads), dtype=np.int32)
            joint = Group(lanes, np.full(len(lanes), member.block[0]), {}, self._context.machine.slots)
            joint.warps = Warps(joint, threads)
            self._warps[warp] = joint
        return self._warps[warp]

    def lane(self, member: Group) -> int:
        """Return a thread's number in its warp."""
        return place_in_warp(member, self._context.machine.launch.block.count)[1]


def _operand(c: Context, node: Call, position: int) -> Code:
    """Compile an operand, converted to the type of its parameter: mask, condition of a vote, lane or width."""
    code, kind = c.compile(node.arguments[position]), None
    if position == 0:
        kind = UINT
    elif node.function in _VOTES:
        kind = BOOL
    elif node.function.startswith("__shfl"):
        if position == 1:
            return shuffled_value(c, node.arguments[1], code)[0]
        kind = INT
    return code if kind is None else convert(c, code, kind, node.span)


def _kinds(c: Context, node: Call, code: Code) -> tuple[np.dtype[Any], ...] | np.dtype[Any]:
    """Return the dtype of an argument; for a struct, those of its parts."""
    if isinstance(code.type, Scalar):
        return code.type.dtype
    parts = [leaf.type for leaf in leaves(code.type)] if isinstance(code.type, Struct) else [Pointer(code.type)]
    scalars = tuple(part.dtype for part in parts if isinstance(part, Scalar))
    if len(scalars) < len(parts):
        raise c.unsupported(node.span, f"{node.function} of lanes that come from different places, of {code.type}")
    return scalars


def _combine(values: Sequence[Value], at: Sequence[int], kind: Any, size: int) -> Value:
    """Return a vector of a warp from the values of single lanes at positions `at`."""
    if type(kind) is tuple:
        return tuple(_combine([value[part] for value in values], at, dtype, size) for part, dtype in enumerate(kind))
    whole = np.zeros(size, kind)
    whole[list(at)] = np.concatenate([value.view(kind) for value in values])
    return whole


def _as_vector(value: Value, kind: Any) -> Value:
    """Return one lane's value as a vector of length 1."""
    if type(kind) is tuple:
        return tuple(_as_vector(part, dtype) for part, dtype in zip(value, kind, strict=True))
    return np.asarray(value, kind).reshape(1)


def _of_lane(value: Value, lane: int) -> Value:
    """Return one lane's part of a value."""
    if type(value) is tuple:
        return tuple(_of_lane(part, lane) for part in value)
    return value[lane : lane + 1] if type(value) is ndarray else value
