"""Garbage collection while many points are in memory."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sized

_MANY: Final = 2_000
"""Rows that take 20 ms of a full collection."""


def exempt(rows: Sized) -> None:
    """Leave what is in memory out of later collections, if these rows are many.

    A full collection looks at every sample and stops the window: 90 ms with 10,000 points. Samples hold no cycles: they
    are freed without it.
    """
    if len(rows) >= _MANY:
        gc.freeze()
