"""Cures of data races: what to change in the source so that a race is gone."""

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
    """Put what follows an early return under a condition, in two parts with a barrier between them."""
    FENCE = "fence"
    """Insert a fence before the atomic that announces the data, after the one that waits for it, or both."""
    SCOPE = "scope"
    """Widen atomics and fences that reach one block only."""
    MEMORY_ORDER = "memory-order"
    """Release or acquire with an atomic that is relaxed."""
    ATOMIC = "atomic"
    """Make plain accesses atomic: reads and writes of a flag."""
    ATOMIC_UPDATE = "atomic-update"
    """Replace reading, changing and writing back by one atomic; without a replacement none does it all."""
    ONE_WRITER = "one-writer"
    """Let one thread write the element."""
    CARVING = "carving"
    """Move the begin of one of two overlapping arrays in dynamic shared memory."""
    COPY_WAIT = "copy-wait"
    """Wait for an asynchronous copy before the barrier."""
    GRID_BARRIER = "grid-barrier"
    """Let all blocks meet between the accesses: a second launch, or a barrier of the grid."""
    SECOND_ARRAY = "second-array"
    """Write to another array than the one that is read."""
    SAME_ROUNDS = "same-rounds"
    """Let all threads of the block run the loop or branch around both accesses, so that it can hold a barrier."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text from (line, column) up to, not including, (end_line, end_column); all counted from 1.

    An empty range is an insertion. `file` is the included file, or nothing.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    text: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class Insertion:
    """A call to insert as a statement, between two neighbouring statements of one list.

    `after_line` is the line in which the statement in front of it ends, `before_line` that in which the next one
    begins; 0: there is none. Where it `repeats`, it ends the body of a loop, and `before_line` is that of the access
    that runs again. `braces_line` is the line of a header whose body is a single statement and needs braces.
    `outside_line` is that of a branch around one of the accesses that not all threads take; the call comes after it.
    `atomic_line` is that of the atomic which announces the data, or with `acquires` waits for them, where the call is
    there for that.
    """

    call: str
    after_line: int = 0
    before_line: int = 0
    repeats: bool = False
    braces_line: int = 0
    outside_line: int = 0
    atomic_line: int = 0
    acquires: bool = False
    file: str = ""


@dataclass(frozen=True, slots=True)
class Replacement:
    """New code for a part of a line."""

    line: int
    old: str
    new: str
    file: str = ""


@dataclass(frozen=True, slots=True)
class Cure:
    """One change that removes a race. `edits` are the change as text; without any a person has to make it.

    Parameters
    ----------
    kind : CureKind
    insertions : tuple of Insertion
        Barriers, fences and waits to insert.
    replacements : tuple of Replacement
        Code to replace.
    edits : tuple of Edit
        All of it, as changes of the text.
    branch_line : int
        Line of the branch, return or loop that is split or that not all threads run; 0: none.
    condition : str
        Its condition, where it is asked again.
    expression : str
        What is read into a variable first.
    declared : str
        Variables that have to be declared before the branch, as their declarations.
    lines : tuple of int
        Lines of the two accesses.
    steps : tuple of int
        Lines of several statements that are split alike.
    pointers : tuple of str
        The array and the two pointers into it that overlap.
    elements, first_element : int
        By how many elements they overlap, and where the second one should begin.
    dynamic_shared_bytes : int
        Dynamic shared memory that the launch then needs.
    """

    kind: CureKind
    insertions: tuple[Insertion, ...] = ()
    replacements: tuple[Replacement, ...] = ()
    edits: tuple[Edit, ...] = ()
    branch_line: int = 0
    condition: str = ""
    expression: str = ""
    declared: str = ""
    lines: tuple[int, ...] = ()
    steps: tuple[int, ...] = ()
    pointers: tuple[str, ...] = ()
    elements: int = 0
    first_element: int = 0
    bytes: int = 0
    dynamic_shared_bytes: int = 0


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with edits made; of two at one place the first one comes first.

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
    """Return a cure, or a part of one, as JSON holds it: fields with a value, by name."""
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
    """Return the cure that `as_plain` gave.

    Raises
    ------
    KeyError, TypeError, ValueError
        For what is none.
    """
    parts: dict[str, Any] = {**row, "kind": CureKind(row["kind"])}
    for name, kind in (("insertions", Insertion), ("replacements", Replacement), ("edits", Edit)):
        parts[name] = tuple(kind(**one) for one in row.get(name, ()))
    for name in ("lines", "steps", "pointers"):
        parts[name] = tuple(row.get(name, ()))
    return Cure(**parts)
