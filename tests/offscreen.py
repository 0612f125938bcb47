"""Qt's platform without a display, for tests and benchmarks that show the window."""

from __future__ import annotations

from pathlib import Path
from typing import Final

OFFSCREEN: Final = f"offscreen:configfile={Path(__file__).with_name('screen.json')}"
"""A screen with room for the window. Qt's own offscreen screen is 800x800, where the window opens maximised."""
