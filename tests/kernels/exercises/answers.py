"""Right answers of the exercises, and wrong ones that students give: changes of the right one, with what they are told.

`solutions/ID.cu` is the right answer. `wrong/ID.toml` has a table `[[answer]]` for each wrong one, with `change`, pairs
of a text that occurs once in the right answer and its replacement, and `told`, a part of the first sentence.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple

from kernels import RESOURCES

_FOLDER = Path(__file__).parent

NAMES = sorted(file.stem for file in (RESOURCES / "exercises").glob("*.toml"))
"""The exercises, by their files: what is missing or cannot be read fails the cases of one, not the collection."""

TIMED = [n for n in NAMES if "[time]" in (RESOURCES / "exercises" / f"{n}.toml").read_text(encoding="utf-8")]
"""Those whose answers are timed on a GPU."""


class WrongAnswer(NamedTuple):
    exercise: str
    number: int
    text: str
    told: str


def solution(exercise: str) -> str:
    return (_FOLDER / "solutions" / f"{exercise}.cu").read_text(encoding="utf-8")


def wrong_count(exercise: str) -> int:
    """Return the number of wrong answers, at least 1 for a file that is missing."""
    file = _FOLDER / "wrong" / f"{exercise}.toml"
    return file.read_text(encoding="utf-8").count("[[answer]]") if file.exists() else 1


def wrong_answers(exercise: str) -> list[WrongAnswer]:
    """Read the wrong answers; none if the file is missing, of which one test tells."""
    file = _FOLDER / "wrong" / f"{exercise}.toml"
    if not file.exists():
        return []
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    found = []
    for number, answer in enumerate(data["answer"], 1):
        text = solution(exercise)
        for old, new in answer["change"]:
            assert text.count(old) == 1, f"{exercise} {number}: '{old}' occurs {text.count(old)} times"
            text = text.replace(old, new)
        found.append(WrongAnswer(exercise, number, text, answer["told"]))
    return found
