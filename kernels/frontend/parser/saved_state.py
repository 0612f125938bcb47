"""Save and restore of the parser's state."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernels.frontend.parser.cursor import Cursor
    from kernels.frontend.parser.state import State


class SavedState:
    """Saves the parser's position and state, opens the scope of the whole file, and restores both on exit.

    Templates are parsed again from their tokens. In

        template <int N> struct Row { float data[N]; };
        __global__ void k() { int N = 3; Row<8> row; }

    the parser is at `>` of `Row<8>` when it goes back to the token `template`. There only names of the file are
    visible, so that
    the local `N` does not hide anything, no template arguments are open (`>` compares again), and nesting counts from
    0. After
    the struct it continues after `Row<8>` with the scopes of `k`.
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
        del state.scopes.levels[2:]  # what remains: the names of C and those of the file
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
