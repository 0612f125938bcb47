"""Cures of data races: changes of the source that remove a race."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class CureKind(StrEnum):
    """Kinds of cures."""

    BARRIER = "barrier"
    """Insert a barrier between the two accesses, at the end of a loop's body, or both."""
    READ_FIRST = "read-first"
    """Split a statement: read into a variable, wait at a barrier, write."""
    SPLIT_BRANCH = "split-branch"
    """End a branch that not all threads take, wait at a barrier, and begin the branch again."""
    SPLIT_ELSE = "split-else"
    """End a branch, wait at a barrier, and make its else a branch of the opposite condition."""
    SPLIT_RETURN = "split-return"
    """Put the statements after an early return under a condition, in two parts with a barrier between them."""
    FENCE = "fence"
    """Insert a fence before the atomic that announces the data, after the one that waits for it, or both."""
    SCOPE = "scope"
    """Widen atomics and fences that reach one block only."""
    MEMORY_ORDER = "memory-order"
    """Release or acquire with an atomic that is relaxed."""
    ATOMIC = "atomic"
    """Make plain accesses atomic: reads and writes of a flag."""
    ATOMIC_UPDATE = "atomic-update"
    """Replace a read, a change and a write by one atomic."""
    COMPARE_AND_SWAP = "compare-and-swap"
    """Replace a test of an element and its setting by one atomicCAS."""
    ONE_WRITER = "one-writer"
    """Let one thread write the element."""
    CARVING = "carving"
    """Move the begin of one of two overlapping arrays in dynamic shared memory."""
    COPY_WAIT = "copy-wait"
    """Wait for an asynchronous copy before the barrier."""
    GRID_BARRIER = "grid-barrier"
    """Insert a barrier of the grid between the accesses, in a cooperative launch."""
    SECOND_ARRAY = "second-array"
    """Not advised: only traces that earlier versions saved have it."""
    SAME_ROUNDS = "same-rounds"
    """Not advised: only traces that earlier versions saved have it."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replacement of the text from (line, column) up to, not including, (end_line, end_column).

    All count from 1. An empty range is an insertion.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    text: str = ""
    """The new text."""
    file: str = ""
    """The included file; "" for the program itself."""


@dataclass(frozen=True, slots=True)
class Insertion:
    """A call to insert as a statement between two neighbouring statements. A line is 0 where there is none."""

    call: str
    """The call: `__syncthreads()`, `__threadfence()` and so on."""
    after_line: int = 0
    """Line in which the statement before it ends."""
    before_line: int = 0
    """Line in which the next statement begins; with `repeats`, line of the access that runs again."""
    repeats: bool = False
    """True if the call becomes the last statement of a loop's body."""
    braces_line: int = 0
    """Line of a header whose body is a single statement and needs braces."""
    outside_line: int = 0
    """Line of a branch around one of the accesses that not all threads take; the call comes after the branch."""
    atomic_line: int = 0
    """For a fence: line of the atomic that announces the data or, with `acquires`, waits for them."""
    acquires: bool = False
    file: str = ""
    """The included file; "" for the program itself."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """New code for a part of a line."""

    line: int
    old: str
    new: str
    file: str = ""
    """The included file; "" for the program itself."""


@dataclass(frozen=True, slots=True)
class Cure:
    """A change that removes a race."""

    kind: CureKind
    insertions: tuple[Insertion, ...] = ()
    """Barriers, fences and waits to insert."""
    replacements: tuple[Replacement, ...] = ()
    """Code to replace."""
    edits: tuple[Edit, ...] = ()
    """The whole change as edits of the text; empty only in traces that earlier versions saved."""
    branch_line: int = 0
    """Line of the branch or return that is split; 0 for none."""
    condition: str = ""
    """Condition of `branch_line`, if the cure tests it a second time."""
    expression: str = ""
    """Expression that is read into a variable first."""
    declared: str = ""
    """Declarations of the variables that have to be declared before the branch."""
    lines: tuple[int, ...] = ()
    """Lines of the two accesses."""
    steps: tuple[int, ...] = ()
    """Lines of several statements that are split in the same way."""
    pointers: tuple[str, ...] = ()
    """The array, and the two pointers into it that overlap."""
    elements: int = 0
    """Number of elements in which the two arrays overlap."""
    first_element: int = 0
    """Element at which the second pointer should begin."""
    bytes: int = 0
    """The size of the overlap in bytes."""
    dynamic_shared_bytes: int = 0
    """Dynamic shared memory that the launch needs after the change."""


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with edits applied; of two insertions at one place the first comes first.

    Raises
    ------
    ValueError
        For edits outside of the text, or that overlap.
    """
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    ranges = sorted(
        ((_offset(starts, e.line, e.column), _offset(starts, e.end_line, e.end_column), e.text) for e in edits),
        key=lambda change: change[:2],
    )
    parts, at = [], 0
    for begin, end, new in ranges:
        if begin < at or end < begin or end > len(text):
            raise ValueError("edits overlap, or lie outside of the text")
        parts += [text[at:begin], new]
        at = end
    return "".join([*parts, text[at:]])


def _offset(starts: list[int], line: int, column: int) -> int:
    if not 0 < line < len(starts):
        raise ValueError(f"there is no line {line}")
    return starts[line - 1] + column - 1


def as_plain(value: Any) -> dict[str, Any]:
    """Return a cure, or a part of one, as an object for JSON: its nonempty fields by name."""
    found: dict[str, Any] = {}
    for name in value.__dataclass_fields__:
        part = getattr(value, name)
        if isinstance(part, tuple) and part and hasattr(part[0], "__dataclass_fields__"):
            part = [as_plain(one) for one in part]
        if isinstance(part, CureKind):
            part = part.value
        if part:
            found[name] = list(part) if isinstance(part, tuple) else part
    return found


def from_plain(row: Mapping[str, Any]) -> Cure:
    """Return the cure of an object from `as_plain`.

    Raises
    ------
    KeyError, TypeError, ValueError
        If the object is not a cure.
    """
    parts: dict[str, Any] = {**row, "kind": CureKind(row["kind"])}
    for name, kind in (("insertions", Insertion), ("replacements", Replacement), ("edits", Edit)):
        parts[name] = tuple(kind(**one) for one in row.get(name, ()))
    for name in ("lines", "steps", "pointers"):
        parts[name] = tuple(row.get(name, ()))
    return Cure(**parts)
