"""Source that cannot be read, shown with its error until an edit mends it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.errors import TilescopeError


@dataclass(frozen=True, slots=True, eq=False)
class UnreadSource:
    """File and text of a source, and the error that reading it ended with."""

    file: Path
    text: str
    error: TilescopeError

    @property
    def words(self) -> str:
        """What to do next, in one line."""
        return "The file has an error. Correct and save it: it is read again."
