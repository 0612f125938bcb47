"""The errors that a user can meet. Every message says what was wrong, where, and what would work."""

from __future__ import annotations

from typing import Final

NOT_ENOUGH_MEMORY: Final = "this machine does not have enough memory for that: choose a smaller size"
"""Message for a MemoryError of which nothing more is known."""


class TilescopeError(Exception):
    """Something the user can act on; its text is one clear line."""


class InputError(TilescopeError):
    """A value given on a command line, in a file or in a field that cannot be used."""


class LaunchError(TilescopeError):
    """A grid, block or shared-memory choice that the device or the kernel refuses."""


class UnavailableError(TilescopeError):
    """Something this machine lacks (a GPU, a driver, CuPy, NVRTC), and how to get it."""


class DeviceError(TilescopeError):
    """A kernel broke the CUDA context (an illegal address, say): nothing more can run in this process."""


class SourceError(TilescopeError):
    """CUDA C that cannot be read or is not supported.

    Parameters
    ----------
    file : str
        Name of the source, as the user gave it.
    line, column : int
        Where, both counted from 1.
    reason : str
        What is wrong and, where there is one, the nearest thing that works.
    """

    def __init__(self, file: str, line: int, column: int, reason: str) -> None:
        super().__init__(f"{file}:{line}:{column}: {reason}")
        self.file = file
        self.line = line
        self.column = column
        self.reason = reason

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash(self.args)

    def __reduce__(self) -> tuple[type, tuple[str, int, int, str], dict[str, object]]:
        # Pickling calls the class with `args`, which is the one message unless this says otherwise.
        return type(self), (self.file, self.line, self.column, self.reason), vars(self)
