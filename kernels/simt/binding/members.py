"""Names of struct members in arguments; an unnamed member contributes no name."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.headers.bfloat16 import BF16
from kernels.frontend.types import UNNAMED, Array, FunctionPointer, Pointer, Struct, size_of
from kernels.number_types import round_to_bfloat
from kernels.ranges import check
from kernels.simt.compiler.structs.layout import leaves

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kernels.frontend.types import CType, Field
    from kernels.simt.compiler.structs.layout import Leaf

_UNNAMED: Final = re.compile(rf"{UNNAMED}\d+")


def initialised_fields(kind: Struct, path: str) -> Iterator[tuple[str, Field]]:
    """Yield each member that arguments initialise, with its path; of a union the first one (C++ [dcl.init.aggr])."""
    for field in kind.fields[:1] if kind.union else kind.fields:
        nameless = _UNNAMED.fullmatch(field.name) and isinstance(field.type, Struct)
        yield path if nameless else f"{path}.{field.name}", field


def argument_leaves(kind: CType, path: str = "", offset: int = 0) -> Iterator[Leaf]:
    """Yield every number and pointer that arguments give for an object, with the name of the argument."""
    if isinstance(kind, Array):
        size = kind.size_bytes // max(kind.length, 1)
        for i in range(kind.length):
            yield from argument_leaves(kind.of, f"{path}[{i}]", offset + i * size)
    elif isinstance(kind, Struct):
        for inner, field in initialised_fields(kind, path):
            yield from argument_leaves(field.type, inner, offset + field.offset_bytes)
    else:
        for leaf in leaves(kind):
            yield replace(leaf, path=path + leaf.path, offset=offset + leaf.offset)


def encode_bfloats(name: str, kind: CType, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments with bfloat16 numbers replaced by their bits, the member of that struct."""
    found = {**arguments}
    if kind == BF16 and isinstance(found.get(name), int | float):
        (bits,) = BF16.fields
        found[f"{name}.{bits.name}"] = int(round_to_bfloat(found.pop(name)))
    elif isinstance(kind, Struct):
        for inner, field in initialised_fields(kind, name):
            found = encode_bfloats(inner, field.type, found) if isinstance(field.type, Struct) else found
    return found


def rename_to_leaves(name: str, kind: Struct, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments with the members of a struct renamed to its leaves; those of a union are its words."""
    named = {leaf.offset: leaf for leaf in argument_leaves(kind)}
    own = leaves(kind)
    found = dict(arguments)
    # Without a union and unnamed members, the names of arguments and leaves are equal.
    if [leaf.path for leaf in named.values()] == [leaf.path for leaf in own]:
        return found
    by_offset = {
        offset: (leaf, found.pop(name + leaf.path)) for offset, leaf in named.items() if name + leaf.path in arguments
    }
    # A union's leaves are words of its bytes: the arguments are stored as bytes, and the words read from them.
    data = np.zeros(size_of(kind), np.uint8)
    for offset, (leaf, value) in by_offset.items():
        if not isinstance(leaf.type, Pointer | FunctionPointer):
            check(name + leaf.path, value, leaf.scalar.dtype, leaf.type)
            number = np.asarray(value).astype(leaf.scalar.dtype)
            data[offset : offset + number.nbytes] = np.frombuffer(number.tobytes(), np.uint8)
    for leaf in own:
        part = slice(leaf.offset, leaf.offset + leaf.scalar.size_bytes)
        if leaf.offset in by_offset and by_offset[leaf.offset][0].type == leaf.type:
            found[name + leaf.path] = by_offset[leaf.offset][1]
        elif any(part.start <= offset < part.stop for offset in by_offset):
            found[name + leaf.path] = data[part].view(leaf.scalar.dtype)[0]
    return found
