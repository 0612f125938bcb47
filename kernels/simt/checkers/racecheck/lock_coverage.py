"""Accesses that a lock did not protect: those between the atomicCAS that takes it and the next fence.

Nothing keeps such an access behind the atomicCAS, so whoever has the lock next, or had it before, may meet it. That
one of the two orders went well in this run says nothing, so what gives the lock back does not hand these accesses on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from kernels.simt.checkers.racecheck.happens_before import Event, Knowers

    Element = tuple[int, int]
    """Array, and index over all its copies."""


class Bare:
    """Knowers that have met a lock since their last fence, and the accesses made meanwhile.

    Each is kept twice: for fences that reach everyone (`True`), and for those of a block, too.
    """

    def __init__(self, knowers: Knowers) -> None:
        self._knowers = knowers
        self._open: dict[bool, dict[int, frozenset[Element]]] = {True: {}, False: {}}
        self._columns: dict[bool, dict[Element, list[int]]] = {True: {}, False: {}}

    def see(self, event: Event) -> None:
        """Let a lock, a fence or a barrier of a block, or of a part of one, take place."""
        if event.kind == "atomic" and event.locks:
            here = np.isin(event.lanes, self._knowers.lanes)
            rows = self._knowers.of(event.lanes[here]).tolist()
            elements = np.array(event.elements)[here].tolist()
            for row, at in zip(rows, elements, strict=True):
                for opened in self._open.values():
                    opened[row] = opened.get(row, frozenset()) | {(event.array, at)}
        elif event.kind in ("fence", "block-fence") and any(self._open.values()):
            rows = self._knowers.among(event.lanes).tolist()
            for far, opened in self._open.items():
                for row in rows if event.kind == "fence" or not far else ():
                    opened.pop(row, None)
        elif event.kind == "block" and any(self._open.values()):
            self._share(self._knowers.among(event.lanes))
        elif event.kind == "party" and event.at is not None and any(self._open.values()):
            for party in np.unique(event.at):
                self._share(self._knowers.among(event.lanes[event.at == party]))

    def begin(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> None:
        """Note accesses that knowers make now."""
        for far, opened in self._open.items():
            if opened:
                for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
                    for element in opened.get(row, ()):
                        self._columns[far].setdefault(element, []).append(column)

    def of(self, element: Element, *, far: bool) -> list[int]:
        """Return the columns of the accesses that a lock did not protect."""
        return self._columns[far].get(element, [])

    def _share(self, rows: Iterable[int]) -> None:
        """Let a lock that one thread has taken be that of all threads of its block that meet."""
        block = self._knowers.block
        for opened in self._open.values():
            for owner in {int(block[row]) for row in opened}:
                mates = [row for row in rows if block[row] == owner]
                met = frozenset[tuple[int, int]]().union(*(opened.get(row, ()) for row in mates))
                if met:
                    opened.update(dict.fromkeys(mates, met))
