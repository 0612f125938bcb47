"""The base of all parts of the parser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend.parser.error_recovery import Attempt
from kernels.frontend.parser.saved_state import SavedState

if TYPE_CHECKING:
    from kernels.frontend.parser.cursor import Cursor
    from kernels.frontend.parser.grammar import Grammar
    from kernels.frontend.parser.state import State


class Part:
    """Productions of one area of the grammar: they read tokens, share one state, and call each other's parts."""

    def __init__(self, tokens: Cursor, state: State, grammar: Grammar) -> None:
        self.tokens = tokens
        self.state = state
        self.grammar = grammar

    def attempt(self, name: str) -> Attempt:
        """Read something that may be left out: if that fails, the name is noted with the reason."""
        return Attempt(self.tokens, self.state, name)

    def aside(self) -> SavedState:
        """Read something elsewhere in the file, with its names only, and come back."""
        return SavedState(self.tokens, self.state)
