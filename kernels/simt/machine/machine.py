"""The state of one run that compiled code, the scheduler and the checkers share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.simt.machine.barrier_phases import NumberedBarriers, Phases

if TYPE_CHECKING:
    from kernels.launch import Launch
    from kernels.simt.machine.assumptions import Assumptions
    from kernels.simt.machine.hazards import Hazards
    from kernels.simt.machine.memory import Memory
    from kernels.simt.machine.recorder import Tally
    from kernels.trace.records import Site, Statement


class Machine:
    """One launch: its arrays, its recorder and hazards, and the facts about the kernel that decide how it runs."""

    def __init__(self, launch: Launch, recorder: Tally, hazards: Hazards, assumptions: Assumptions) -> None:
        self.launch = launch
        self.recorder = recorder
        self.hazards = hazards
        self.assumptions = assumptions
        self.memories: list[Memory] = []
        """The arrays of the trace; an array's number is its position here. Likewise for the next two."""
        self.statements: list[Statement] = []
        self.sites: list[Site] = []
        self.slots = 0
        """Registers of a group."""
        self.waits_for_grid = False
        """True if the kernel has a barrier of the grid: all blocks are resident then and run together."""
        self.spins = False
        """True if a loop waits for other threads: blocks run one after another then."""
        self.spin_loops: set[int] = set()
        """Statements of the loops that may wait for other threads."""
        self.reads_clock = False
        """True if the kernel reads a clock: no state of it ever recurs."""
        self.phases = Phases()
        self.numbered_barriers = NumberedBarriers()
