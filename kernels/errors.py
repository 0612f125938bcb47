"""Errors that a user can meet, each with a message, and with a cause where a program decides on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

NOT_ENOUGH_MEMORY: Final = "this machine does not have enough memory for that: choose a smaller size"
"""Message for a MemoryError of which nothing more is known."""


class TilescopeError(Exception):
    """Something the user can act on; its text is one clear line."""

    @property
    def titled(self) -> str:
        """The text with a kernel named by its title, as the window's lists name it."""
        return str(self)


class InputError(TilescopeError):
    """A value on a command line, in a file or in a field that cannot be used."""


class LaunchError(TilescopeError):
    """A grid, block or shared-memory choice that the device or the kernel refuses.

    Parameters
    ----------
    text : str
        The message, with the kernel's id, as command lines name it.
    titled : str, optional
        The message with the kernel's title, if it names a kernel.
    """

    def __init__(self, text: str, titled: str = "") -> None:
        super().__init__(text)
        self._titled = titled

    @property
    def titled(self) -> str:
        """The text with a kernel named by its title."""
        return self._titled or str(self)


class UnavailableError(TilescopeError):
    """Something this machine lacks (a GPU, a driver, CuPy, NVRTC), and how to get it."""


class DeviceError(TilescopeError):
    """A kernel broke the CUDA context, for example by an illegal address: nothing more can run in this process."""


@dataclass(frozen=True, slots=True)
class UnknownName:
    """A name that no declaration introduces."""

    name: str


@dataclass(frozen=True, slots=True)
class UnknownArrayLength:
    """The length of an array is not a constant expression."""

    names: tuple[str, ...]
    """Names in the length; an undeclared one, on which it depends, comes first."""


@dataclass(frozen=True, slots=True)
class ImageShape:
    """The array of a texture or surface has another shape than a call reads."""

    array: str
    shape: tuple[int | None, ...]
    """Shape that the call reads; None for a side of any length."""


@dataclass(frozen=True, slots=True)
class ImageType:
    """The array of a texture or surface has another type than a call reads."""

    array: str
    dtype: str
    """Name of the NumPy type that the call reads."""


@dataclass(frozen=True, slots=True)
class MissingMember:
    """A type has no member of a name."""

    type: str
    member: str


Cause = UnknownName | UnknownArrayLength | ImageShape | ImageType | MissingMember
"""Kinds of source errors on which a program decides: the class is the code, its fields are the names and sizes."""


class SourceError(TilescopeError):
    """CUDA C that cannot be read or is not supported.

    Parameters
    ----------
    file : str
        Name of the source, as the user gave it.
    line, column : int
        Where, both counted from 1.
    reason : str
        What is wrong and, if there is one, the nearest construct that works. For people only.
    cause : Cause, optional
        The same for programs; None for an error that no program evaluates.
    """

    def __init__(self, file: str, line: int, column: int, reason: str, cause: Cause | None = None) -> None:
        super().__init__(f"{file}:{line}:{column}: {reason}")
        self.file = file
        self.line = line
        self.column = column
        self.reason = reason
        self.cause = cause

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash(self.args)

    def __reduce__(self) -> tuple[type, tuple[str, int, int, str], dict[str, object]]:
        # By default pickling calls the class with `args`, which holds only the message.
        return type(self), (self.file, self.line, self.column, self.reason), vars(self)
