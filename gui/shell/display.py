"""Preparation of the process for Qt: a check for it and for a display, and a faster import statement."""

from __future__ import annotations

import builtins
import ctypes
import gc
import os
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from kernels.installation import install_command

if TYPE_CHECKING:
    from collections.abc import Mapping

PACKAGES: Final = (
    "libegl1 libgl1 libdbus-1-3 libfontconfig1 libglib2.0-0 libx11-xcb1 libxkbcommon-x11-0 libxcb-cursor0 "
    "libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 libxcb-shape0 libxcb-xkb1"
)
"""Packages with the libraries that Qt loads, on Debian and Ubuntu ("Qt for X11 Requirements" in Qt's manual)."""

_EVERY_PLATFORM: Final = (
    "libEGL.so.1",
    "libGL.so.1",
    "libX11.so.6",
    "libdbus-1.so.3",
    "libfontconfig.so.1",
    "libglib-2.0.so.0",
    "libgthread-2.0.so.0",
    "libxkbcommon.so.0",
)
_XCB: Final = (
    "libX11-xcb.so.1",
    "libxcb-cursor.so.0",
    "libxcb-icccm.so.4",
    "libxcb-image.so.0",
    "libxcb-keysyms.so.1",
    "libxcb-randr.so.0",
    "libxcb-render-util.so.0",
    "libxcb-shape.so.0",
    "libxcb-shm.so.0",
    "libxcb-sync.so.1",
    "libxcb-util.so.1",
    "libxcb-xfixes.so.0",
    "libxcb-xkb.so.1",
    "libxkbcommon-x11.so.0",
)


def obstacle(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> str:
    """Return the reason why no window can be opened, in one line; empty if one can."""
    if not platform.startswith("linux"):
        return ""
    platform_plugin = environment.get("QT_QPA_PLATFORM", "").partition(":")[0]
    wayland, x11 = environment.get("WAYLAND_DISPLAY"), environment.get("DISPLAY")
    if not (platform_plugin or wayland or x11):
        return (
            "there is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set): "
            "'tilescope demo --headless' renders the tour into files"
        )
    uses_x11 = platform_plugin == "xcb" or (not platform_plugin and not wayland)
    libraries = _EVERY_PLATFORM + (_XCB if uses_x11 else ())
    missing = [name for name in libraries if not _loads(name)]
    if missing:
        return library_words(", ".join(missing))
    if uses_x11 and not _accepts_connections(x11 or ""):
        return f"the display '{x11 or ''}' does not answer: check DISPLAY, or set QT_QPA_PLATFORM"
    return ""


def missing_qt() -> str:
    """Return that Qt is not installed and how to install it, in one line; empty if it is."""
    missing = [name for name in ("PySide6", "pyqtgraph", "pygments", "PIL") if find_spec(name) is None]
    return f"the window needs {', '.join(missing)}: {install_command('gui')}" if missing else ""


def library_words(libraries: str) -> str:
    """Return the message about libraries that Qt needs and the system lacks, with the packages that contain them."""
    return f"Qt needs {libraries}: on Debian and Ubuntu, 'apt install {PACKAGES}'"


def _accepts_connections(display: str) -> bool:
    """Return whether the X server of a display accepts a connection."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XOpenDisplay.argtypes = [ctypes.c_char_p]
    x11.XCloseDisplay.argtypes = [ctypes.c_void_p]
    connection = x11.XOpenDisplay(display.encode())
    if connection:
        x11.XCloseDisplay(connection)
    return bool(connection)


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def keep_plain_imports() -> None:
    """Import Qt, leave the import statement as it was, and collect no garbage until `garbage.resume`.

    PySide's statement reads the source of every module that is imported and searches it for "PySide6", for the sake of
    `from __feature__ import snake_case`, which nobody uses here: a quarter of the time until the window is shown, and
    10 MB of text that Python keeps for tracebacks. To be called before the window's modules are imported.

    Raises
    ------
    ImportError
        When a library of Qt is missing.
    """
    gc.disable()
    import_module("PySide6.QtCore")
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
