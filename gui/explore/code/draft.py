"""Draft: a file that is edited, the source that it is compared with, and the outcome of its runs. No Qt."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kernels.catalog import FOOTER, catalog, kernel_files, read_source
from kernels.errors import InputError, SourceError, UnknownName
from kernels.files import make_folder, write_text
from kernels.user_folder import user_path

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.catalog import Kernel
    from kernels.errors import TilescopeError

_TITLE: Final = re.compile(r'^(title\s*=\s*)"(?P<title>.*)"\s*$', re.MULTILINE)
_ENTRY: Final = re.compile(r"^entry\s*=", re.MULTILINE)
_COPY: Final = re.compile(r"my_((.+)_\d+|.+)")
"""Stem of a copy: the id of the kernel, followed by a number if it is not the first."""

_FLAW: Final = re.compile(r'^flaw\s*=\s*".*"\s*\n', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Draft:
    """A file of the user that is written after each pause in typing."""

    file: Path
    original: Path
    """The kernel that was copied, or a copy of the user's file as it was before the first edit."""
    original_text: str
    newline: str = "\n"
    """Line ends of the file."""

    def write(self, text: str) -> None:
        """Write the file; raises InputError when that is impossible."""
        write_text(self.file, text.replace("\n", self.newline))


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """End of a run of the edited text, with its error if it has one."""

    file: Path
    text: str
    """The text that ran."""
    error: TilescopeError | None = None

    @property
    def place(self) -> tuple[int, int] | None:
        """Line and column of the error in the text, both from 1; None if it has no place there."""
        error = self.error
        if isinstance(error, SourceError) and error.file == self.file.name:
            return error.line, error.column
        return None

    @property
    def words(self) -> str:
        """What is wrong and where, in one line; empty if nothing is."""
        if self.error is None:
            return ""
        if self.place is not None and isinstance(self.error, SourceError):
            return f"Line {self.error.line}, column {self.error.column}: {self.error.reason}{self._nearest}"
        return self.error.titled

    @property
    def _nearest(self) -> str:
        """Names that may be meant, where one is unknown."""
        from gui.explore.code.vocabulary import nearest_names  # loads the simulator, which the window's start does not

        cause = self.error.cause if isinstance(self.error, SourceError) else None
        near = nearest_names(cause.name, self.text) if isinstance(cause, UnknownName) else []
        return f"; the nearest is {' or '.join(near)}" if near else ""


def drafts_folder() -> Path:
    """Return the folder of copies of kernels; raises InputError when it cannot be made."""
    folder = user_path("drafts")
    make_folder(folder)
    return folder


def copy_kernel(kernel: Kernel, folder: Path) -> Draft:
    """Copy the source of a kernel, and the tables beside it, into a folder under a new name.

    The copy launches the same function, its title says that it was edited, and it is no lesson any more: its hazards
    are those of its own run.

    Raises
    ------
    InputError
        When the kernel has no source, or the file cannot be written.
    """
    text = kernel.text
    file, number = _new_file(folder, f"my_{kernel.base}")
    for table in kernel_files(kernel)[1:]:
        write_text(file.with_name(table.name), read_source(table))
    draft = Draft(file, kernel.file or file, text)
    draft.write(_as_copy(text, kernel, number))
    return draft


def draft_of_file(file: Path, text: str) -> Draft:
    """Return the draft of a user's file and the text that was read of it; a copy is written into `drafts_folder`.

    A file that cannot be written, that is not UTF-8 and would lose letters, or that no longer holds the text is not
    edited: the draft is another file with the text.

    Raises
    ------
    InputError
        When the copy cannot be written.
    """
    raw = _bytes_of(file, text)
    folder = drafts_folder()
    if file.parent == folder and (copied := _copied_kernel(file)) is not None:
        return Draft(file, copied.file or file, copied.text)
    if raw is None or not os.access(file, os.W_OK) or not _is_utf8(raw):
        copy, _ = _new_file(folder, f"my_{file.stem}")
        draft = Draft(copy, file, text)
        draft.write(text)
        return draft
    kept = folder / "originals"
    make_folder(kept)
    original = kept / file.name
    write_text(original, text)
    return Draft(file, original, text, "\r\n" if b"\r\n" in raw else "\n")


def draft_of_text(name: str, text: str) -> Draft:
    """Write a text into `drafts_folder` under a name such as `flat_index.cu`, and return its draft.

    Raises
    ------
    InputError
        When it cannot be written.
    """
    folder = drafts_folder()
    original = folder / "originals"
    make_folder(original)
    write_text(original / name, text)
    draft = Draft(folder / name, original / name, text)
    draft.write(text)
    return draft


def with_entry(text: str, entry: str) -> str:
    """Name the function to launch in a launch comment: under another file name it would not be found without."""
    body, mark, footer = text.rpartition(FOOTER)
    return text if not mark or _ENTRY.search(footer) else f'{body}{mark}\nentry    = "{entry}"{footer}'


def _as_copy(text: str, kernel: Kernel, number: int) -> str:
    body, mark, footer = text.rpartition(FOOTER)
    edited = "edited" if number == 1 else f"edited {number}"
    footer = _TITLE.sub(lambda found: f'{found[1]}"{found["title"]} ({edited})"', footer, count=1)
    footer = _FLAW.sub("", footer)
    return with_entry(f"{body}{mark}{footer}", kernel.entry)


def _copied_kernel(file: Path) -> Kernel | None:
    """Return the kernel of the list that `copy_kernel` made a file from."""
    found = _COPY.fullmatch(file.stem)
    return next((kernel for kernel in catalog() if found and kernel.file and kernel.id in found.groups()), None)


def _new_file(folder: Path, stem: str) -> tuple[Path, int]:
    """Return a file name that is not used yet, and its number among those of the stem."""
    number = 1
    while (file := folder / (f"{stem}.cu" if number == 1 else f"{stem}_{number}.cu")).exists():
        number += 1
    return file, number


def _bytes_of(file: Path, text: str) -> bytes | None:
    """Return the bytes of a file that holds a text; None for one that does not, or is gone."""
    try:
        return file.read_bytes() if read_source(file) == text else None
    except (InputError, OSError):
        return None


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
