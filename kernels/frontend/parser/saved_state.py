"""Reading something elsewhere in a file, and coming back."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernels.frontend.templates.instances import InstanceReader


class Aside:
    """Remembers where the reader is, and brings it back."""

    __slots__ = ("_reader", "_state")

    def __init__(self, reader: InstanceReader) -> None:
        self._reader = reader
        self._state = (
            reader.at, reader.depth, reader.height, reader.signature, reader.in_angles, reader.half,
            reader.inside_of, reader.instances, reader.scopes.levels[:],
        )  # fmt: skip
        del reader.scopes.levels[2:]
        reader.depth, reader.signature, reader.in_angles, reader.half = 0, False, False, -1

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        reader = self._reader
        (
            reader.at, reader.depth, reader.height, reader.signature, reader.in_angles, reader.half,
            reader.inside_of, reader.instances, levels,
        ) = self._state  # fmt: skip
        reader.scopes.levels[:] = levels
