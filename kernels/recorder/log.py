"""The log of an instrumented kernel: the format of its entries, and the notes to which their numbers refer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from kernels.frontend.ast import Span
    from kernels.trace.records import Access, Space, StatementKind

ENTRY: Final = np.dtype([("address", "u8"), ("note", "u4"), ("bytes", "u4"), ("value", "u1", 16)])
"""One entry: `ts_entry` of the prelude. In an entry of a step `address` is the time in nanoseconds."""

EVERYTHING: Final = 0xFFFFFFFF
"""`bytes` of a wait that leaves no copies in flight, committed or not."""


@dataclass(frozen=True, slots=True)
class AccessNote:
    """An access to memory."""

    span: Span
    access: Access
    deferred: bool = False
    """Whether it is the write of an asynchronous copy, which takes effect when the thread waits for it."""


@dataclass(frozen=True, slots=True)
class AssignmentNote:
    """An assignment to a variable, or a member of one, that the simulator keeps in a register."""

    name: str
    function: str
    span: Span
    """The variable's declaration."""
    dtype: np.dtype[np.generic]
    """The type in this instance of a template."""


@dataclass(frozen=True, slots=True)
class PipelineNote:
    """The end of a group of asynchronous copies, or a wait whose `bytes` are the number of groups left in flight."""

    waits: bool


@dataclass(frozen=True, slots=True)
class ArrayNote:
    """The beginning of an array, or of a variable in memory."""

    name: str
    space: Space
    bytes: int
    """0 for the launch's dynamic shared memory."""
    span: Span


@dataclass(slots=True)
class TextLoop:
    """A loop of the text. Notes of its head have smaller numbers than `body`, those of its body larger ones."""

    at: int
    """Position among the notes around it."""
    waits: bool
    """Whether a barrier is inside."""
    first: int
    """Number of the iteration in which it begins: 0 for the first execution of the body, -1 for a test before it."""
    body: int = 0
    """The first note of its body."""


@dataclass(frozen=True, slots=True)
class Position:
    """Position of an entry in the text."""

    function: int
    loops: tuple[int, ...]
    """The loops around it, outermost first."""
    at: int
    """The number of the note, which orders entries in one iteration of the innermost loop."""


@dataclass(frozen=True, slots=True)
class StepNote:
    """A statement that begins, or continues after a call."""

    span: Span
    kind: StatementKind
    position: Position
    enters: int = -1
    """The loop that is entered, or -1."""
    repeats: int = -1
    """The loop that begins another iteration, or -1."""


@dataclass(frozen=True, slots=True)
class LoopEntryNote:
    """The entry of a `while` loop, which is no step of the trace."""

    loop: int


@dataclass(frozen=True, slots=True)
class CallNote:
    """A call of the function of that number."""

    function: int
    position: Position


Note = AccessNote | AssignmentNote | ArrayNote | PipelineNote | StepNote | LoopEntryNote | CallNote


class NoteTable:
    """The notes of an instrumented text, numbered in the order of writing."""

    def __init__(self) -> None:
        self.notes: list[Note] = []

    @property
    def next(self) -> int:
        """The number that the next note will get."""
        return len(self.notes)

    def add(self, note: Note) -> int:
        """Append a note and return its number."""
        self.notes.append(note)
        return len(self.notes) - 1

    def access(self, span: Span, access: Access, *, deferred: bool = False) -> int:
        """Append a note of an access and return its number."""
        return self.add(AccessNote(span, access, deferred))
