"""Cells of arrays of structs: one for each number in a struct, however many recorded words it takes.

Pictures and sentences count cells. In arrays of plain numbers a cell is an element.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.trace.records import ArrayInfo, Value
    from kernels.trace.structs import Structure


@dataclass(frozen=True)
class Members:
    """Conversion between the recorded words of an array of structs and its cells."""

    struct: Structure
    word_bytes: int

    @property
    def count(self) -> int:
        """Number of cells of one struct."""
        return len(self.struct.fields)

    @property
    def words(self) -> int:
        """Number of words of one struct."""
        return self.struct.size_bytes // self.word_bytes

    @cached_property
    def _fields(self) -> NDArray[np.int64]:
        """Field of each word; padding belongs to the field before it, as accesses to the whole struct include it."""
        return np.maximum.accumulate(np.maximum(self.struct.numbers(self.word_bytes), 0))

    def cells(self, words: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return the cells that words belong to."""
        at, word = np.divmod(words, self.words)
        found: NDArray[np.integer] = at * self.count + self.fields(word)
        return found

    def fields(self, words: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the number of the field that a struct's words belong to."""
        found: NDArray[np.int64] = self._fields[np.clip(words, 0, self.words - 1)]
        return found

    def word(self, cell: int) -> int:
        """Return the first word of a cell."""
        at, field = divmod(cell, self.count)
        return at * self.words + self.struct.fields[field].offset_bytes // self.word_bytes

    def pointer(self, cell: int) -> bool:
        """Return whether a cell holds an address."""
        return self.struct.fields[cell % self.count].pointer

    def values(self, words: NDArray[np.generic]) -> NDArray[np.generic]:
        """Return the values of all cells, in a type that can hold those of each member."""
        return np.stack(self.struct.columns(words), axis=1).reshape(-1)

    def written_cells(self, written: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return for each cell whether all of its words are written."""
        return self.struct.written_fields(written, self.word_bytes).reshape(-1)


def members_of(array: ArrayInfo) -> Members | None:
    """Return the cells of an array of structs; None for one whose elements are cells already."""
    return None if array.struct is None else Members(array.struct, array.dtype.itemsize)


def value_of(array: ArrayInfo, index: int, values: NDArray[np.generic], written: NDArray[np.bool_]) -> Value | None:
    """Return an element of an array's contents, or the number that it is a word of; None where it is not written."""
    if not 0 <= index < array.size:
        return None
    if (members := members_of(array)) is not None:
        index = int(members.cells(np.array(index)))
        values, written = members.values(values), members.written_cells(written)
    found: Value = values.reshape(-1)[index].item()
    return found if written.reshape(-1)[index] else None
