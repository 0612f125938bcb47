"""Arrays of the grid, built from the caller's arguments."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.errors import InputError
from kernels.frontend.headers.bfloat16 import BF16
from kernels.frontend.headers.textures import Image
from kernels.frontend.types import SCALARS, Array, CType, Named, Pointer, Scalar, Struct, Void
from kernels.ranges import check
from kernels.simt.binding.partial_arguments import assemble, contains_pointers, element_count
from kernels.simt.binding.textures import Sampler, Texture, TextureMemory
from kernels.simt.compiler.compiled_values import Code, constant
from kernels.simt.compiler.expressions.addresses import NULL, as_address
from kernels.simt.compiler.structs.layout import element_type, leaves
from kernels.simt.machine.arithmetic import is_float
from kernels.simt.machine.memory import Memory
from kernels.tensor_map import TensorMap
from kernels.trace.records import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import DTypeLike, NDArray

    from kernels.frontend import ast
    from kernels.frontend.ast import Function, Parameter
    from kernels.simt.compiler.context import Context
    from kernels.trace.records import Space

ADDRESS_ALIGNMENT: Final = 256
"""Minimum alignment of cudaMalloc (CUDA C++ Programming Guide, "Device Memory Accesses")."""

_MOST_ROWS: Final = 64
"""Maximum number of arrays of a parameter that points to pointers."""

Rows = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Unwritten:
    """An uninitialised array argument, as after cudaMalloc: reading an element before writing it is a hazard."""

    dtype: DTypeLike
    shape: tuple[int, ...]


Argument = Value | str | np.ndarray[Any, Any] | Unwritten | Texture | TensorMap
"""A number, the name of a function (for a function pointer), an array, or a texture."""


def is_part(name: str, function: Function, c: Context) -> bool:
    """Return whether an argument is a part of an array of structs, or of values with pointers, as `p[0].x`."""
    if name.isidentifier():
        return False
    owners = [(p.name, c.complete(p.type)) for p in function.parameters]
    owners += [(v.name, Pointer(_element(v.type))) for v in c.program.variables]
    return any(
        name.startswith((f"{owner}[", f"{owner}."))
        and isinstance(kind, Pointer)
        and (contains_pointers(kind.to) or isinstance(kind.to, Array | Struct))
        for owner, kind in owners
    )


def grid_array(c: Context, parameter: Parameter | ast.Variable, name: str, kind: Pointer, value: Argument) -> Code:
    """Create an array of the grid from an argument, and return the pointer to it."""
    kind = c.complete(kind)  # type: ignore[assignment]
    if isinstance(kind.to, Named):
        raise c.undefined(parameter.span, kind.to)
    sampler = Sampler()
    if isinstance(value, Texture):
        if not isinstance(kind, Image) or not kind.const:
            raise InputError(f"'{name}' is no texture ({kind}): leave out how it is sampled")
        sampler = value.sampler
        value = value.pixels
    if not isinstance(value, Unwritten | np.ndarray | str) and value == 0 and not isinstance(kind, Image):
        return constant(NULL, kind)
    if not isinstance(value, Unwritten | np.ndarray):
        raise InputError(f"parameter '{name}' is an array ({kind}): give an array, not {value!r}")
    # `float **p`: the elements are addresses, so each row becomes an array of the grid.
    if isinstance(kind.to, Pointer) and not isinstance(kind, Image):
        return _arrays(c, parameter, name, kind, value)
    dtype = np.dtype(value.dtype)
    target = kind.to
    # A void pointer and a texture have no element type: that of the argument is used.
    if isinstance(target, Void) or isinstance(kind, Image):
        target = next(scalar for scalar in SCALARS.values() if scalar.dtype == dtype)
    element = element_type(target.element if isinstance(target, Array) else target)
    if not _fits(dtype, element, target):
        raise InputError(
            f"parameter '{name}' points to {kind.to}: give an array of {element.dtype}, not of {value.dtype}"
        )
    count = math.prod(value.shape) * dtype.itemsize
    if count % target.size_bytes:
        raise InputError(
            f"parameter '{name}' points to {kind.to} ({target.size_bytes} bytes): {count} bytes are given; "
            f"give whole ones, as in u8[64,{target.size_bytes}]"
        )
    space: Space = "texture" if isinstance(kind, Image) else "global"
    # Arrays have addresses as if cudaMalloc had returned them in this order; alignment tests and sectors depend
    # on them.
    address = -(-c.place(space, target) // ADDRESS_ALIGNMENT) * ADDRESS_ALIGNMENT
    shape = _shape(tuple(value.shape), dtype.itemsize, target)
    memory = c.array(
        name,
        space,
        target,
        parameter.span,
        shape,
        address=address,
        parameter=True,
        kept_as=TextureMemory if space == "texture" else Memory,
    )
    memory.const = kind.const
    if isinstance(memory, TextureMemory):
        memory.sampler = sampler
    memory.argument_type = (dtype, tuple(value.shape))
    if isinstance(value, Unwritten):
        memory.clear()
    else:
        memory.load(np.ascontiguousarray(value).reshape(-1).view(memory.info.dtype))
    pointer = constant(0, kind)
    pointer.memory = memory
    return pointer


def _arrays(c: Context, parameter: Parameter | ast.Variable, name: str, kind: Pointer, value: Unwritten | Rows) -> Code:
    """Create an array of pointers, each to a separate array: a row of the argument."""
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
    codes = [grid_array(c, parameter, f"{name}[{number}]", inner, row) for number, row in enumerate(rows)]
    return _pointers(c, parameter, name, kind, np.array([as_address(code).constant for code in codes], np.int64))


def _pointers(
    c: Context, parameter: Parameter | ast.Variable, name: str, kind: Pointer, addresses: NDArray[np.int64]
) -> Code:
    """Create an array of pointers from addresses."""
    assert isinstance(kind.to, Pointer)
    address = -(-c.place("global", kind.to) // ADDRESS_ALIGNMENT) * ADDRESS_ALIGNMENT
    memory = c.array(name, "global", kind.to, parameter.span, addresses.shape, address=address, parameter=True)
    memory.const = kind.const
    memory.argument_type = (addresses.dtype, addresses.shape)
    memory.load(addresses)
    pointer = constant(0, kind)
    pointer.memory = memory
    return pointer


def from_parts(c: Context, parameter: Parameter, count: int, arguments: Mapping[str, Argument]) -> Code:
    """Create an array of pointers, or of structs with pointers, from arguments for its elements."""
    name, kind = parameter.name, c.complete(parameter.type)
    assert isinstance(kind, Pointer)
    found = assemble(name, kind.to, count, arguments, lambda *part: grid_array(c, parameter, *part))
    if isinstance(kind.to, Pointer):
        return _pointers(c, parameter, name, kind, found.view(np.int64)[:, 0])
    return grid_array(c, parameter, name, kind, found)


def _element(kind: CType) -> CType:
    return kind.element if isinstance(kind, Array) else kind


def fill(c: Context, name: str, memory: Memory, arguments: Mapping[str, Argument]) -> None:
    """Set the contents of a variable of the file; each pointer points to a separate array, a row of the argument."""
    kind = c.complete(_element(memory.declared))
    parts = element_count(name, kind, arguments)
    variable = next((v for v in c.program.variables if v.name == name), None)
    if variable is not None and (contains_pointers(kind) or parts):
        whole = arguments.get(name)
        if isinstance(kind, Pointer) and isinstance(whole, np.ndarray):
            rows = whole if isinstance(memory.declared, Array) else whole[None]
            arguments, parts = {f"{name}[{i}]": row for i, row in enumerate(rows)}, len(rows)
        if parts:
            found = assemble(name, kind, parts, arguments, lambda *part: grid_array(c, variable, *part))
            if found.nbytes != memory.size * memory.kind.size_bytes:
                raise InputError(f"'{name}' is {memory.declared}: {parts} of {kind} are given")
            memory.load(found.reshape(-1).view(memory.info.dtype))
    elif name in arguments:
        memory.load(_contents(memory, arguments[name]))


def _fits(dtype: np.dtype[Any], element: Scalar, target: CType) -> bool:
    """Return whether the type of an argument is allowed for the target of a pointer.

    Allowed are the same type, and integers of the same size, as bits. A struct may also be given as bytes in integers
    of any size or, if its members have several types, in any numbers.
    """
    if dtype == element.dtype:
        return True
    same_size = dtype.itemsize == element.size_bytes
    if isinstance(target, Scalar):
        return same_size and dtype.kind in "iu" and not is_float(target)
    mixed = len({leaf.scalar for leaf in leaves(target)}) > 1
    return same_size or dtype.kind in "iu" or mixed


def _shape(shape: tuple[int, ...], itemsize: int, target: CType) -> tuple[int, ...]:
    """Return the shape of an array in units of the target of the pointer: structs, or arrays with their elements."""
    if isinstance(target, Scalar | Void | Named) or target == BF16:
        return shape
    whole = shape[-1:] and shape[-1] * itemsize == target.size_bytes
    outer = shape[:-1] if whole else (math.prod(shape) * itemsize // target.size_bytes,)
    return (*outer, *target.shape) if isinstance(target, Array) else outer


def _contents(memory: Memory, value: Argument) -> NDArray[Any]:
    found = np.asarray(value)
    if isinstance(value, Unwritten | Texture | str) or found.size != memory.size:
        raise InputError(f"'{memory.info.name}' needs {memory.size} values of {memory.kind}")
    check(memory.info.name, value, memory.info.dtype, memory.kind)
    return found
