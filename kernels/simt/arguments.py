"""Binds a kernel's parameters, and the file's variables, to what the caller gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.errors import InputError
from kernels.simt.context import constant
from kernels.simt.declarations import new_variable
from kernels.simt.memory import Memory
from kernels.simt.values import integer_range, is_float, uniform
from kernels.source import nodes
from kernels.source.types import BOOL, Pointer, Scalar
from kernels.trace.records import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import DTypeLike, NDArray

    from kernels.simt.context import Context, Run
    from kernels.source.nodes import Function, Parameter

ADDRESS_ALIGNMENT: Final = 256
"""What cudaMalloc aligns to at least (CUDA C++ Programming Guide, "Device Memory Accesses")."""


@dataclass(frozen=True, slots=True)
class Unwritten:
    """An array argument that nothing has written yet: reading an element before writing it is a hazard."""

    dtype: DTypeLike
    shape: tuple[int, ...]


Argument = Value | np.ndarray[Any, Any] | Unwritten


def bind(c: Context, function: Function, arguments: Mapping[str, Argument]) -> list[Run]:
    """Declare the parameters and give arrays their contents.

    Returns what sets the parameters that the kernel assigns to, for a group about to start.

    Raises
    ------
    InputError
        For an argument that is missing, unknown, or of the wrong type.
    """
    names = {parameter.name for parameter in function.parameters}
    variables = {v.name for v in c.program.variables if isinstance(c.find(v.name), Memory)}
    for name in arguments:
        if name not in names | variables:
            known = ", ".join(p.name for p in function.parameters) or "none"
            raise InputError(f"{function.name} has no parameter '{name}': its parameters are {known}")
    for name in sorted(variables & set(arguments)):
        memory = c.find(name)
        assert isinstance(memory, Memory)
        memory.load(_contents(memory, arguments[name]))
    assigned = set(_assigned_names(function.body))
    starts: list[Run] = []
    for parameter in function.parameters:
        if parameter.name not in arguments:
            raise InputError(f"{function.name}: no value for parameter '{parameter.name}' ({parameter.type})")
        value = arguments[parameter.name]
        if isinstance(parameter.type, Pointer):
            _bind_array(c, parameter, parameter.type, value, starts, parameter.name in assigned)
        elif isinstance(parameter.type, Scalar):
            number = _number(parameter, parameter.type, value)
            if parameter.name in assigned:
                variable = new_variable(c, parameter.name, parameter.type, parameter.span)
                starts.append(_setter(variable.slot, number))
            else:
                c.declare(parameter.name, constant(number, parameter.type))
        else:
            raise c.unsupported(parameter.span, f"parameter of type {parameter.type}")
    return starts


def _bind_array(
    c: Context, parameter: Parameter, kind: Pointer, value: Argument, starts: list[Run], assigned: bool
) -> None:
    if not isinstance(kind.to, Scalar):
        raise c.unsupported(parameter.span, f"parameter of type {kind}")
    if not isinstance(value, Unwritten | np.ndarray):
        raise InputError(f"parameter '{parameter.name}' is an array ({kind}): give an array, not {value!r}")
    if np.dtype(value.dtype) != kind.to.dtype:
        raise InputError(
            f"parameter '{parameter.name}' points to {kind.to}: "
            f"give an array of {kind.to.dtype}, not of {value.dtype}"
        )
    address = -(-c.place("global", kind.to) // ADDRESS_ALIGNMENT) * ADDRESS_ALIGNMENT
    memory = c.array(
        parameter.name, "global", kind.to, parameter.span, tuple(value.shape), address=address, parameter=True
    )
    memory.const = kind.const
    if isinstance(value, Unwritten):
        memory.clear()
    else:
        memory.load(value)
    pointer = constant(0, kind)
    pointer.memory = memory
    if not assigned:
        c.declare(parameter.name, pointer)
        return
    variable = new_variable(c, parameter.name, kind, parameter.span)
    variable.memory = memory
    starts.append(_setter(variable.slot, 0))


def _setter(slot: int, value: Any) -> Run:
    def run(group: Any, mask: Any) -> None:
        group.values[slot] = value

    return run


def _number(parameter: Parameter, kind: Scalar, value: Argument) -> Any:
    if isinstance(value, Unwritten | np.ndarray):
        raise InputError(f"parameter '{parameter.name}' is one {kind}, not an array")
    if is_float(kind):
        return uniform(value, kind)
    least, most = (0, 1) if kind == BOOL else integer_range(kind)
    fits = least <= value <= most
    if not fits or int(value) != value:
        raise InputError(f"parameter '{parameter.name}' is {kind}: {value} does not fit")
    return uniform(value, kind)


def _contents(memory: Memory, value: Argument) -> NDArray[Any]:
    found = np.asarray(value)
    if isinstance(value, Unwritten) or found.size != memory.size:
        raise InputError(f"'{memory.info.name}' needs {memory.size} values of {memory.kind}")
    return found


def _assigned_names(node: Any) -> Iterator[str]:
    """Names that are assigned to anywhere below a node."""
    if isinstance(node, nodes.Assign | nodes.Update) and isinstance(node.target, nodes.Name):
        yield node.target.id
    for field in getattr(node, "__dataclass_fields__", ()):
        value = getattr(node, field)
        for child in value if isinstance(value, tuple) else (value,):
            if hasattr(child, "span"):
                yield from _assigned_names(child)
