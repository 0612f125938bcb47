"""The tables of a recorded trace: the simulator's, with what the GPU did beyond them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels.frontend.unparse.expressions import shown
from kernels.recorder.log import AccessNote
from kernels.trace.records import ArrayInfo, Register, Site, Statement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.recorder.log import AssignmentNote, StepNote
    from kernels.recorder.log_entries import Entries, Met
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
        self._array = [self._found(met) for met in entries.arrays]

    def statement(self, step: StepNote) -> int:
        """Return the number of the statement that a step executes."""
        found = [n for n, s in enumerate(self.statements) if s.span == step.span]
        for number in found:
            if self.statements[number].kind == step.kind:
                return number
        self.statements.append(Statement(step.span, shown(self._text, step.span, self._included), step.kind))
        return len(self.statements) - 1

    def register(self, assigned: AssignmentNote) -> int:
        """Return the number of a variable's register."""
        for number, one in enumerate(self.registers):
            if one == Register(assigned.name, assigned.function, assigned.dtype, assigned.span):
                return number
        size = max(self._entries.bytes[self._entries.note == self._entries.notes.index(assigned)], default=4)
        self.registers.append(Register(assigned.name, assigned.function, np.dtype(f"u{size}"), assigned.span))
        return len(self.registers) - 1

    def sites_of(self, rows: NDArray[np.int64], statement: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the site of each of these accesses, made by a step of that statement."""
        entries = self._entries
        columns = (statement, entries.note[rows], entries.array[rows], entries.bytes[rows])
        # One number for each combination: rows of four are slow to sort.
        shape = tuple(int(column.max(initial=0)) + 1 for column in columns)
        found, inverse = np.unique(np.ravel_multi_index(columns, shape), return_inverse=True)
        combinations = zip(*(column.tolist() for column in np.unravel_index(found, shape)), strict=True)
        sites = np.array([self._site(*combination) for combination in combinations], np.int64)
        return sites[inverse]

    def _site(self, statement: int, note: int, array: int, size: int) -> int:
        noted, number = self._entries.notes[note], self._array[array]
        assert isinstance(noted, AccessNote)
        width = max(size // self.arrays[number].dtype.itemsize, 1)
        site = Site(noted.span, statement, number, noted.access, width)
        if site in self.sites:
            return self.sites.index(site)
        for known, other in enumerate(self.sites):  # a conversion has no statement of its own
            if (other.span, other.array, other.access, other.width) == (
                site.span,
                number,
                site.access,
                width,
            ):
                return known
        self.sites.append(site)
        return len(self.sites) - 1

    def _found(self, met: Met) -> int:
        """Return the number of an array; those of one name stand in the order of their declarations."""
        key = (met.name, met.space)
        known = [number for number, array in enumerate(self.arrays) if (array.name, array.space) == key]
        if known:
            same = [other for other in self._entries.arrays if (other.name, other.space) == key]
            return known[min(same.index(met), len(known) - 1)]
        self.arrays.append(ArrayInfo(met.name, met.space, np.dtype(np.uint8), (met.bytes,)))
        return len(self.arrays) - 1
