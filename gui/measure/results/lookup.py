"""Results that are computed in a worker thread, one after the other, and kept."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QObject, QTimer, Signal

from gui.shell.jobs import JobRunner

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

_ANNOUNCE_MS: Final = 250


class Lookup(QObject):
    """Results of `compute` by key: known ones at once, others later.

    Parameters
    ----------
    compute : callable
        Called in a worker thread with a key; a TilescopeError becomes the result of that key.
    known : callable, optional
        Returns the result of a key that needs no computing, else None. It must be fast: it is called by `get`.

    Signals
    -------
    changed()
        New results are known; several come together.
    """

    changed = Signal()

    def __init__(self, compute: Callable[[Any], object], *, known: Callable[[Any], object] | None = None) -> None:
        super().__init__()
        self._compute, self._known = compute, known
        self._found: dict[Hashable, Any] = {}
        """Results in the order in which they came."""
        self._waiting: dict[Hashable, None] = {}
        self._current: Hashable | None = None
        self._paused = False
        self._jobs = JobRunner(self)
        self._jobs.finished.connect(self._take)
        self._jobs.failed.connect(self._take)
        self._announce = QTimer(self, singleShot=True, interval=_ANNOUNCE_MS)
        self._announce.timeout.connect(self.changed)

    @property
    def open(self) -> int:
        """Number of results that are still to be computed."""
        return len(self._waiting) + (self._current is not None)

    @property
    def version(self) -> int:
        """Number of results that were computed."""
        return len(self._found)

    def since(self, version: int) -> list[Any]:
        """Return the keys of the results that were computed after a version."""
        return list(islice(reversed(self._found), self.version - version))

    @property
    def busy(self) -> bool:
        """True while results are computed, or not announced yet."""
        return self._current is not None or self._announce.isActive()

    def get(self, key: Hashable) -> Any:
        """Return the result, the TilescopeError that says why there is none, or None while it is not known."""
        found = self._found.get(key)
        return self._known(key) if found is None and self._known is not None else found

    def request(self, keys: Iterable[Hashable]) -> None:
        """Compute the results that are not known; what only an earlier request asked for is dropped."""
        self._waiting = {key: None for key in keys if key != self._current and self.get(key) is None}
        self._next()

    def pause(self, paused: bool) -> None:
        """Stop computing, or go on; the result that is being computed is begun again."""
        self._paused = paused
        if paused and self._current is not None:
            self._jobs.cancel()
            self._waiting = {self._current: None, **self._waiting}
            self._current = None
        self._next()

    def close(self) -> None:
        """Stop computing and wait for the thread."""
        self.pause(True)
        self._announce.stop()
        self._jobs.close()

    def _next(self) -> None:
        if self._paused or self._current is not None or not self._waiting:
            return
        key = self._current = next(iter(self._waiting))
        del self._waiting[key]
        self._jobs.start(lambda _cancelled: self._compute(key))

    def _take(self, result: object) -> None:
        if self._current is None:
            return
        self._found[self._current] = result
        self._current = None
        if not self._announce.isActive():
            self._announce.start()
        self._next()
