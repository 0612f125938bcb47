"""Tables of a recorded trace: those of the simulated one, extended by entries that only the GPU used."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kernels.frontend.unparse.expressions import one_line_text
from kernels.recorder.log import AccessNote
from kernels.trace.records import ArrayInfo, Register, Site, Statement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.recorder.log import AssignmentNote, StepNote
    from kernels.recorder.log_entries import Entries, LoggedArray
    from kernels.trace import Trace


class Tables:
    """Statements, arrays, sites and registers by number."""

    def __init__(self, simulated: Trace, entries: Entries) -> None:
        self.statements = list(simulated.statements)
        self.sites = list(simulated.sites)
        self.registers = list(simulated.registers)
        self.arrays = list(simulated.arrays)
        self._text, self._included = simulated.text, simulated.included
        self._entries = entries
        self._array = [self._array_number(logged) for logged in entries.arrays]

    def statement(self, step: StepNote) -> int:
        """Return the number of the statement that a step executes."""
        # Statements of different kinds may share a span: the kind decides.
        found = [n for n, s in enumerate(self.statements) if s.span == step.span]
        for number in found:
            if self.statements[number].kind == step.kind:
                return number
        self.statements.append(Statement(step.span, one_line_text(self._text, step.span, self._included), step.kind))
        return len(self.statements) - 1

    def register(self, note: AssignmentNote) -> int:
        """Return the number of the register of an assigned variable."""
        for number, one in enumerate(self.registers):
            if one == Register(note.name, note.function, note.dtype, note.span):
                return number
        size = max(self._entries.bytes[self._entries.note == self._entries.notes.index(note)], default=4)
        self.registers.append(Register(note.name, note.function, np.dtype(f"u{size}"), note.span))
        return len(self.registers) - 1

    def sites_of(self, rows: NDArray[np.int64], statement: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the site of each access, given its entry and the statement of its step."""
        entries = self._entries
        columns = (statement, entries.note[rows], entries.array[rows], entries.bytes[rows])
        # Combinations as single numbers, which sort faster than rows of four.
        shape = tuple(int(column.max(initial=0)) + 1 for column in columns)
        found, inverse = np.unique(np.ravel_multi_index(columns, shape), return_inverse=True)
        combinations = zip(*(column.tolist() for column in np.unravel_index(found, shape)), strict=True)
        sites = np.array([self._site(*combination) for combination in combinations], np.int64)
        return sites[inverse]

    def _site(self, statement: int, note: int, array: int, size: int) -> int:
        access, number = self._entries.notes[note], self._array[array]
        assert isinstance(access, AccessNote)
        width = max(size // self.arrays[number].dtype.itemsize, 1)
        site = Site(access.span, statement, number, access.access, width)
        for position, other in enumerate(self.sites):
            if replace(other, dtype=None) == site:  # the log has no types
                return position
        for position, other in enumerate(self.sites):  # a conversion belongs to the statement that needs it
            if (other.span, other.array, other.access, other.width) == (site.span, number, site.access, width):
                return position
        self.sites.append(site)
        return len(self.sites) - 1

    def _array_number(self, logged: LoggedArray) -> int:
        """Return the number of an array; several of one name are in the order of their declarations."""
        key = (logged.name, logged.space)
        known = [number for number, array in enumerate(self.arrays) if (array.name, array.space) == key]
        if known:
            same = [other for other in self._entries.arrays if (other.name, other.space) == key]
            return known[min(same.index(logged), len(known) - 1)]
        self.arrays.append(ArrayInfo(logged.name, logged.space, np.dtype(np.uint8), (logged.bytes,)))
        return len(self.arrays) - 1
