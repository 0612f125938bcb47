"""Base class of the parts of the parser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend.parser.error_recovery import Attempt
from kernels.frontend.parser.saved_state import SavedState

if TYPE_CHECKING:
    from kernels.frontend.parser.cursor import Cursor
    from kernels.frontend.parser.grammar import Grammar
    from kernels.frontend.parser.state import State


class Part:
    """The productions of one area of the grammar.

    All parts of a parser share one token cursor and one state, and call each other through `grammar`.
    """

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
        """Return a context in which a SourceError leaves a declaration out: its name is noted with the reason."""
        return Attempt(self.tokens, self.state, name)

    def saved_state(self) -> SavedState:
        """Return a context in which the parser may go elsewhere in the file; the state is restored after it."""
        return SavedState(self.tokens, self.state)
