"""Progress in the exercises: the latest text of each and the one that passed, in the user's folder.

The file is JSON: {"format": 1, "exercises": {ID: {"text": …, "passed": …, "words": …}}}.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kernels.errors import InputError
from kernels.files import make_folder, write_text
from kernels.user_folder import user_path

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_FORMAT: Final = 1

_MOST_BYTES: Final = 1 << 24
"""Largest file that is read; a text has some thousand bytes."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """Work on one exercise."""

    text: str
    """The latest text."""
    passed: str = ""
    """The latest text that passed; "" for none."""
    words: str = ""
    """The line of its last judgement."""

    @property
    def answer(self) -> str:
        """The text to submit: the one that passed, or the latest."""
        return self.passed or self.text


@dataclass(frozen=True, slots=True)
class Progress:
    """Work on all exercises, by their ids."""

    attempts: Mapping[str, Attempt] = field(default_factory=dict)

    def judged(self, exercise: str, text: str, *, passed: bool, words: str = "") -> Progress:
        """Return the progress after an answer was judged; `words` is the line of the judgement."""
        before = self.attempts.get(exercise, Attempt(""))
        attempt = Attempt(text, text if passed else before.passed, words)
        return Progress({**self.attempts, exercise: attempt})

    def has_passed(self, exercise: str) -> bool:
        """Return whether an answer to an exercise passed once."""
        return exercise in self.attempts and bool(self.attempts[exercise].passed)

    def without(self, exercise: str) -> Progress:
        """Return the progress without an exercise, as if it had not been begun."""
        return Progress({name: attempt for name, attempt in self.attempts.items() if name != exercise})


def default_path() -> Path:
    """Return the path of the user's file."""
    return user_path("progress")


def read_progress(path: Path | None = None) -> Progress:
    """Read the progress; none where there is no file.

    Raises
    ------
    InputError
        When the file cannot be read, or is no such file. It is not changed.
    """
    path = path or default_path()
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        return Progress()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    try:
        data = json.loads(content[: _MOST_BYTES + 1])
        if data["format"] != _FORMAT:
            raise InputError(f"{path}: was written by another version of tilescope: rename it to begin again")
        return Progress({str(name): _attempt(row) for name, row in data["exercises"].items()})
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise InputError(f"{path}: is damaged: rename it to begin again") from error


def write_progress(progress: Progress, path: Path | None = None) -> None:
    """Save the progress; raises InputError when the file cannot be written."""
    path = path or default_path()
    make_folder(path.parent)
    rows = {
        name: {"text": attempt.text, "passed": attempt.passed, "words": attempt.words}
        for name, attempt in progress.attempts.items()
    }
    write_text(path, json.dumps({"format": _FORMAT, "exercises": rows}, ensure_ascii=False, indent=1) + "\n")


def _attempt(row: Mapping[str, object]) -> Attempt:
    text, passed, words = row["text"], row["passed"], row["words"]
    if not (isinstance(text, str) and isinstance(passed, str) and isinstance(words, str)):
        raise TypeError("an attempt has a text, a text that passed, and words")
    return Attempt(text, passed, words)
