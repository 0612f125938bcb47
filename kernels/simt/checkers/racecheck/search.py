"""Search for elements on which accesses could conflict: one pass over the accesses, no sorting.

A table holds for each element the unit (thread or block) that wrote it last. An element on which nobody reads
an entry other than its own has one user only, or readers only; every other element is looked at in detail.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_NONE: Final = -1
_MANY: Final = -2


class Search:
    """A table of elements that is used again and again."""

    def __init__(self) -> None:
        self._table = np.zeros(0, np.int32)

    def clashing(
        self, kinds: Sequence[str], ats: list[NDArray[Any]], units: list[NDArray[Any]], size: int
    ) -> NDArray[np.int64]:
        """Return the elements where units differ and one of them writes; two atomics do not clash.

        Parameters
        ----------
        kinds, ats, units : lists of equal length
            For each group of accesses "read", "write" or "atomic", the elements, and who made each.
        size : int
            Number of elements.
        """
        if len(self._table) < size:
            self._table = np.full(size, _NONE, np.int32)
        groups = list(zip(kinds, ats, units, strict=True))
        writes = [(at, unit) for kind, at, unit in groups if kind == "write"]
        atomics = [(at, unit) for kind, at, unit in groups if kind == "atomic"]
        reads = [(at, unit) for kind, at, unit in groups if kind == "read"]
        bad = self._meet(writes, [*reads, *atomics], alone=False)
        bad += self._meet(atomics, reads, alone=True) if reads else []
        return np.unique(np.concatenate(bad)).astype(np.int64) if bad else np.zeros(0, np.int64)

    def positions(self, ats: list[NDArray[Any]], elements: NDArray[np.int64]) -> list[NDArray[np.intp]]:
        """Return for each group the positions that touch one of the elements."""
        table = self._table
        table[elements] = 0
        found = [np.flatnonzero(table[at] == 0) for at in ats]
        table[elements] = _NONE
        return found

    def _meet(
        self,
        writers: list[tuple[NDArray[Any], NDArray[Any]]],
        others: list[tuple[NDArray[Any], NDArray[Any]]],
        *,
        alone: bool,
    ) -> list[NDArray[Any]]:
        """Return elements where a writer meets another unit; `alone`: writers among themselves do not."""
        table, bad = self._table, []
        for at, unit in writers:
            table[at] = unit
        crowded = [at[table[at] != unit] for at, unit in writers]
        for many in crowded:
            if len(many):
                table[many] = _MANY
                if not alone:
                    bad.append(many)
        for at, unit in others if writers else ():
            seen = table[at]
            found = seen != unit
            found &= seen != _NONE
            if found.any():
                bad.append(at[found])
        for at, _ in writers:
            table[at] = _NONE
        return bad
