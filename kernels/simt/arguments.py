"""Binds a kernel's parameters, and the file's variables, to what the caller gives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.errors import InputError
from kernels.simt.addresses import roaming
from kernels.simt.changes import assigned_names, is_changed
from kernels.simt.code import Code, Variable, constant
from kernels.simt.function_names import named
from kernels.simt.memory import Memory
from kernels.simt.structs import Leaf, leaves, unit
from kernels.simt.values import integer_range, is_float, uniform
from kernels.simt.variables import assign_to, new_variable
from kernels.source import nodes
from kernels.source.images import Image
from kernels.source.types import (
    BOOL,
    INT,
    SCALARS,
    Array,
    CType,
    FunctionPointer,
    Named,
    Pointer,
    Scalar,
    Struct,
    Void,
)
from kernels.trace.records import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import DTypeLike, NDArray

    from kernels.simt.code import Bundle, Element, Run
    from kernels.simt.context import Context
    from kernels.source.nodes import Function, Parameter
    from kernels.trace.records import Space

ADDRESS_ALIGNMENT: Final = 256
"""What cudaMalloc aligns to at least (CUDA C++ Programming Guide, "Device Memory Accesses")."""


_MOST_ROWS: Final = 64
"""Most arrays that a parameter which points to pointers is given."""

Rows = np.ndarray[Any, Any]

_WHOLE: Final = Leaf("", INT, 0)


@dataclass(frozen=True, slots=True)
class Unwritten:
    """An array argument that nothing has written yet: reading an element before writing it is a hazard."""

    dtype: DTypeLike
    shape: tuple[int, ...]


Argument = Value | str | np.ndarray[Any, Any] | Unwritten
"""A number, the name of a function (for a pointer to one), or an array."""


def bind(c: Context, function: Function, arguments: Mapping[str, Argument]) -> list[Run]:
    """Declare the parameters and give arrays their contents.

    Returns what sets the parameters that the kernel assigns to, for a group about to start.

    Raises
    ------
    InputError
        For an argument that is missing, unknown, or of the wrong type.
    """
    names = set(_parameters(function))
    variables = {v.name for v in c.program.variables if isinstance(c.find(v.name), Memory)}
    images = [v for v in c.program.variables if isinstance(v.type, Image)]
    for name in arguments:
        if name not in names | variables | {v.name for v in images}:
            known = ", ".join(_parameters(function)) or "none"
            raise InputError(f"{function.name} has no parameter '{name}': its parameters are {known}")
    for image in images:
        if image.name in arguments:
            kind = image.type
            assert isinstance(kind, Image)
            c.declare(image.name, _array(c, image, image.name, kind, arguments[image.name]))
    for name in sorted(variables & set(arguments)):
        memory = c.find(name)
        assert isinstance(memory, Memory)
        memory.load(_contents(memory, arguments[name]))
    changing = {f.name for f in c.program.functions if any(map(is_changed, f.parameters))}
    changing |= {t.name for t in c.program.templates if any(map(is_changed, t.signature))}
    assigned = set(assigned_names(c.frames[-1].nodes(), changing))
    starts: list[Run] = []
    for parameter in function.parameters:
        if isinstance(parameter.type, Struct):
            _bind_struct(c, parameter, parameter.type, arguments, starts)
            continue
        if parameter.name not in arguments:
            raise InputError(f"{function.name}: no value for parameter '{parameter.name}' ({parameter.type})")
        value = arguments[parameter.name]
        if isinstance(parameter.type, Pointer):
            pointer = _array(c, parameter, parameter.name, parameter.type, value)
            if parameter.name in assigned:
                variable = new_variable(c, parameter.name, parameter.type, parameter.span)
                starts.append(assign_to(c, variable, pointer, parameter.span))
            else:
                c.declare(parameter.name, pointer)
        elif isinstance(parameter.type, Scalar):
            number = _given(c, parameter.name, parameter.type, value)
            if parameter.name in assigned:
                variable = new_variable(c, parameter.name, parameter.type, parameter.span)
                starts.append(_quietly(c, variable, number, parameter))
            else:
                c.declare(parameter.name, number)
        else:
            raise c.unsupported(parameter.span, f"parameter of type {parameter.type}")
    return starts


def _quietly(c: Context, variable: Variable | Bundle | Element, number: Code, parameter: Parameter) -> Run:
    """Set a parameter before the first step: in a register this is not recorded."""
    if isinstance(variable, Variable):
        return _setter(variable.slot, number.constant)
    return assign_to(c, variable, number, parameter.span)


def _parameters(function: Function) -> list[str]:
    """Return the names that arguments go by: a struct is given member by member, as `p.x`."""
    return [
        parameter.name + leaf.path
        for parameter in function.parameters
        for leaf in (leaves(parameter.type) if isinstance(parameter.type, Struct) else (_WHOLE,))
    ]


def _bind_struct(
    c: Context, parameter: Parameter, kind: Struct, arguments: Mapping[str, Argument], starts: list[Run]
) -> None:
    """Give a struct parameter its members."""
    codes: list[Code] = []
    for leaf in leaves(kind):
        name = parameter.name + leaf.path
        if name not in arguments:
            raise InputError(f"no value for '{name}' ({leaf.type}), a member of parameter '{parameter.name}'")
        if isinstance(leaf.type, Pointer):
            codes.append(roaming(_array(c, parameter, name, leaf.type, arguments[name])))
        else:
            codes.append(_given(c, name, leaf.type, arguments[name]))
    value = tuple(code.constant for code in codes)
    variable = new_variable(c, parameter.name, kind, parameter.span)
    starts.append(assign_to(c, variable, Code(lambda group, mask: value, kind, value), parameter.span))


def _array(
    c: Context, parameter: Parameter | nodes.Variable, name: str, kind: Pointer, value: Argument
) -> Code:
    """Make an array of the grid out of an argument, and return the pointer to it."""
    kind = c.complete(kind)  # type: ignore[assignment]
    if isinstance(kind.to, Named):
        raise c.unsupported(parameter.span, f"parameter of type {kind}")
    if not isinstance(value, Unwritten | np.ndarray):
        raise InputError(f"parameter '{name}' is an array ({kind}): give an array, not {value!r}")
    if isinstance(kind.to, Pointer) and not isinstance(kind, Image):
        return _arrays(c, parameter, name, kind, value)
    given = np.dtype(value.dtype)
    target = kind.to
    if isinstance(target, Void) or isinstance(kind, Image):
        target = next(scalar for scalar in SCALARS.values() if scalar.dtype == given)
    element = unit(target.element if isinstance(target, Array) else target)
    if not _fits(given, element, target):
        raise InputError(
            f"parameter '{name}' points to {kind.to}: give an array of {element.dtype}, not of {value.dtype}"
        )
    count = math.prod(value.shape) * given.itemsize
    if count % target.size_bytes:
        raise InputError(
            f"parameter '{name}' points to {kind.to} ({target.size_bytes} bytes): {count} bytes are given; "
            f"give whole ones, as in u8[64,{target.size_bytes}]"
        )
    space: Space = "texture" if isinstance(kind, Image) else "global"
    address = -(-c.place(space, target) // ADDRESS_ALIGNMENT) * ADDRESS_ALIGNMENT
    shape = _shape(tuple(value.shape), given.itemsize, target)
    memory = c.array(name, space, target, parameter.span, shape, address=address, parameter=True)
    memory.const = kind.const
    memory.given = (given, tuple(value.shape))
    if isinstance(value, Unwritten):
        memory.clear()
    else:
        memory.load(np.ascontiguousarray(value).reshape(-1).view(memory.info.dtype))
    pointer = constant(0, kind)
    pointer.memory = memory
    return pointer


def _arrays(
    c: Context, parameter: Parameter | nodes.Variable, name: str, kind: Pointer, value: Unwritten | Rows
) -> Code:
    """Make an array of pointers, each to an array of its own: a row of the argument."""
    inner = kind.to
    assert isinstance(inner, Pointer)
    if len(value.shape) < 2 or value.shape[0] > _MOST_ROWS:
        raise InputError(
            f"parameter '{name}' points to pointers ({kind}): give a row for each, up to {_MOST_ROWS}, "
            f"as in f32[4,64], not {list(value.shape)}"
        )
    rows = [
        Unwritten(value.dtype, value.shape[1:]) if isinstance(value, Unwritten) else value[row]
        for row in range(value.shape[0])
    ]
    codes = [_array(c, parameter, f"{name}[{number}]", inner, row) for number, row in enumerate(rows)]
    address = -(-c.place("global", inner) // ADDRESS_ALIGNMENT) * ADDRESS_ALIGNMENT
    memory = c.array(name, "global", inner, parameter.span, (len(rows),), address=address, parameter=True)
    memory.const = kind.const
    memory.given = (np.dtype(np.int64), (len(rows),))
    memory.load(np.array([roaming(code).constant for code in codes], np.int64))
    pointer = constant(0, kind)
    pointer.memory = memory
    return pointer


def _fits(given: np.dtype[Any], element: Scalar, target: CType) -> bool:
    """Whether an array may stand for what a pointer points to: the same numbers, or their bits as integers.

    A struct may be given by its bytes in integers of any size; if its members are of several types, in any numbers.
    """
    if given == element.dtype:
        return True
    same_size = given.itemsize == element.size_bytes
    if isinstance(target, Scalar):
        return same_size and given.kind in "iu" and not is_float(target)
    mixed = len({leaf.scalar for leaf in leaves(target)}) > 1
    return same_size or given.kind in "iu" or mixed


def _shape(given: tuple[int, ...], itemsize: int, target: CType) -> tuple[int, ...]:
    """Return the shape of an array in what the pointer points to: whole structs, or arrays with their elements."""
    if isinstance(target, Scalar | Void | Named):
        return given
    whole = given[-1:] and given[-1] * itemsize == target.size_bytes
    outer = given[:-1] if whole else (math.prod(given) * itemsize // target.size_bytes,)
    return (*outer, *target.shape) if isinstance(target, Array) else outer


def _setter(slot: int, value: Any) -> Run:
    def run(group: Any, mask: Any) -> None:
        group.values[slot] = value

    return run


def _given(c: Context, name: str, kind: Scalar, value: Argument) -> Code:
    """Return the value of a parameter that is a number or a pointer to a function."""
    if isinstance(kind, FunctionPointer) and isinstance(value, str):
        found = named(c, nodes.Name(c.frames[-1].function.span, value), kind)
        if found is None:
            raise InputError(f"parameter '{name}' is a function ({kind}): there is no function '{value}'")
        return found
    return constant(_number(name, kind, value), kind, given=True)


def _number(name: str, kind: Scalar, value: Argument) -> Any:
    if isinstance(value, Unwritten | np.ndarray):
        raise InputError(f"parameter '{name}' is one {kind}, not an array")
    if isinstance(value, str) or (isinstance(kind, FunctionPointer) and value != 0):
        what = "a function: give its name" if isinstance(kind, FunctionPointer) else str(kind)
        raise InputError(f"parameter '{name}' is {what}, not {value}")
    if is_float(kind):
        return uniform(value, kind)
    least, most = (0, 1) if kind == BOOL else integer_range(kind)
    fits = least <= value <= most
    if not fits or int(value) != value:
        raise InputError(f"parameter '{name}' is {kind}: {value} does not fit")
    return uniform(value, kind)


def _contents(memory: Memory, value: Argument) -> NDArray[Any]:
    found = np.asarray(value)
    if isinstance(value, Unwritten) or found.size != memory.size:
        raise InputError(f"'{memory.info.name}' needs {memory.size} values of {memory.kind}")
    return found
