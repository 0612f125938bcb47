"""The end of a run of the edited text, without Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui.explore.code.vocabulary import nearest_names
from kernels.errors import SourceError, UnknownName

if TYPE_CHECKING:
    from pathlib import Path

    from gui.explore.playback.story import Story
    from kernels.errors import TilescopeError


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """A story, or the error that the run ended with."""

    file: Path
    text: str
    """The text that ran."""
    story: Story | None
    error: TilescopeError | None = None

    @property
    def place(self) -> tuple[int, int] | None:
        """Line and column of the error in the text, both from 1; None if it has no place there."""
        error = self.error
        if isinstance(error, SourceError) and error.file == self.file.name:
            return error.line, error.column
        return None

    @property
    def words(self) -> str:
        """What is wrong and where, in one line; empty if nothing is."""
        if self.error is None:
            return ""
        if self.place is not None and isinstance(self.error, SourceError):
            return f"Line {self.error.line}, column {self.error.column}: {self.error.reason}{self._nearest}"
        return self.error.titled

    @property
    def _nearest(self) -> str:
        """Names that may be meant, where one is unknown."""
        cause = self.error.cause if isinstance(self.error, SourceError) else None
        near = nearest_names(cause.name, self.text) if isinstance(cause, UnknownName) else []
        return f"; the nearest is {' or '.join(near)}" if near else ""
