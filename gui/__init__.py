"""The window. It imports `kernels`; it knows no kernel by name and never touches CuPy."""

from typing import Final

DISTRIBUTION: Final = "tilescope"
"""Tells this package from others of its name: `gui.launcher` reads this line."""
