"""Included files: search, limits, and the positions of their tokens."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kernels.frontend.headers.provided import is_provided, provided_text
from kernels.frontend.lexer.tokens import MAX_CHARACTERS, Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kernels.errors import SourceError
    from kernels.frontend.lexer.tokens import Token
    from kernels.frontend.preprocessor.macros import Piece

MAX_INCLUDES: Final = 256
"""Maximum number of files that one program includes."""

MAX_DEPTH: Final = 32
"""Deepest nesting of files."""

MAX_INCLUDED: Final = 4 * MAX_CHARACTERS
"""Maximum number of characters in all included files together."""

_HEADER: Final = re.compile(
    r"(cuda(_runtime(_api)?|_device_runtime_api|_profiler_api|_\w+_interop|_(texture|surface)_types|_occupancy)?"
    r"|cuda_(fp16|bf16|fp8|fp4|pipeline\w*|awbarrier\w*)|device_(functions|launch_parameters|types|atomic_functions)"
    r"|vector_(types|functions)|sm_\d\d_\w+|std(io|lib|int|def|bool|arg|align)|math(_constants|_functions)?|assert"
    r"|float|limits|mma|cooperative_groups(/\w+)?|cu(rand|blas|fft|sparse|dnn|solver)\w*"
    r"|helper_(cuda|functions|timer|string|math|image|gl|cuda_gl|cuda_drvapi|multiprocess|cusolver))\.h(pp)?"
)
"""Headers of CUDA, of its samples and of the system, which are ignored also in quotes."""

_LIBRARY: Final = re.compile(
    r"(string|time|ctype|errno|signal|unistd|memory|getopt|omp|mpi|malloc)\.h|[^./][^.]*"
    r"|(sys|cuda|thrust|cub|nv|cute|cutlass|cooperative_groups|torch|ATen|c10|boost|opencv2|GL)/.*"
)
"""Further library headers, in angle brackets."""

_NEAR: Final = ("", "include", "includes", "inc", "common", "Common", "common/inc", "utils", "src")
"""Folders for headers, relative to the including file or a folder around it."""

_LEVELS: Final = 4
"""Number of parent folders that are searched, unless one of them is the root of a repository."""


class Includes:
    """Finds the files that a program includes, and counts them.

    Parameters
    ----------
    folder : Path | None
        Folder of the program's file; None for a text that is no file.
    known_texts : Mapping[str, str]
        Texts of included files, by name, that are used instead of the files.
    search : Sequence[Path]
        Further folders, as `-I` gives them.
    alone : bool
        Whether a file that is not found is an error.
    """

    def __init__(
        self,
        folder: Path | None,
        known_texts: Mapping[str, str],
        search: Sequence[Path] = (),
        *,
        alone: bool = False,
    ) -> None:
        self.missing: list[str] = []
        """Names of files that were not found."""
        self.texts: dict[str, str] = {}
        """Texts of the files that were included, by name."""
        self._known_texts = known_texts
        self._folders = [folder]
        own = _roots(folder) if folder is not None else ()
        self._roots = (*own, *(each.resolve() for each in search))
        self._search = tuple(search)
        self._alone = alone
        self._files: list[Path] = []
        self._once: set[Path] = set()
        self._count = 0
        self._characters = 0

    @property
    def depth(self) -> int:
        """Number of included files that are open."""
        return len(self._folders) - 1

    def open(self, source: Text, name: Token) -> Text | None:
        """Return the text of an included file, which the caller closes; None for a file that is skipped.

        A name in angle brackets is searched in the folders of `-I`, then like a name in quotes, because build files may
        name folders that are unknown here. Headers of libraries are not searched.

        Raises
        ------
        SourceError
            For too many files, files that include each other without end, and in a text that is read alone for
            every file that is not a library's.
        """
        spelled = name.text[1:-1]
        local = name.text[0] == '"'
        path = Path(spelled) if spelled in self._known_texts else self._find(spelled, local=local)
        if path is None and (provided := provided_text(spelled)) is not None:
            path, self._known_texts = Path(spelled), {**self._known_texts, spelled: provided}
        if path is None:
            if self._alone and not _is_library(spelled, local=local):
                reason = "is not read: this text may include no other file; put its lines here, or remove the #include"
                raise source.error(name.start, f"{name.text} {reason}")
            if local and not _HEADER.fullmatch(spelled):
                self.missing.append(spelled)
            return None
        if path in self._once:
            return None
        self._count += 1
        if self._count > MAX_INCLUDES:
            raise source.error(name.start, f"more than {MAX_INCLUDES} files are included")
        if self.depth == MAX_DEPTH:
            raise source.error(
                name.start,
                f"files include each other deeper than {MAX_DEPTH} levels; begin {spelled} with #pragma once",
            )
        text = self._known_texts[spelled] if spelled in self._known_texts else _read(path, source, name)
        self.texts[spelled] = text
        self._characters += len(text)
        if self._characters > MAX_INCLUDED:
            raise source.error(name.start, f"more than {MAX_INCLUDED:,} characters are included")
        self._folders.append(path.parent)
        self._files.append(path)
        return Text(spelled, text)

    def close(self) -> None:
        """End the file that was opened last."""
        self._folders.pop()
        self._files.pop()

    def once(self) -> None:
        """Execute `#pragma once` in the current file."""
        self._once.update(self._files[-1:])

    def _find(self, spelling: str, *, local: bool) -> Path | None:
        """Search the folders of the including file and the program, those of `-I`, then those around both."""
        if spelling.startswith("/") or "\0" in spelling:
            return None
        near = [folder for folder in (self._folders[-1], self._folders[0]) if folder is not None]
        found = self._first(spelling, (*near, *self._search) if local else self._search)
        if found is None and not _is_library(spelling, local=local):
            found = self._first(spelling, (place for folder in near for place in _header_folders(folder)))
        return found

    def _first(self, spelling: str, folders: Iterable[Path]) -> Path | None:
        """Return the first file of a name that belongs to the program; `..` and links may lead elsewhere."""
        paths = ((folder / spelling).resolve() for folder in folders)
        ours = (path for path in paths if any(path.is_relative_to(root) for root in self._roots))
        return next((path for path in ours if path.is_file()), None)

    def has(self, spelling: str) -> bool:
        """Return the value of `__has_include("file")`; headers of CUDA and of the C++ standard exist."""
        name = spelling[1:-1]
        there = _HEADER.fullmatch(name) or is_provided(name)
        ours = name in self._known_texts or self._find(name, local=spelling[0] == '"') is not None
        return bool(there) or ours or re.fullmatch(r"[a-z_]+|(cuda|thrust|cub|nv)/.*", name) is not None


def _is_library(spelling: str, *, local: bool) -> bool:
    """Return whether a name is that of a library's header, which is not searched."""
    return bool(_HEADER.fullmatch(spelling) or (not local and _LIBRARY.fullmatch(spelling)))


def _roots(folder: Path) -> Iterator[Path]:
    """Yield the folders whose files a program may include.

    They are its own folder, the repository around it, and folders around it that are named as those of headers are.
    Other files of the computer are not read, whatever a source asks for.
    """
    places = [folder.resolve(), *islice(folder.resolve().parents, _LEVELS)]
    yield places[0]
    if (repository := next((place for place in places if (place / ".git").exists()), None)) is not None:
        yield repository
    else:
        yield from ((place / name).resolve() for place in places[1:] for name in _NEAR if name)


def _header_folders(folder: Path) -> Iterator[Path]:
    """Yield the usual header folders of a project around `folder`, the nearest first."""
    place = folder.resolve()
    for _ in range(_LEVELS + 1):
        yield from (place / name for name in _NEAR)
        if (place / ".git").exists():
            return
        place = place.parent


def _read(path: Path, source: Text, name: Token) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:  # old files have comments in other encodings
            return file.read(MAX_INCLUDED + 1)
    except OSError as error:
        raise _unreadable(source, name, error) from error


def _unreadable(source: Text, name: Token, error: OSError) -> SourceError:
    return source.error(name.start, f"{name.text} cannot be read: {error.strerror}")


def splice(pieces: Iterable[Piece], included: Text, at: tuple[int, int]) -> list[Piece]:
    """Return the tokens of an included file, positioned at its #include; `origin` is their own position."""
    return [
        p._replace(
            start=at[0],
            end=at[1],
            outer=at,
            argument=0,
            origin=p.origin or (included, *(p.outer if p.outer and not p.argument else (p.start, p.end))),
        )
        for p in pieces
    ]
