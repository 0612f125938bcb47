"""Base class of the parts of the parser, with save and restore of the parser's state and error recovery."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.errors import SourceError
from kernels.frontend.ast import Omission

if TYPE_CHECKING:
    from kernels.frontend.parser.cursor import Cursor
    from kernels.frontend.parser.grammar import Grammar
    from kernels.frontend.parser.state import State
    from kernels.frontend.preprocessor.declaration_outline import Outline


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
        """Index of the closing bracket, by the index of the opening one."""
        self.state = state
        self.grammar = grammar

    def attempt(self, name: str) -> Attempt:
        """Return a context in which a SourceError leaves a declaration out; `name` is recorded with the reason."""
        return Attempt(self.tokens, self.state, name)

    def saved_state(self) -> SavedState:
        """Return a context in which the parser may move elsewhere in the file; it restores the state at its end."""
        return SavedState(self.tokens, self.state)


class SavedState:
    """Saves the parser's position and state, opens the scope of the whole file, and restores both on exit.

    Templates are parsed again from their tokens. In

        template <int N> struct Row { float data[N]; };
        __global__ void k() { int N = 3; Row<8> row; }

    the parser is at `>` of `Row<8>` when it goes back to the token `template`. There only names of the file are
    visible, so that the local `N` hides nothing, no template arguments are open (`>` compares again), and nesting
    counts from 0. After the struct the parser continues after `Row<8>` with the scopes of `k`.
    """

    __slots__ = ("_saved", "_state", "_tokens")

    def __init__(self, tokens: Cursor, state: State) -> None:
        self._tokens, self._state = tokens, state
        self._saved = (
            tokens.at,
            tokens.depth,
            state.tree_height,
            state.signature,
            state.in_angles,
            state.split_angle,
            state.function_name,
            state.instance_depth,
            state.scopes.levels[:],
        )
        del state.scopes.levels[2:]  # the names of C and those of the file remain
        tokens.depth, state.signature, state.in_angles, state.split_angle = 0, False, False, -1

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        tokens, state = self._tokens, self._state
        (
            tokens.at,
            tokens.depth,
            state.tree_height,
            state.signature,
            state.in_angles,
            state.split_angle,
            state.function_name,
            state.instance_depth,
            levels,
        ) = self._saved
        state.scopes.levels[:] = levels


class Attempt:
    """Restores the parser when a declaration cannot be parsed, and records its name with the reason.

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
        state.omissions.append(Omission.of(self._name, error))
        self.error = error
        return True

    def record(self, outline: Outline) -> None:
        """Record the error of device code: the first one, and that of each kernel."""
        state = self._state
        if self.error is not None:
            state.first_error = state.first_error or self.error
            if "__global__" in outline.words:
                state.kernel_errors.append((outline.name, self.error))
