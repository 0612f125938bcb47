"""Submissions: the answers of one person in one small file, and how such a file is read without trusting it.

The file is JSON: {"tilescope": VERSION, "format": 1, "name": …, "answers": {ID: {"text": …, "sha256": …}}}. The hash
tells whether a text arrived as it was written; nothing else follows from it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from kernels import __version__
from kernels.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

SUFFIX: Final = ".tilescope.json"
"""End of the name of a submission's file."""

MOST_BYTES: Final = 1 << 20
"""Largest file; an answer has some thousand bytes."""

_FORMAT: Final = 1
_MOST_NAME: Final = 200
_MOST_ANSWERS: Final = 200


@dataclass(frozen=True, slots=True)
class Submission:
    """The answers of one person."""

    answers: Mapping[str, str] = field(default_factory=dict)
    """Texts, by the id of the exercise."""
    name: str = ""
    """A name as the person wrote it."""
    version: str = __version__
    """The version of tilescope that wrote the file."""


def submission_text(submission: Submission) -> str:
    """Return the text of a submission's file.

    Raises
    ------
    InputError
        When the answers are larger than a submission may be.
    """
    rows = {name: {"text": text, "sha256": text_hash(text)} for name, text in submission.answers.items()}
    data = {"tilescope": submission.version, "format": _FORMAT, "name": submission.name, "answers": rows}
    text = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    if len(text.encode()) > MOST_BYTES:
        raise InputError(f"the answers are larger than {MOST_BYTES:,} bytes together: submit fewer of them")
    return text


def parse_submission(content: bytes) -> Submission:
    """Read the content of a submission's file.

    Raises
    ------
    InputError
        When it is none; the reason is one sentence without the file's name.
    """
    if not content:
        raise InputError("the file is empty")
    if len(content) > MOST_BYTES:
        raise InputError(f"the file is larger than {MOST_BYTES:,} bytes: it is no submission")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError("the file is not UTF-8 text: it is no submission") from error
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError("the file is not JSON: 'tilescope exercise submit' writes a submission") from error
    if not isinstance(data, dict) or not isinstance(data.get("answers"), dict):
        raise InputError("the file has no answers: 'tilescope exercise submit' writes a submission")
    if data.get("format") != _FORMAT:
        raise InputError("the file was written by another version of tilescope: submit the answers with this one")
    if len(data["answers"]) > _MOST_ANSWERS:
        raise InputError(f"the file has more than {_MOST_ANSWERS} answers: it is no submission")
    answers = {str(name): _answer(str(name), row) for name, row in data["answers"].items()}
    name, version = (str(data.get(field, ""))[:_MOST_NAME] for field in ("name", "tilescope"))
    return Submission(answers, name, version)


def text_hash(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _answer(name: str, row: Any) -> str:
    if not isinstance(row, dict) or not isinstance(row.get("text"), str):
        raise InputError(f"the answer to '{name[:_MOST_NAME]}' has no text: submit it again")
    if row.get("sha256") != text_hash(row["text"]):
        raise InputError(f"the answer to '{name[:_MOST_NAME]}' was changed after it was submitted: submit it again")
    return str(row["text"])
