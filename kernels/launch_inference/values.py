"""Initial values of a kernel's parameters, guessed from their names and types."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

from kernels.arguments import TYPES
from kernels.custom_launch.model import LaunchValue
from kernels.frontend.headers.textures import Image
from kernels.frontend.types import Array, FunctionPointer, Named, Pointer, Scalar, Struct
from kernels.simt.compiler.structs import leaves

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kernels.frontend.ast import Parameter, Program
    from kernels.frontend.types import CType

_NONE: Final = re.compile(r"offset|start|begin|shift|first|base|seed|idx|index|rank|gpu|^lo$|left|_id$", re.IGNORECASE)
_FEW: Final = re.compile(r"radius|filter|mask|kernel|ksize|window", re.IGNORECASE)
_ROUNDS: Final = re.compile(r"iter|step|round|pass|times|epoch", re.IGNORECASE)
_COUNT: Final = re.compile(r"^n$|^len|size|length|count|total|num_?el|elements", re.IGNORECASE)
_HEIGHT: Final = re.compile(r"height|rows?$|^m$|^h$|^ny$", re.IGNORECASE)
_WIDTH: Final = re.compile(r"width|col(umn)?s?$|^n$|^w$|^nx$", re.IGNORECASE)
_DEPTH: Final = re.compile(r"depth|^d$|^nz$", re.IGNORECASE)

_PLANE: Final = 2
"""Dimensions of a launch whose arrays have rows and columns."""


def parameter_values(parameters: Sequence[Parameter], body: str, shape: tuple[int, ...]) -> Iterator[LaunchValue]:
    """Yield values of the parameters; `shape` are the threads of the launch: depth, rows and columns, or the last ones.

    The elements of a volume lie in one dimension.
    """
    sides = _sides(parameters, shape)
    shape = (math.prod(shape),) if len(shape) > _PLANE else shape
    for parameter in parameters:
        yield from _values(parameter.name, parameter.type, shape, _fill(parameter.name, body), sides)


def file_values(program: Program, body: str) -> Iterator[LaunchValue]:
    """Yield values of the textures and the empty `__constant__` variables that a kernel uses: the host fills them."""
    for variable in program.variables:
        if variable.value is not None or not re.search(rf"\b{re.escape(variable.name)}\b", body):
            continue
        kind = variable.type
        if isinstance(kind, Image):
            yield LaunchValue(variable.name, str(kind), _array(kind, (8, 8), "iota"))
        elif variable.space == "constant" and isinstance(kind, Array) and isinstance(kind.element, Scalar):
            yield LaunchValue(variable.name, str(kind), f"{_letters([kind.element])}[{_dims(kind.shape)}]:iota")
        elif variable.space == "constant" and isinstance(kind, Scalar):
            yield LaunchValue(variable.name, str(kind), _number(variable.name, kind, {}))


def _sides(parameters: Sequence[Parameter], shape: tuple[int, ...]) -> dict[str, int]:
    """Return values for the parameters whose names seem to mean a size.

    In a launch of two or three dimensions they are its columns, rows and depth. In a one-dimensional launch with
    several sizes, such as rows and columns, their product is about the number of threads: 64 threads and three sizes
    give 4 each.
    """
    names = [
        p.name for p in parameters if isinstance(p.type, Scalar) and p.type.dtype.kind in "iu" and not _special(p.name)
    ]
    if len(shape) > _PLANE:
        lengths = zip((_DEPTH, _HEIGHT, _WIDTH), shape, strict=True)
        found = {name: length for pattern, length in lengths for name in names if pattern.search(name)}
        if len(found) == len(names) == len(shape):
            return found
        shape = (math.prod(shape),)
    if len(shape) > 1:
        return {name: shape[0] if _HEIGHT.search(name) else shape[-1] for name in names}
    sides = [name for name in names if len(names) > 2 or not _COUNT.search(name)]
    side = max(2, 2 ** round(math.log2(shape[0]) / len(sides))) if len(sides) > 1 else shape[0]
    return {name: side if name in sides else shape[0] for name in names}


def _special(name: str) -> str:
    """Return the value of a number whose name does not mean a size; "" for any other name."""
    for pattern, value in ((_NONE, "0"), (_FEW, "3"), (_ROUNDS, "2")):
        if pattern.search(name):
            return value
    return ""


def _fill(name: str, body: str) -> str:
    """Return the fill of an array: none if the kernel only stores to it, zeros if it only adds to it, else numbers."""
    mentioned = len(re.findall(rf"\b{re.escape(name)}\b", body))
    stored = len(re.findall(rf"\b{re.escape(name)}\s*\[[^\]]*\]\s*=[^=]", body))
    added = len(re.findall(rf"\batomicAdd\s*\(\s*&?\s*{re.escape(name)}\b", body))
    return "uninit" if 0 < mentioned == stored else "zeros" if 0 < mentioned == added else "iota"


def _values(name: str, kind: CType, shape: tuple[int, ...], fill: str, sides: dict[str, int]) -> Iterator[LaunchValue]:
    """Yield the value of a parameter, or of each member of a struct."""
    if isinstance(kind, Struct):
        for member in kind.fields:
            yield from _values(f"{name}.{member.name}", member.type, shape, fill, sides)
    elif isinstance(kind, FunctionPointer | Named):
        yield LaunchValue(name, str(kind), "" if isinstance(kind, FunctionPointer) else "1")
    elif isinstance(kind, Scalar):
        yield LaunchValue(name, str(kind), _number(name, kind, {name: shape[-1], **sides}))
    else:
        yield LaunchValue(name, str(kind), _array(kind, shape, fill))


def _number(name: str, kind: Scalar, sides: dict[str, int]) -> str:
    if kind.dtype.kind in "fb":
        return "1.0" if kind.dtype.kind == "f" else "true"
    return _special(name) or str(sides.get(name, 8))


def _array(kind: CType, shape: tuple[int, ...], fill: str) -> str:
    whole = kind.to if isinstance(kind, Pointer) else kind
    if isinstance(whole, Pointer) and not isinstance(kind, Image):
        whole, shape = whole.to, (4, shape[-1])
    numbers = [leaf.type for leaf in leaves(whole) if isinstance(leaf.type, Scalar)]
    if not isinstance(kind, Pointer):
        shape = (len(numbers),) if numbers else shape
    elif len(numbers) > 1:
        shape = (*shape, len(numbers)) if isinstance(kind, Image) else (math.prod(shape), len(numbers))
    return f"{_letters(numbers)}[{_dims(shape)}]:{fill}"


def _dims(shape: Sequence[int]) -> str:
    return ",".join(map(str, shape))


def _letters(numbers: list[Scalar]) -> str:
    return next((word for word, name in TYPES.items() if numbers and numbers[0].dtype == name), "f32")
