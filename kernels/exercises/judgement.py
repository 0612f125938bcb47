"""The judgement of one answer: its cases, its gates and its findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernels.exercises.findings import Finding
    from kernels.exercises.model import Case, Exercise, Gate


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One launch of an answer."""

    case: Case
    right: bool


@dataclass(frozen=True, slots=True)
class GateResult:
    """One gate of an answer."""

    gate: Gate
    passed: bool | None
    """None if the gate was not reached, or cannot be judged on this machine."""
    figure: float | None = None
    """The count; cases that are right for `right`, hazards for `hazards`; None without one."""
    limit: float | None = None
    """Limit of the count; the number of cases for `right`."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of one answer."""

    exercise: Exercise
    text: str
    """The answer."""
    cases: tuple[CaseResult, ...]
    """Those that were run; a mistake that ends a run ends the rest."""
    gates: tuple[GateResult, ...]
    """As many as the exercise has."""
    findings: tuple[Finding, ...]
    """The most helpful first."""

    @property
    def passed(self) -> bool:
        """Return whether every gate that this machine can judge is passed, and every case is right."""
        return self.gates[0].passed is True and all(result.passed is not False for result in self.gates)
