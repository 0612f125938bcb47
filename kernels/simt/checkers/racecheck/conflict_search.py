"""Search for elements on which accesses could conflict: one pass over the accesses, no sorting.

A table with an entry for each element holds the unit (thread or block) that wrote it last. If every access finds its
own unit in the entry, or no writer, the element has one user or only readers; all others are candidates for a race.

Example, units are threads: 0 writes element 5, 1 writes 6, 2 writes 5. The entry of 5 is 2; thread 0 finds 2 instead of
itself, so 5 is a candidate. A read of 6 by thread 1 finds 1: no candidate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_NONE: Final = -1
_MANY: Final = -2
"""Table entries: no writer, and several writers."""


class ConflictSearch:
    """The table, which is reused for every search: between two searches all entries are `_NONE`."""

    def __init__(self) -> None:
        self._table = np.zeros(0, np.int32)

    def conflicts(
        self, kinds: Sequence[str], ats: list[NDArray[Any]], units: list[NDArray[Any]], size: int
    ) -> NDArray[np.int64]:
        """Return the elements that different units access, with a write, or with an atomic and a plain read.

        Parameters
        ----------
        kinds, ats, units : lists of equal length
            For each group of accesses "read", "write" or "atomic", the elements, and the unit of each access.
        size : int
            Number of elements.
        """
        if len(self._table) < size:
            self._table = np.full(size, _NONE, np.int32)
        groups = list(zip(kinds, ats, units, strict=True))
        # Two passes: a write conflicts with every access of another unit; an atomic conflicts with plain reads only,
        # since atomics do not race with each other.
        writes = [(at, unit) for kind, at, unit in groups if kind == "write"]
        atomics = [(at, unit) for kind, at, unit in groups if kind == "atomic"]
        reads = [(at, unit) for kind, at, unit in groups if kind == "read"]
        found = self._conflicts(writes, [*reads, *atomics], alone=False)
        found += self._conflicts(atomics, reads, alone=True) if reads else []
        return np.unique(np.concatenate(found)).astype(np.int64) if found else np.zeros(0, np.int64)

    def positions(self, ats: list[NDArray[Any]], elements: NDArray[np.int64]) -> list[NDArray[np.intp]]:
        """Return for each group the positions of the accesses to some elements."""
        table = self._table
        table[elements] = 0
        found = [np.flatnonzero(table[at] == 0) for at in ats]
        table[elements] = _NONE
        return found

    def _conflicts(
        self,
        writers: list[tuple[NDArray[Any], NDArray[Any]]],
        others: list[tuple[NDArray[Any], NDArray[Any]]],
        *,
        alone: bool,
    ) -> list[NDArray[Any]]:
        """Return elements where a writer differs from another unit; `alone`: not another writer."""
        table, found = self._table, []
        for at, unit in writers:
            table[at] = unit
        # Every writer looks up its elements after all have written: a unit that does not find itself was overwritten
        # by another unit.
        contested = [at[table[at] != unit] for at, unit in writers]
        for many in contested:
            if len(many):
                # Differs from every unit, so all other accesses to the element become candidates, too.
                table[many] = _MANY
                if not alone:
                    found.append(many)
        for at, unit in others if writers else ():
            seen = table[at]
            differs = seen != unit
            differs &= seen != _NONE
            if differs.any():
                found.append(at[differs])
        for at, _ in writers:
            table[at] = _NONE
        return found
