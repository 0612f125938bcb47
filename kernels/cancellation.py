"""Cooperative cancellation: long work checks, at cheap checkpoints, for a request to stop.

`cancellable` takes a function that returns whether to stop. The preprocessor, the parser and the compiler call
`checkpoint` once for each line, macro, declaration, statement and instance of a template. Each thread has a separate
function.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


CHECK_EVERY: Final = 32
"""Between two checkpoints lies about a millisecond of work."""


class Cancelled(Exception):
    """The work was cancelled. Not a TilescopeError, so that no recovery from input errors catches it."""


class _Work:
    """Work that can be cancelled, and the number of checkpoints until its function is called again."""

    __slots__ = ("cancelled", "until_check")

    def __init__(self, cancelled: Callable[[], bool]) -> None:
        self.cancelled = cancelled
        self.until_check = CHECK_EVERY


_work: ContextVar[_Work | None] = ContextVar("work", default=None)


@contextmanager
def cancellable(cancelled: Callable[[], bool] | None) -> Iterator[None]:
    """In the block, `checkpoint` raises Cancelled once `cancelled`, or the function of an outer block, returns true."""
    outside = _work.get()
    if cancelled is None:
        yield
        return
    token = _work.set(_Work(cancelled if outside is None else lambda: cancelled() or outside.cancelled()))
    try:
        yield
    finally:
        _work.reset(token)


def checkpoint() -> None:
    """Raise `Cancelled` if the enclosing work was cancelled; every `CHECK_EVERY`-th call checks that.

    Raises
    ------
    Cancelled
    """
    work = _work.get()
    if work is None:
        return
    work.until_check -= 1
    if not work.until_check:
        work.until_check = CHECK_EVERY
        if work.cancelled():
            raise Cancelled
