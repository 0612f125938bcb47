"""Values of a kernel's parameters and of a file's variables, in the form of `tilescope trace --arg`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kernels.arguments import TYPES
from kernels.custom_launch.model import LaunchValue
from kernels.frontend.headers.textures import Image
from kernels.frontend.types import Array, FunctionPointer, Named, Pointer, Scalar, Struct
from kernels.launch_inference.array_uses import NUMBERS
from kernels.simt.compiler.structs.layout import leaves

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kernels.frontend.ast import Program, Variable
    from kernels.frontend.types import CType

_IMAGE: Final = (8, 8)
_POINTERS: Final = (4, 64)
"""Arrays of an array of pointers, and their elements."""


def flatten(name: str, kind: CType) -> Iterator[tuple[str, CType]]:
    """Yield name and type of a parameter, or of each member of a struct."""
    if isinstance(kind, Struct):
        for member in kind.fields:
            yield from flatten(f"{name}.{member.name}", member.type)
    else:
        yield name, kind


def is_whole_number(kind: CType) -> bool:
    """Return whether a parameter of this type may be a size."""
    return isinstance(kind, Scalar) and not isinstance(kind, FunctionPointer) and kind.dtype.kind in "iu"


def is_measured(kind: CType) -> bool:
    """Return whether the length of an array of this type follows from the accesses of a run."""
    return isinstance(kind, Pointer) and not isinstance(kind, Image) and not isinstance(kind.to, Pointer)


def words(kind: CType) -> int:
    """Return the numbers of one element of an array: 4 for a float4, 1 for a float."""
    return max(1, len(_numbers(kind)))


def size_bytes(kind: CType) -> int:
    """Return the bytes of the numbers of one element of an array."""
    return max(1, sum(number.size_bytes for number in _numbers(kind)))


def parameter_value(name: str, kind: CType, sizes: Mapping[str, int], length: int, fill: str) -> LaunchValue:
    """Return the value of a parameter that is no struct; `length` are the elements of an array before it is tried."""
    if isinstance(kind, FunctionPointer | Named):
        return LaunchValue(name, str(kind), "" if isinstance(kind, FunctionPointer) else "1")
    if isinstance(kind, Scalar):
        return LaunchValue(name, str(kind), _number(name, kind, sizes))
    whole = kind.to if isinstance(kind, Pointer) else kind
    shape: tuple[int, ...] = (length,)
    if isinstance(kind, Image):
        shape = _IMAGE
    elif isinstance(whole, Pointer):
        whole, shape = whole.to, _POINTERS
    elif not isinstance(kind, Pointer):
        return LaunchValue(name, str(kind), _array(kind, (len(_numbers(kind)),), NUMBERS))
    if (count := len(_numbers(whole))) > 1:
        shape = (*shape, count)
    return LaunchValue(name, str(kind), _array(whole, shape, fill))


def open_variables(program: Program, body: str) -> list[Variable]:
    """Return the textures and the `__constant__` variables without a value that a kernel uses: the host fills them."""
    return [
        variable
        for variable in program.variables
        if variable.value is None and re.search(rf"\b{re.escape(variable.name)}\b", body)
    ]


def variable_values(variables: Sequence[Variable], sizes: Mapping[str, int]) -> Iterator[LaunchValue]:
    """Yield values of `open_variables`."""
    for variable in variables:
        name, kind = variable.name, variable.type
        if isinstance(kind, Image):
            yield LaunchValue(name, str(kind), _array(kind.to, _IMAGE, NUMBERS))
        elif variable.space == "constant" and isinstance(kind, Array) and isinstance(kind.element, Scalar):
            yield LaunchValue(name, str(kind), _array(kind.element, kind.shape, NUMBERS))
        elif variable.space == "constant" and isinstance(kind, Scalar):
            yield LaunchValue(name, str(kind), _number(name, kind, sizes))


def with_shape(text: str, shape: Sequence[int], words_of_element: int) -> str:
    """Return the text of an array with another shape, in elements."""
    lengths = (*shape, words_of_element) if words_of_element > 1 else shape
    return re.sub(r"\[[\d,]+\]", f"[{','.join(map(str, lengths))}]", text, count=1)


def with_fill(text: str, fill: str) -> str:
    """Return the text of an array with another fill."""
    return f"{text.partition(':')[0]}:{fill}"


def _number(name: str, kind: Scalar, sizes: Mapping[str, int]) -> str:
    if kind.dtype.kind in "fb":
        return "1.0" if kind.dtype.kind == "f" else "true"
    return str(sizes.get(name, 1))


def _numbers(kind: CType) -> list[Scalar]:
    return [leaf.type for leaf in leaves(kind) if isinstance(leaf.type, Scalar)]


def _array(kind: CType, shape: Sequence[int], fill: str) -> str:
    numbers = _numbers(kind)
    letters = next((word for word, name in TYPES.items() if numbers and numbers[0].dtype == name), "f32")
    return f"{letters}[{','.join(map(str, shape))}]:{fill}"
