"""Save and restore of the parser's state, to read something elsewhere in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernels.frontend.parser.cursor import Cursor
    from kernels.frontend.parser.state import State


class SavedState:
    """Saves where the parser is, opens the scope of the whole file, and restores everything at the end."""

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
        del state.scopes.levels[2:]
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
