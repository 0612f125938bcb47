"""Exercises: sources to complete, judged by results, hazards and counts. Data in `resources/exercises`."""

from kernels.exercises.findings import Reference, reference
from kernels.exercises.judge import judge
from kernels.exercises.judgement import GateResult, Judgement
from kernels.exercises.load import exercises, find_exercise
from kernels.exercises.model import Exercise, Gate, Hint, Picture

__all__ = [
    "Exercise",
    "Gate",
    "GateResult",
    "Hint",
    "Judgement",
    "Picture",
    "Reference",
    "exercises",
    "find_exercise",
    "judge",
    "reference",
]
