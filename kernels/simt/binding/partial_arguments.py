"""Arguments in several parts: arrays of pointers, and of structs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.errors import InputError
from kernels.frontend.types import Array, FunctionPointer, Pointer, Scalar, Struct, size_of
from kernels.ranges import check
from kernels.simt.binding.members import argument_leaves, initialised_fields
from kernels.simt.compiler.expressions.addresses import as_address
from kernels.simt.compiler.structs.layout import leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from kernels.frontend.types import CType
    from kernels.simt.compiler.compiled_values import Code
    from kernels.simt.compiler.structs.layout import Leaf

    MakeArray = Callable[[str, Pointer, Any], Code]
    """Creates an array of the grid from a name, a type and an argument, and returns the pointer to it."""

_INDEX: Final = re.compile(r"\[(\d+)\]")


def contains_pointers(kind: CType) -> bool:
    """Return whether values of a type are, or contain, pointers."""
    return isinstance(kind, Pointer | Struct) and any(isinstance(leaf.type, Pointer) for leaf in leaves(kind))


def element_count(name: str, kind: CType, arguments: Mapping[str, Any]) -> int:
    """Return the number of elements that arguments give in parts; 0 if they give none.

    `name[3]` or `name[3].x` makes 4 elements, `name.x` one, or as many as the array given for it has.
    """
    found = 0
    for argument in arguments:
        if argument.startswith(f"{name}."):
            found = max(found, 1)
        match = _INDEX.match(argument, len(name)) if argument.startswith(f"{name}[") else None
        if match:
            found = max(found, int(match[1]) + 1)
    return max([found, *(len(column) for column in _columns(name, kind, arguments).values())])


def _columns(name: str, kind: CType, arguments: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Return the arrays that give one member of every struct; not for structs with pointers."""
    if not isinstance(kind, Struct) or contains_pointers(kind):
        return {}
    columns = {leaf.path: arguments.get(name + leaf.path) for leaf in argument_leaves(kind)}
    return {path: one for path, one in columns.items() if isinstance(one, np.ndarray) and one.ndim == 1}


def assemble(name: str, kind: CType, count: int, arguments: Mapping[str, Any], make: MakeArray) -> NDArray[np.uint8]:
    """Return the bytes of elements, a row for each, from arguments for their numbers and pointers.

    Raises
    ------
    InputError
        If an argument is missing or does not fit.
    """
    found, columns = np.zeros((count, size_of(kind)), np.uint8), _columns(name, kind, arguments)
    for leaf in argument_leaves(kind):
        place = slice(leaf.offset, leaf.offset + leaf.scalar.size_bytes)
        if leaf.path in columns:
            found[:, place] = _bytes(name + leaf.path, leaf, columns[leaf.path], count)
            continue
        for number in range(count):
            spelled = f"{name}[{number}]{leaf.path}"
            # One struct may be given without an index, as p.x.
            if spelled not in arguments and any(argument.startswith(f"{name}.") for argument in arguments):
                spelled = f"{name}{leaf.path}"
            if spelled not in arguments:
                raise InputError(f"no value for '{spelled}' ({leaf.type})")
            value = arguments[spelled]
            if isinstance(leaf.type, Pointer):
                # The compiler does not know which array a pointer inside an array points to: its value is an address.
                value = as_address(make(spelled, leaf.type, value)).constant
            elif isinstance(value, str) or np.ndim(value) or isinstance(leaf.type, FunctionPointer):
                raise InputError(f"'{spelled}' is one {leaf.type}: give a number")
            else:
                check(spelled, value, leaf.scalar.dtype, leaf.type)
            found[number, place] = list(np.asarray(value, leaf.scalar.dtype).tobytes())
    return _append_flexible_array(name, kind, found, arguments)


def _append_flexible_array(
    name: str, kind: CType, found: NDArray[np.uint8], arguments: Mapping[str, Any]
) -> NDArray[np.uint8]:
    """Return a struct that ends in a flexible array `T rest[]` with its elements, padded to whole structs."""
    last = kind.fields[-1] if isinstance(kind, Struct) and kind.fields else None
    path = f"{name}.{last.name}" if last is not None else ""
    if last is None or not isinstance(last.type, Array) or last.type.length or path not in arguments:
        return found
    rest, element = arguments[path], last.type.element
    if len(found) != 1 or not isinstance(rest, np.ndarray) or not isinstance(element, Scalar):
        raise InputError(f"'{path}' is what lies behind one struct: give numbers, as in {path}=f32[64]:zeros")
    check(path, rest, element.dtype, element)
    contents = found[0, : last.offset_bytes].tobytes() + rest.astype(element.dtype).tobytes()
    size = found.shape[1]
    return np.frombuffer(contents.ljust(-(-len(contents) // size) * size, b"\0"), np.uint8).reshape(-1, size).copy()


def _bytes(name: str, leaf: Leaf, column: NDArray[Any], count: int) -> NDArray[np.uint8]:
    dtype = leaf.scalar.dtype
    if len(column) != count:
        raise InputError(f"'{name}' has {len(column)} elements, others give {count} structs: give as many of each")
    if column.dtype.kind == "f" and dtype.kind != "f":
        raise InputError(f"'{name}' is one {leaf.type} of each struct: give integers")
    check(name, column, dtype, leaf.type)
    return np.ascontiguousarray(column.astype(dtype)).view(np.uint8).reshape(count, -1)


def array_elements(name: str, kind: CType, arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the elements of a struct's arrays by name, if an argument gives an array as a whole.

    Raises
    ------
    InputError
        For an array of another shape.
    """
    if isinstance(kind, Struct):
        for inner, field in initialised_fields(kind, name):
            yield from array_elements(inner, field.type, arguments)
    elif isinstance(kind, Array) and np.ndim(arguments.get(name, 0)):
        rows = np.asarray(arguments[name])
        if rows.shape[: len(kind.shape)] != kind.shape:
            raise InputError(f"'{name}' is {kind}: give an array of {list(kind.shape)}, not {list(rows.shape)}")
        for place in np.ndindex(*kind.shape):
            yield f"{name}{''.join(f'[{at}]' for at in place)}", rows[place]
    elif isinstance(kind, Array):
        for number in range(kind.length):
            yield from array_elements(f"{name}[{number}]", kind.of, arguments)
