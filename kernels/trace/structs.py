"""Layout of structs in arrays, and the source's names of their parts.

An array's element is the smallest part that is accessed separately (`ArrayInfo`): a struct has several. If its
members have several types, elements are words of bits, and the fields say how to decode them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.number_types import bfloat_to_float

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.trace.records import ArrayInfo

_PART: Final = re.compile(r"\.[^.\[]+|\[\d+\]")


@dataclass(frozen=True, slots=True)
class Field:
    """A number in a struct."""

    path: str
    """Name as C writes it: ".pos.x", ".w[3]"; "" for an object that is no struct."""
    dtype: np.dtype[np.generic]
    offset_bytes: int
    """From the start of the struct."""
    pointer: bool = False
    """True if it is an address, whose number means nothing to a reader."""
    bfloat16: bool = False
    """True if it is a bfloat16, of which the two bytes are the bits."""

    @property
    def end_bytes(self) -> int:
        """Offset after its last byte."""
        return self.offset_bytes + self.dtype.itemsize

    def numbers(self, stored: NDArray[np.generic]) -> NDArray[np.generic]:
        """Return the numbers that are stored."""
        return bfloat_to_float(stored) if self.bfloat16 else stored

    def inside(self, path: str) -> bool:
        """Return whether this is, or is in, the member that a path names."""
        return self.path == path or self.path.startswith((f"{path}.", f"{path}["))


@dataclass(frozen=True)
class Structure:
    """The layout of one object in an array: every number in it, in the order of their bytes."""

    name: str
    size_bytes: int
    fields: tuple[Field, ...]

    def path(self, begin: int, end: int) -> str:
        """Return the path of the bytes from `begin` up to `end` of an object.

        The path of the member that has exactly these bytes, ".pos" for a struct in it; "" for the whole object and
        for padding.
        """
        touched = [f for f in self.fields if f.offset_bytes < end and begin < f.end_bytes]
        if not touched:
            return ""
        parts = [_PART.findall(field.path) for field in (touched[0], touched[-1])]
        common = "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(*parts, strict=False)))
        whole = touched == [field for field in self.fields if field.inside(common)]
        return common if whole else f"{touched[0].path} to {touched[-1].path}"

    def numbers(self, word_bytes: int) -> NDArray[np.int64]:
        """Return for each word of an object the number of the field that it belongs to, -1 for a gap."""
        found = np.full(self.size_bytes // word_bytes, -1, np.int64)
        for number, field in enumerate(self.fields):
            first = field.offset_bytes // word_bytes
            found[first : field.end_bytes // word_bytes] = number
        return found

    def columns(self, objects: NDArray[np.generic]) -> list[NDArray[np.generic]]:
        """Return the values of each field, one per object, from the words of objects."""
        rows = np.ascontiguousarray(objects).reshape(-1).view(np.uint8).reshape(-1, self.size_bytes)
        found: list[NDArray[np.generic]] = []
        for field in self.fields:
            part = np.ascontiguousarray(rows[:, field.offset_bytes : field.end_bytes])
            found.append(part[:, 0] != 0 if field.dtype == np.bool_ else field.numbers(part.view(field.dtype)[:, 0]))
        return found

    def written_fields(self, written: NDArray[np.bool_], word_bytes: int) -> NDArray[np.bool_]:
        """Return for each object (row) and field (column) whether all words are written."""
        rows, numbers = written.reshape(-1, self.size_bytes // word_bytes), self.numbers(word_bytes)
        return np.stack([rows[:, numbers == n].all(axis=1) for n in range(len(self.fields))], axis=1)

    @cached_property
    def heads(self) -> tuple[str, ...]:
        """Names of the fields for the heads of a table: `x`, `w[3]`."""
        return tuple(field.path.removeprefix(".") for field in self.fields)


def element_name(array: ArrayInfo, index: int, width: int = 1, *, flat: bool = False) -> str:
    """Return the name of neighbouring elements as the source writes it.

    `As[3][2]`, `total` for a variable, `p[4].y` in an array of structs, `p[4]` for a whole struct. An element outside
    of the array has one index, `A[50]`; with `flat`, also an element of an argument with several dimensions.
    """
    words, item = array.words, array.dtype.itemsize
    at, word = divmod(index, words)
    if word + width > words:
        last = element_name(array, index + width - 1, flat=flat)
        return f"{element_name(array, index, flat=flat)} to {last}"
    path = "" if array.struct is None else array.struct.path(word * item, (word + width) * item)
    return array.name + _subscripts(array, at, flat=flat) + path


def _subscripts(array: ArrayInfo, at: int, *, flat: bool) -> str:
    shape = array.objects
    if shape == (1,) and not array.parameter and at == 0:
        return ""
    if not 0 <= at < array.size // array.words or (flat and array.parameter):
        return f"[{at}]"
    return "".join(f"[{int(n)}]" for n in np.unravel_index(at, shape))
