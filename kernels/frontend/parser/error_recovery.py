"""Error recovery: a declaration that cannot be parsed is left out, and refused where it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.errors import SourceError

if TYPE_CHECKING:
    from kernels.frontend.parser.cursor import Cursor
    from kernels.frontend.parser.state import State
    from kernels.frontend.preprocessor.declaration_outline import Outline


class Attempt:
    """Restores the parser when a declaration cannot be parsed, and notes its name with the reason.

    Files hold host code and library types that are not supported. Only device code that uses such a name is refused.
    """

    __slots__ = ("_name", "_saved", "_state", "_tokens", "error")

    def __init__(self, tokens: Cursor, state: State, name: str) -> None:
        self._tokens, self._state, self._name = tokens, state, name
        self.error: SourceError | None = None
        self._saved = (tokens.at, tokens.depth, len(state.scopes.levels), state.signature, state.in_angles)

    def __enter__(self) -> Attempt:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, SourceError):
            return False
        tokens, state = self._tokens, self._state
        tokens.at, tokens.depth, levels, state.signature, state.in_angles = self._saved
        del state.scopes.levels[levels:]
        state.skipped.append((self._name, str(error)))
        self.error = error
        return True

    def record(self, outline: Outline) -> None:
        """Note the error of device code: the first one, and that of each kernel."""
        state = self._state
        if self.error is not None:
            state.first_error = state.first_error or self.error
            if "__global__" in outline.words:
                state.unread.append((outline.name, self.error))
