"""The window. It imports `kernels`, but names no kernel and never imports CuPy."""

from typing import Final

DISTRIBUTION: Final = "tilescope"
"""Tells this package from others of its name: `gui.launcher` reads this line."""
