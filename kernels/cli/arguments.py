"""What `--arg` and `-D` say: `n=64`, `A=f32[64,64]:random(1)`, `TILE_WIDTH=16`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.errors import InputError
from kernels.fill import WORDS, Fill
from kernels.simt import Argument, Unwritten
from kernels.source.types import Pointer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kernels.source.nodes import Function
    from kernels.trace.records import Value

TYPES: Final = {
    "i8": "int8", "u8": "uint8", "i16": "int16", "u16": "uint16", "i32": "int32", "u32": "uint32", "i64": "int64",
    "f16": "float16", "f32": "float32", "f64": "float64",
}  # fmt: skip

_ARRAY: Final = re.compile(r"(\w+)\[([^\]]*)\](?::(.*))?")
_FORM: Final = "NAME=VALUE or NAME=TYPE[DIMS]:FILL, as in n=64 or A=f32[64,64]:random(1)"


def parse_arguments(texts: Iterable[str]) -> dict[str, Argument]:
    """Read `--arg` options into values by parameter name.

    Raises
    ------
    InputError
        Naming the option that cannot be read, and why.
    """
    found: dict[str, Argument] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name.isidentifier() or not value:
            raise InputError(f"--arg {text}: give {_FORM}")
        if name in found:
            raise InputError(f"--arg {text}: '{name}' is given twice")
        array = _ARRAY.fullmatch(value)
        try:
            found[name] = _array(*array.groups()) if array else _scalar(value)
        except InputError as error:
            raise InputError(f"--arg {text}: {error}") from error
    return found


def parse_defines(texts: Iterable[str]) -> dict[str, str]:
    """Read `-D` options; a macro without a value is 1, as for compilers.

    Raises
    ------
    InputError
        For what is not a macro.
    """
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name.isidentifier():
            raise InputError(f"-D {text}: give NAME or NAME=VALUE, as in -D TILE_WIDTH=16")
        found[name] = value if equals else "1"
    return found


def check_complete(function: Function, arguments: Mapping[str, Argument], file: str) -> None:
    """Refuse a launch with a parameter left out, of the wrong sort, or unknown.

    Raises
    ------
    InputError
        Naming the parameter and the option that would give it.
    """
    for parameter in function.parameters:
        name, kind = parameter.name, parameter.type
        given = arguments.get(name)
        where = f"{file}:{parameter.span.line}:{parameter.span.column}: {function.name}"
        if isinstance(kind, Pointer):
            letters = next((k for k, v in TYPES.items() if v == getattr(kind.to, "dtype", None)), "f32")
            example = f'--arg "{name}={letters}[64,64]:iota"'
            if given is None:
                raise InputError(f"{where} needs an array for '{name}' ({kind}): give one with {example}")
            if not isinstance(given, np.ndarray | Unwritten):
                raise InputError(f"{where}: '{name}' is an array ({kind}), not one number: give {example}")
        elif given is None:
            raise InputError(f"{where} needs a value for '{name}' ({kind}): give one with --arg {name}=64")
        elif isinstance(given, np.ndarray | Unwritten):
            raise InputError(f"{where}: '{name}' is one {kind}, not an array: give --arg {name}=64")


def _scalar(text: str) -> Value:
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text, 0)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError as error:
        raise InputError(f"'{text}' is neither a number nor an array: give {_FORM}") from error


def _array(type_name: str, dims: str, fill: str | None) -> Argument:
    if type_name not in TYPES:
        raise InputError(f"'{type_name}' is not a type: use {' '.join(TYPES)}")
    try:
        shape = tuple(int(part) for part in dims.split(","))
    except ValueError:
        shape = ()
    if not shape or min(shape) < 1:
        raise InputError(f"[{dims}] are not dimensions: give whole numbers from 1 up, as in [64,64]")
    if not fill:
        raise InputError(f"what fills the array is missing: add :FILL, one of {WORDS}")
    values = Fill.parse(fill).make(shape, TYPES[type_name])
    return Unwritten(TYPES[type_name], shape) if values is None else values
