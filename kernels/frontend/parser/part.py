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
        self.texts = tokens.texts
        """Texts of all tokens; `texts[tokens.at]` is the next one."""
        self.kinds = tokens.kinds
        """Kinds of all tokens."""
        self.closes = tokens.closes
        """By the index of an opening bracket: that of the bracket that closes it."""
        self.state = state
        self.grammar = grammar

    def attempt(self, name: str) -> Attempt:
        """Read something that may be left out: if that fails, the name is noted with the reason."""
        return Attempt(self.tokens, self.state, name)

    def saved_state(self) -> SavedState:
        """Read something elsewhere in the file, with its names only, and come back."""
        return SavedState(self.tokens, self.state)
