"""Rounds of a loop that a group runs: how many, and how it stood in an earlier one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.deadlock import State
    from kernels.simt.machine.lanes import Active

LONG: Final = 1000
"""Rounds after which a loop is looked at; again whenever it has run twice as long."""


class Rounds:
    """One run of a loop by a group: the loop's statement, rounds so far, and in which round it is looked at next.

    `before`, or `state`, is how it stood in round `since`, when the lanes of `mask` were in it.
    """

    __slots__ = ("before", "due", "made", "mask", "since", "state", "statement")

    def __init__(self, statement: int) -> None:
        self.statement = statement
        self.made = 0
        self.due = LONG
        self.since = 0
        self.mask: Active = None
        self.before: list[Value] | None = None
        self.state: State | None = None
