"""Tiles of the start page, read from `resources/start.toml`, so that no view has the name of a lesson or a kernel.

Other pages use the kernels of the tile about rates: the Benchmark page opens with their curves.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kernels import RESOURCES

if TYPE_CHECKING:
    from pathlib import Path

PICTURES: Final = RESOURCES / "pictures" / "start"


@dataclass(frozen=True, slots=True)
class Tile:
    """A question, and the one thing that answers it."""

    id: str
    question: str
    says: str
    """What it is about, in words that need no course."""
    minutes: int = 0
    """Time of the lesson, or of a look; 0 for none."""
    lesson: str = ""
    step: int = 1
    """Step of the lesson, from 1."""
    lead: int = 0
    """Steps of the run that are played up to the moment of the lesson's step; of a kernel, those of its picture."""
    kernel: str = ""
    """A kernel that is played from its beginning."""
    page: str = ""
    """A page of the window, by its title."""
    curves: tuple[str, ...] = ()
    """Kernels whose measured rates are the picture."""
    opens: bool = False
    """True for the user's own file."""
    code: tuple[str, ...] = ()
    """Lines of text that are the picture."""

    def picture(self, theme: str) -> Path:
        """Return the moving picture for a light or dark theme."""
        return PICTURES / f"{self.id}_{theme}.gif"


def start_tiles() -> tuple[Tile, ...]:
    """Read the tiles. The file ships with the program: a test checks what it names."""
    data = tomllib.loads((RESOURCES / "start.toml").read_text(encoding="utf-8"))
    lists = ("curves", "code")
    return tuple(Tile(**entry | {name: tuple(entry.get(name, ())) for name in lists}) for entry in data["tile"])


def story() -> tuple[str, ...]:
    """Return the kernels whose rates tell how fast a product can be: those of the tile that draws them."""
    return next((tile.curves for tile in start_tiles() if tile.curves), ())
