"""Files: check before the work that one can be written, replace an old one only by a complete one, name failures."""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kernels.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROBE: Final = bytes(4096)
"""One block of a file system: a full disk may still have room for less."""

_WHAT_WORKS: Final = "choose a file in a folder that you can write to"


def reason_of(error: OSError | UnicodeDecodeError) -> str:
    """Return why a file cannot be read, without its name."""
    return "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror or str(error)


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Yield the name of a new file in the same folder, which replaces `path` when the block ends.

    When the block raises, `path` stays as it was. A device such as /dev/null is written to directly, and of a symbolic
    link its target is replaced.

    Raises
    ------
    InputError
        When the file cannot be written, and for every OSError in the block.
    """
    try:
        target = Path(os.path.realpath(path))
        _check_target(target)
        if _is_device(target):
            yield target
            return
        temporary = _temporary(target)
        try:
            os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
            yield temporary
            if target.exists():
                shutil.copymode(target, temporary)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise _refusal(path, error) from error


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file with the line ends of the text; errors as `atomic_file`."""
    with atomic_file(path) as file:
        file.write_text(text, encoding="utf-8", newline="")


def check_writable(path: Path) -> None:
    """Refuse a file that cannot be written; neither it nor its folder is changed.

    Raises
    ------
    InputError
        When the folder is missing, full or not writable, or the path is a folder or a read-only file.
    """
    try:
        target = Path(os.path.realpath(path))
        _check_target(target)
        if _is_device(target):
            _probe_device(target)
            return
        temporary = _temporary(target)
        try:
            temporary.write_bytes(_PROBE)
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
    except OSError as error:
        raise _refusal(path, error) from error


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, and refuse one in which no file can be written.

    Raises
    ------
    InputError
        When the path is a file, or the folder is full or not writable.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise InputError(f"{path}: is a file: choose a folder") from error
    except OSError as error:
        raise InputError(f"{path}: the folder cannot be made: {_reason(error)}") from error
    try:
        check_writable(path / "file")
    except InputError as error:
        reason = _reason(error.__cause__ or error)
        raise InputError(f"{path}: no file can be written in this folder: {reason}") from error


def _check_target(target: Path) -> None:
    """Raise OSError for a path that must not be replaced by a new file."""
    if target.is_dir():
        raise IsADirectoryError("it is a folder")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent}")
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError("it is read-only")


def _is_device(target: Path) -> bool:
    """Return whether a path is a terminal, a pipe, /dev/null or the like, which cannot be replaced."""
    return target.exists() and not stat.S_ISREG(target.stat().st_mode)


def _probe_device(target: Path) -> None:
    """Write zero bytes to a device, which /dev/full refuses; do not wait for the reader of a pipe."""
    descriptor = os.open(target, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    try:
        os.write(descriptor, b"")
    finally:
        os.close(descriptor)


def _temporary(target: Path) -> Path:
    """Return an unused name in the target's folder, with the target's suffix, by which libraries choose the format."""
    return target.with_name(f".tilescope-{os.urandom(6).hex()}{target.suffix[:16]}")


def _refusal(path: Path, error: OSError) -> InputError:
    return InputError(f"{path}: cannot be written: {_reason(error)}; {_WHAT_WORKS}")


def _reason(error: BaseException) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
