"""The window. It imports `kernels`, but names no kernel and never imports CuPy."""

from typing import Final

DISTRIBUTION: Final = "tilescope"
"""Marks this package as tilescope's: `gui.launcher` reads this line."""
