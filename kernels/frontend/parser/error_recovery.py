"""Reading that may fail: what cannot be read is left out, until it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.errors import SourceError
from kernels.frontend.parser.functions import FunctionReader

if TYPE_CHECKING:
    from kernels.frontend.lexer.tokens import Text
    from kernels.frontend.preprocessor.declaration_outline import Survey
    from kernels.frontend.preprocessor.macros import Piece


class AttemptReader(FunctionReader):
    """Notes what could not be read. `skipped` tells what was left out, and why."""

    def __init__(self, source: Text, pieces: list[Piece]) -> None:
        super().__init__(source, pieces)
        self.skipped: list[tuple[str, str]] = []
        self.unread: list[tuple[str, SourceError]] = []
        """The kernels that cannot be read."""
        self.first_error: SourceError | None = None

    def keep(self, attempt: Attempt, outline: Survey) -> None:
        """Remember why a function or a variable of the device could not be read."""
        if attempt.error is not None:
            self.first_error = self.first_error or attempt.error
            if "__global__" in outline.words:
                self.unread.append((outline.name, attempt.error))

    def attempt(self, name: str) -> Attempt:
        """Read something that may be left out: where that fails, the name is noted with the reason."""
        return Attempt(self, name)


class Attempt:
    """Puts the reader back where it was when reading fails, and notes why."""

    __slots__ = ("_name", "_reader", "_state", "error")

    def __init__(self, reader: AttemptReader, name: str) -> None:
        self._reader, self._name = reader, name
        self.error: SourceError | None = None
        self._state = (reader.at, reader.depth, len(reader.scopes.levels), reader.signature, reader.in_angles)

    def __enter__(self) -> Attempt:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, SourceError):
            return False
        reader = self._reader
        reader.at, reader.depth, levels, reader.signature, reader.in_angles = self._state
        del reader.scopes.levels[levels:]
        reader.skipped.append((self._name, str(error)))
        self.error = error
        return True
