"""The state of one run that compiled code, the scheduler and the checkers share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.simt.machine.barrier_phases import Phases
from kernels.simt.machine.named_barriers import Arrivals

if TYPE_CHECKING:
    from kernels.launch import Launch
    from kernels.simt.machine.assumptions import Assumptions
    from kernels.simt.machine.hazards import Hazards
    from kernels.simt.machine.memory import Memory
    from kernels.simt.machine.recorder import Tally
    from kernels.trace.records import Site, Statement


class Machine:
    """One launch: its arrays, its recorder and hazards, and what compiling found out about how it must run.

    Attributes
    ----------
    memories, statements, sites : list
        The arrays, statements and places of access of the trace; a number is a position here.
    slots : int
        Registers of a group.
    waits_for_grid : bool
        Whether all blocks meet at a barrier: they then run at once.
    spins : bool
        Whether a loop waits for other threads: blocks then run one after another.
    may_wait : set of int
        Statements of loops that can be waiting for other threads.
    reads_clock : bool
        Whether time passes for a kernel in which nothing else changes.
    phases, arrivals
        State of barrier objects and of numbered barriers.
    """

    def __init__(self, launch: Launch, recorder: Tally, hazards: Hazards, assumptions: Assumptions) -> None:
        self.launch = launch
        self.recorder = recorder
        self.hazards = hazards
        self.assumptions = assumptions
        self.memories: list[Memory] = []
        self.statements: list[Statement] = []
        self.sites: list[Site] = []
        self.slots = 0
        self.waits_for_grid = False
        self.spins = False
        self.may_wait: set[int] = set()
        self.reads_clock = False
        self.phases = Phases()
        self.arrivals = Arrivals()
