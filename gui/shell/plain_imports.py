"""Fast imports: by Python's own import statement, which PySide replaces, and without garbage collections.

PySide's reads the source of every module that is imported and searches it for "PySide6", for the sake of `from
__feature__ import snake_case`, which nobody uses here: a quarter of the time until the window is shown, and 10 MB of
text that Python keeps for tracebacks.
"""

from __future__ import annotations

import builtins
import gc
from importlib import import_module


def keep_plain_imports() -> None:
    """Import Qt, leave the import statement as it was, and collect no garbage until `garbage.resume`.

    To be called before the window's modules are imported.

    Raises
    ------
    ImportError
        When a library of Qt is missing.
    """
    gc.disable()
    import_module("PySide6.QtCore")
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
