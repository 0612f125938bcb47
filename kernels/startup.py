"""Start of a command line, with the exit statuses common to all commands.

This module imports only the standard library, so that any other import that fails is reported in one line.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Final, NoReturn

UNUSABLE: Final = 2
"""Exit status when the input or the installation cannot be used."""

INTERNAL_ERROR: Final = 70
"""Exit status after an unhandled exception, a bug in tilescope (EX_SOFTWARE of sysexits.h)."""

INTERRUPTED: Final = 130
"""Exit status that shells report after Ctrl+C."""

OUTPUT_CLOSED: Final = 141
"""Exit status that shells report when the reader of the output ended first, as in `tilescope kernels | head`."""

TRACEBACK: Final = "TILESCOPE_TRACEBACK"
"""Environment variable: when it is set, the traceback of an internal error is printed."""


def start(module: str) -> NoReturn:
    """Run the function `main` of a module and exit with its status.

    Any exception ends the process with one line on standard error, never with status 1.
    """
    try:
        importlib.import_module(module).main(prog_name="tilescope")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception as error:
        if os.environ.get(TRACEBACK):
            sys.excepthook(type(error), error, error.__traceback__)
        words = " ".join(f"{type(error).__name__}: {error}".split())
        print(f"tilescope: internal error: {words}; set {TRACEBACK}=1 to see where", file=sys.stderr)
        sys.exit(INTERNAL_ERROR)
    sys.exit(0)
