"""Parser of `--arg`, `--template` and `-D`: `n=64`, `A=f32[64,64]:random(1)`, `T=float`, `TILE_WIDTH=16`."""

from __future__ import annotations

import math
import re
import sys
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.errors import InputError
from kernels.fill import WORDS, Fill
from kernels.frontend.headers.bfloat16 import BF16
from kernels.frontend.headers.textures import Image
from kernels.frontend.types import Array, FunctionPointer, Pointer, Scalar, Struct
from kernels.host_memory import SIMULATED_COPIES, check_memory
from kernels.number_types import round_to_bfloat
from kernels.simt import Argument, Sampler, Texture, Unwritten
from kernels.simt.binding.members import argument_leaves, initialised_fields
from kernels.simt.binding.partial_arguments import contains_pointers
from kernels.tensor_map import TensorMap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kernels.frontend.ast import Function
    from kernels.frontend.types import CType
    from kernels.trace.records import Value

TYPES: Final = {
    "i8": "int8",
    "u8": "uint8",
    "i16": "int16",
    "u16": "uint16",
    "i32": "int32",
    "u32": "uint32",
    "i64": "int64",
    "u64": "uint64",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "bf16": "uint16",
}
"""The NumPy type of each name; for bfloat16, which NumPy does not have, the type of its bits."""

_ARRAY: Final = re.compile(r"(\w+)\[([^\]]*)\](?::(.*?))?(?:@([\w,\s]+))?")
_PLACE: Final = re.compile(r"[^\W\d]\w*(\[\d+\])*(\.[^\W\d]\w*(\[\d+\])*)*")
"""A parameter, or a part of one: p, p.x, rows[0]."""

_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_SHOWN: Final = 4
"""Members of a struct that a message names."""

_FORM: Final = "NAME=VALUE or NAME=TYPE[DIMS]:FILL, as in n=64 or A=f32[64,64]:random(1)"


def parse_arguments(texts: Iterable[str]) -> dict[str, Argument]:
    """Read `--arg` options into values by parameter name, or `parameter.member` for a struct.

    Raises
    ------
    InputError
        Naming the option that cannot be read, and why.
    """
    found: dict[str, Argument] = {}
    taken_bytes = 0
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not value or not _PLACE.fullmatch(name):
            raise InputError(f"--arg {text}: give {_FORM}")
        if name in found:
            raise InputError(f"--arg {text}: '{name}' is given twice")
        array = _ARRAY.fullmatch(value)
        try:
            tensor_map = TensorMap.parse(value)
            if tensor_map is not None:
                found[name] = tensor_map
            elif array:
                found[name], taken_bytes = _array(taken_bytes, *array.groups())
            else:
                found[name] = _scalar(value)
        except InputError as error:
            raise InputError(f"--arg {text}: {error}") from error
    return found


def parse_templates(texts: Iterable[str]) -> dict[str, str]:
    """Read `--template` options into arguments by template parameter, as C++ writes them.

    Raises
    ------
    InputError
        For an option that is not of this form.
    """
    found: dict[str, str] = {}
    for text in texts:
        name, _, value = (part.strip() for part in text.partition("="))
        if not name.isidentifier() or not value:
            raise InputError(f"--template {text}: give NAME=VALUE, as in T=float or TILE=16")
        if name in found:
            raise InputError(f"--template {text}: '{name}' is given twice")
        found[name] = value
    return found


def parse_defines(texts: Iterable[str]) -> dict[str, str]:
    """Read `-D` options; a macro without a value is 1, as for compilers.

    Raises
    ------
    InputError
        For a name that is not an identifier.
    """
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name.isidentifier():
            raise InputError(f"-D {text}: give NAME or NAME=VALUE, as in -D TILE_WIDTH=16")
        found[name] = value if equals else "1"
    return found


def check_complete(function: Function, arguments: Mapping[str, Argument], file: str) -> None:
    """Refuse a launch in which a parameter has no argument, or one of another kind.

    Raises
    ------
    InputError
        With the parameter, and an example of the option.
    """
    for parameter in function.parameters:
        where = f"{file}:{parameter.span.line}:{parameter.span.column}: {function.name}"
        _check(where, parameter.name, parameter.type, arguments)


def _check(where: str, name: str, kind: CType, arguments: Mapping[str, Argument]) -> None:
    value = arguments.get(name)
    is_array = isinstance(value, np.ndarray | Unwritten | Texture)
    if isinstance(value, TensorMap) and isinstance(kind, Struct):
        return  # the launch checks it with its array
    if isinstance(kind, Struct) and not (kind == BF16 and f"{name}.{kind.fields[0].name}" not in arguments):
        for inner, field in initialised_fields(kind, name):
            _check(where, inner, field.type, arguments)
        if value is not None:
            raise InputError(
                f"{where}: '{name}' has members ({kind}): give them one by one, as in {_example(name, kind)}"
            )
    elif isinstance(kind, Pointer | Array):
        example = _example(name, kind)
        in_parts = any(other.startswith((f"{name}[", f"{name}.")) for other in arguments)
        no_array = isinstance(kind, Pointer) and not is_array and value == 0
        if in_parts or no_array:
            return
        if value is None:
            raise InputError(f"{where} needs an array for '{name}' ({kind}): give one with {example}")
        if not is_array:
            raise InputError(f"{where}: '{name}' is an array ({kind}), not one number: give {example}")
    elif value is None:
        raise InputError(f"{where} needs a value for '{name}' ({kind}): give one with {_example(name, kind)}")
    elif isinstance(value, str) and not isinstance(kind, FunctionPointer):
        raise InputError(f"--arg {name}={value}: '{value}' is neither a number nor an array: give {_FORM}")
    elif is_array:
        raise InputError(f"{where}: '{name}' is one {kind}, not an array: give {_example(name, kind)}")


def _example(name: str, kind: CType) -> str:
    """Return an option that gives the parameter; arrays are two-dimensional, elements of several leaves a third."""
    if isinstance(kind, Struct) and kind != BF16:
        inner, first = next(initialised_fields(kind, name))
        return _example(inner, first.type)
    if isinstance(kind, FunctionPointer):
        return f"--arg {name}=FUNCTION"
    if not isinstance(kind, Pointer | Array):
        return f"--arg {name}=64"
    if isinstance(kind, Image):
        return f'--arg "{name}=f32[64,64]:iota"'
    if isinstance(kind, Pointer) and kind.to == BF16:
        return f'--arg "{name}=bf16[64,64]:iota"'
    if isinstance(kind, Pointer) and isinstance(kind.to, Pointer):
        return f'--arg "{name}=f32[4,64]:iota"'
    if isinstance(kind, Pointer) and isinstance(kind.to, Struct) and _is_mixed(kind.to):
        return _by_member(name, kind.to)
    leaves, dims = list(_leaves(kind.to if isinstance(kind, Pointer) else kind)), "64,64"
    letters = next((k for k, v in TYPES.items() if leaves and v == leaves[0].dtype), "u8")
    if isinstance(kind, Array) or len(leaves) > 1:
        dims = f"64,{len(leaves)}" if isinstance(kind, Pointer) else str(len(leaves))
    return f'--arg "{name}={letters}[{dims}]:iota"'


def _is_mixed(kind: Struct) -> bool:
    """Return whether the members have several types, so that no array of one type can hold such structs."""
    return contains_pointers(kind) or len(set(_leaves(kind))) > 1


def _by_member(name: str, kind: Struct) -> str:
    """Return options that give structs by their members, an array for each number; with pointers one struct."""
    in_arrays, members = not contains_pointers(kind), list(argument_leaves(kind))
    options = [_example(name + leaf.path, Pointer(leaf.type) if in_arrays else leaf.type) for leaf in members[:_SHOWN]]
    return " ".join(options).replace("[64,64]", "[64]") + (" …" if len(members) > _SHOWN else "")


def _leaves(kind: CType) -> Iterator[Scalar]:
    """Yield the numbers that a value of this type consists of."""
    if isinstance(kind, Scalar):
        yield kind
    elif isinstance(kind, Array):
        for _ in range(kind.length):
            yield from _leaves(kind.of)
    elif isinstance(kind, Struct):
        for field in kind.fields:
            yield from _leaves(field.type)


def _scalar(text: str) -> Value | str:
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text, 0)
    except ValueError:
        pass
    if _NAME.fullmatch(text) and text not in ("nan", "inf", "infinity"):
        return text  # the name of a function
    if text.endswith(".npy"):
        raise InputError(f"a file fills an array: give its type and shape, too, as in f32[64,64]:{text}")
    try:
        number = float(text)
    except ValueError as error:
        raise InputError(f"'{text}' is neither a number nor an array: give {_FORM}") from error
    if math.isinf(number) and "inf" not in text.lower():
        raise InputError(f"{text} does not fit any type: a double holds up to {sys.float_info.max:.2g}")
    return number


def _array(taken_bytes: int, type_name: str, dims: str, fill: str | None, sampler: str | None) -> tuple[Argument, int]:
    """Fill an array; return it, and `taken_bytes`, the size of the arrays before it, increased by its own."""
    if type_name not in TYPES:
        raise InputError(f"'{type_name}' is not a type: use {' '.join(TYPES)}")
    try:
        shape = tuple(int(part) for part in dims.split(","))
    except ValueError:
        shape = ()
    if not shape or not 1 <= min(shape) <= max(shape) < 2**63:
        raise InputError(f"[{dims}] are not dimensions: give whole numbers from 1 up, as in [64,64]")
    if not fill:
        raise InputError(f"what fills the array is missing: add :FILL, one of {WORDS}")
    dtype = "float32" if type_name == "bf16" else TYPES[type_name]
    taken_bytes += math.prod(shape) * np.dtype(dtype).itemsize
    check_memory(taken_bytes, "the arrays up to this one", "give a smaller one", SIMULATED_COPIES)
    values = Fill.parse(fill).make(shape, dtype)
    if values is not None and type_name == "bf16":
        values = round_to_bfloat(values)
    if sampler is None:
        return (Unwritten(TYPES[type_name], shape) if values is None else values), taken_bytes
    if values is None:
        raise InputError("a texture is filled: uninit is for what the kernel writes")
    return Texture(values, Sampler.of([word.strip() for word in sampler.split(",")])), taken_bytes
