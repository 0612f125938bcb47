"""Garbage collection that holds up no picture.

A full collection looks at all that may hold a cycle: 50 ms with the texts and parsed sources of many runs, 90 ms with
10,000 samples. Nearly all of it holds none, and is freed without a collection. So it is left out of later collections
when a run has been shown and when many samples have been read. What holds a cycle and is dropped after that stays in
memory until the collection after every 16th run, which leaves nothing out.

Nothing is collected from `keep_plain_imports` until the first page is shown: the modules and widgets that are made
then stay, and the collections would take 6 % of that time.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication

if TYPE_CHECKING:
    from collections.abc import Sized

_STARTED: Final = "leaves_out_of_collections"
"""Property of the application, 1 plus the runs shown; tests, which look for what was left behind, do not set it."""

RUNS_BETWEEN_FULL: Final = 16
"""Runs that are shown between two collections that look at everything."""

_MANY: Final = 2_000
"""Samples that take 20 ms of a full collection."""


def resume() -> None:
    """End the start, in which nothing is collected, and leave out what it has made."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def begin(application: QCoreApplication) -> None:
    """Leave out what the application has started with, and let `collect` and `leave_out` do their work."""
    application.setProperty(_STARTED, 1)
    gc.freeze()


def leave_out(samples: Sized) -> None:
    """Leave what is in memory out of later collections, if these samples are many."""
    if _started() and len(samples) >= _MANY:
        gc.freeze()


def collect() -> None:
    """Free what is held by cycles only, and leave the rest out of later collections."""
    application = QCoreApplication.instance()
    if application is not None and _started():
        runs = int(application.property(_STARTED))
        application.setProperty(_STARTED, runs + 1)
        if runs % RUNS_BETWEEN_FULL == 0:
            gc.unfreeze()
        gc.collect()
        gc.freeze()


def _started() -> bool:
    # gc.get_freeze_count() would tell, too, but it counts one by one: 8 ms.
    application = QCoreApplication.instance()
    return application is not None and bool(application.property(_STARTED))
