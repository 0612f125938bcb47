"""Lessons: scripts for the stage, from the data in `resources/lessons`, with numbers read from the trace."""

from kernels.lessons.fields import without_run
from kernels.lessons.load import find_lesson, lessons
from kernels.lessons.model import Lesson, LessonStep, Lit, Moment, Run
from kernels.lessons.moments import Target, find_frame, find_target
from kernels.lessons.questions import Asked, Choices, Judged, Number, Place
from kernels.lessons.words import Narrator, StepWords

__all__ = [
    "Asked",
    "Choices",
    "Judged",
    "Lesson",
    "LessonStep",
    "Lit",
    "Moment",
    "Narrator",
    "Number",
    "Place",
    "Run",
    "StepWords",
    "Target",
    "find_frame",
    "find_lesson",
    "find_target",
    "lessons",
    "without_run",
]
