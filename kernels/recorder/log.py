"""The log of an instrumented kernel: what the entries of a thread mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from kernels.frontend.ast import Span
    from kernels.trace.records import Access, Space, StatementKind

ENTRY: Final = np.dtype([("address", "u8"), ("note", "u4"), ("bytes", "u4"), ("value", "u1", 16)])
"""One entry: `ts_entry` of the prelude. A step has the time in nanoseconds for address."""


@dataclass(frozen=True, slots=True)
class Noted:
    """An access: where in the source, and its kind.

    The `deferred` write of an asynchronous copy is made when the thread waits for it.
    """

    span: Span
    access: Access
    deferred: bool = False


@dataclass(frozen=True, slots=True)
class Assigned:
    """A variable of a function, or a member of one, that has got a new value; instances of templates have own ones."""

    name: str
    function: str
    span: Span
    dtype: np.dtype[np.generic]


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The end of a group of asynchronous copies, or a wait that leaves as many groups in flight as there are bytes."""

    waits: bool


@dataclass(frozen=True, slots=True)
class Declared:
    """An array whose beginning is noted; `bytes` are 0 for the launch's dynamic shared memory."""

    name: str
    space: Space
    bytes: int
    span: Span


@dataclass(slots=True)
class Loop:
    """A loop of the text. What is noted in it has a number from `body` on, what its head does a smaller one.

    `at` is its place among what surrounds it, `first` the number of the round that it begins with, counted from 0
    for the first time through the body.
    """

    at: int
    waits: bool
    first: int
    body: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entry stands in the text: in which function, in which loops (outermost first), and in which order."""

    function: int
    loops: tuple[int, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Step:
    """A statement that begins, or goes on after a call.

    `begins` and `turns` are the loop that is entered, or goes round once more, or -1.
    """

    span: Span
    kind: StatementKind
    place: Place
    begins: int = -1
    turns: int = -1


@dataclass(frozen=True, slots=True)
class Begun:
    """A loop that is entered with no step of its own."""

    loop: int


@dataclass(frozen=True, slots=True)
class Called:
    """A call of the function of that number."""

    function: int
    place: Place


Note = Noted | Assigned | Declared | Pipeline | Step | Begun | Called

EVERYTHING: Final = 0xFFFFFFFF
"""What a wait that leaves nothing in flight, committed or not, has for bytes."""
