"""Cooperative cancellation: long work asks, at cheap places, whether its result is still wanted.

`cancellable` takes the function that knows; the preprocessor, the parser and the compiler call `checkpoint` once for
each line, macro, declaration, statement and instance of a template. Each thread has its own function.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Cancelled(Exception):
    """The result is no longer wanted. Not a TilescopeError: nothing was wrong, and no recovery may go on from it."""


_asked: ContextVar[Callable[[], bool] | None] = ContextVar("cancelled", default=None)


@contextmanager
def cancellable(cancelled: Callable[[], bool] | None) -> Iterator[None]:
    """Inside, `checkpoint` raises Cancelled once `cancelled`, or the function of a `cancellable` around, is true."""
    outside = _asked.get()
    if cancelled is None:
        yield
        return
    token = _asked.set(cancelled if outside is None else lambda: cancelled() or outside())
    try:
        yield
    finally:
        _asked.reset(token)


def checkpoint() -> None:
    """Go on, unless the work that this is part of was cancelled.

    Raises
    ------
    Cancelled
    """
    cancelled = _asked.get()
    if cancelled is not None and cancelled():
        raise Cancelled
