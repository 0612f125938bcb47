"""Grades as data: one row for each entry of a folder, with one judgement for each of its answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kernels.control_characters import escape_controls
from kernels.exercises.words import gate_figure, gate_title, sentence, summary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernels.exercises.judgement import Judgement

_MOST_CHARACTERS: Final = 1_000
"""Longest sentence; a report of the simulator may quote a long line."""

_MOST_FINDINGS: Final = 3


@dataclass(frozen=True, slots=True)
class Grade:
    """The judgement of one answer in words."""

    exercise: str
    passed: bool
    summary: str
    findings: tuple[str, ...]
    """At most three sentences."""
    gates: tuple[tuple[str, str, bool | None], ...]
    """Title, figure, and whether it is passed; None where it was not judged."""
    line: int
    """Line of the first finding; 0 for none."""
    excerpt: str
    """That line."""
    sha256: str

    def to_json(self) -> dict[str, Any]:
        """Return an object for JSON."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Grade:
        """Read an object of `to_json`; raises KeyError, TypeError or ValueError for another one."""
        gates = tuple((str(title), str(figure), passed) for title, figure, passed in row["gates"])
        findings = tuple(str(text) for text in row["findings"])
        texts = [str(row[name]) for name in ("exercise", "summary", "excerpt", "sha256")]
        return cls(texts[0], row["passed"] is True, texts[1], findings, gates, int(row["line"]), texts[2], texts[3])


@dataclass(frozen=True, slots=True)
class GradedEntry:
    """One entry of the folder."""

    file: str
    """Its name, relative to the folder."""
    grades: tuple[Grade, ...] = ()
    name: str = ""
    """Name of the person as the submission has it."""
    version: str = ""
    problem: str = ""
    """Reason why nothing, or not everything, could be judged; "" for none."""

    @property
    def passed(self) -> int:
        """Number of exercises that passed."""
        return sum(grade.passed for grade in self.grades)


def grade_of(judgement: Judgement, text: str, sha256: str) -> Grade:
    """Return a judgement in words."""
    from kernels.exercises.findings import SourceFinding, reference

    exercise, line = judgement.exercise, 0
    if judgement.findings:
        first = judgement.findings[0]
        place = reference(first)
        line = first.line if isinstance(first, SourceFinding) else place.line if place else 0
    lines = text.splitlines()
    return Grade(
        exercise.id,
        judgement.passed,
        shorten(summary(judgement)),
        tuple(shorten(sentence(exercise, finding)) for finding in judgement.findings[:_MOST_FINDINGS]),
        tuple((gate_title(exercise, r.gate), gate_figure(r), r.passed) for r in judgement.gates),
        line,
        shorten(lines[line - 1].strip()) if 0 < line <= len(lines) else "",
        sha256,
    )


def shorten(text: str) -> str:
    """Return a text in one line of limited length, without control characters."""
    line = escape_controls(" ".join(text[: 2 * _MOST_CHARACTERS].split()))
    return line if len(line) <= _MOST_CHARACTERS else f"{line[:_MOST_CHARACTERS]}…"
