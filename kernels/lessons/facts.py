"""Facts about one run of a lesson, computed when a field asks for them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis import Frame, MemoryHistory, PlayOrder, counts, lane_roles, play_order, playlist, warp_accesses
from kernels.analysis.values.result_check import check_result
from kernels.analysis.values.step_values import register_values
from kernels.bench.store.recorded import recorded_runs
from kernels.errors import InputError
from kernels.launch import WARP_SIZE
from kernels.lessons.moments import find_element, find_frame, find_line, find_target
from kernels.occupancy.curve import occupancy_of
from kernels.occupancy.resources import shipped_resources
from kernels.simt import Options
from kernels.tracing import trace_kernel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kernels.analysis import Totals
    from kernels.analysis.metrics.counts import Counts, Issued, MemoryCount
    from kernels.analysis.values.result_check import Verdict
    from kernels.bench.sample import Sample
    from kernels.launch import Launch
    from kernels.lessons.model import LessonStep, Run
    from kernels.occupancy import Occupancy
    from kernels.trace import Trace

Value = int | float | str


@dataclass(frozen=True, eq=False)
class RunFacts:
    """One run, its trace, and the counts at its end. Raises InputError for what the run does not have."""

    run: Run
    edited: Trace | None = None
    """Trace of an edited source, in place of the kernel's own."""

    @cached_property
    def trace(self) -> Trace:
        """The recorded run."""
        if self.edited is not None:
            return self.edited
        run = self.run
        return trace_kernel(run.kernel, run.size, run.block, options=Options(schedule=run.schedule))

    @cached_property
    def launch(self) -> Launch:
        """Grid and block; also of a run that is not traced."""
        return self.edited.launch if self.edited is not None else self.run.kernel.launch(self.run.size, self.run.block)

    @cached_property
    def order(self) -> PlayOrder:
        """Order played."""
        return play_order(self.trace)

    @cached_property
    def end(self) -> Frame:
        """Last frame."""
        frames = playlist(self.trace, "statement", self.order).frames
        return frames[len(frames) - 1]

    @cached_property
    def totals(self) -> Totals:
        """Counts of the whole run."""
        history = MemoryHistory(self.order)
        return history.totals(history.end)

    @cached_property
    def verdict(self) -> Verdict:
        """Elements that are right and wrong at the end."""
        check = check_result(self.order, self.run.kernel.workload)
        if check is None:
            raise InputError(f"{self.run.kernel.id} has no result to check")
        return check.verdict(*self.end)

    @cached_property
    def occupancy(self) -> Occupancy:
        """Occupancy on the run's device."""
        run = self.run
        return occupancy_of(run.kernel, run.size, run.block, run.device, shipped_resources)

    @cached_property
    def measured(self) -> Sample:
        """Measurement of this launch that ships with the program."""
        run = self.run
        for recorded in recorded_runs():
            for row in recorded.rows():
                entry = row.sample.point.entry
                same = entry.kernel == run.kernel.id and row.sample.point.size == run.size
                plain = entry.memory == "device" and not entry.cold and entry.block in (None, run.block)
                if same and plain and row.sample.gflops:
                    return row.sample
        raise InputError(f"no measurement of {run.kernel.id}, size {run.size}, block {run.block} ships with tilescope")

    @property
    def measured_on(self) -> str:
        """GPU of the measurements that ship with the program."""
        return recorded_runs()[0].environment.device

    def issued(self, text: str) -> Issued:
        """Return the warps that execute the line of the first statement with a text; InputError if none does."""
        line = find_line(self.trace, text)
        for issued in self._counts.issued:
            if issued.line == line:
                return issued
        raise InputError(f"no thread of {self.trace.kernel} executes line {line}")

    @property
    def barriers(self) -> float:
        """Barriers of the block that each warp executes, on average."""
        launch, waits = self.launch, {s.span.line for s in self.trace.statements if s.kind == "barrier"}
        executed = sum(issued.warps for issued in self._counts.issued if issued.line in waits)
        return executed / (launch.grid.count * launch.warps_per_block)

    @cached_property
    def _counts(self) -> Counts:
        return counts(self.trace)

    def array(self, name: str) -> int:
        """Return the position of an array in the trace."""
        return find_element(self.trace, f"{name}[0]")[0]

    def counts(self, argument: str) -> Iterable[MemoryCount]:
        """Return the counts of an array and a kind of access, as in `Bs write` (by default read); of all without."""
        name, _, kind = argument.partition(" ")
        if not name:
            return self.totals.arrays
        self.array(name)
        return [c for c in self.totals.arrays if c.array == name and c.access == (kind or "read")]


@dataclass(frozen=True, eq=False)
class StepFacts:
    """A run at the moment of a step of the lesson."""

    facts: RunFacts
    step: LessonStep

    @cached_property
    def frame(self) -> Frame:
        """Frame of the moment."""
        return find_frame(self.facts.trace, self.step.at, self.facts.run.kernel.workload)

    @cached_property
    def lane(self) -> int:
        """Thread in focus, by default the first that takes part in the step."""
        target = find_target(self.facts.trace, self.frame, self.step.lit)
        return target.lane if target.lane >= 0 else int(self.facts.trace.lanes(self.frame.step, self.frame.block)[0])

    def value(self, name: str, frame: Frame | None = None) -> Value:
        """Return an element of an array at the moment, or at another frame."""
        array, index = find_element(self.facts.trace, name)
        block, step = frame or self.frame
        values, written = self.facts.order.contents(array, block, step, self.lane)
        return values.reshape(-1)[index].item() if written.reshape(-1)[index] else "nothing yet"

    def register(self, argument: str) -> Value:
        """Return a variable in the thread in focus, or in another one of the block, as in `sum (1,0)`."""
        name, _, thread = argument.partition(" ")
        trace = self.facts.trace
        lane = self.lane
        if thread:
            index = [int(text) for text in thread.strip("()").split(",")]
            lane = self.frame.block * trace.launch.block.count + trace.launch.block.linear(*index)
        for number, register in enumerate(trace.registers):
            if register.name == name:
                found = register_values(trace, number, self.frame.step, np.array([lane], np.int32))
                if found.known[0]:
                    value: Value = found.values[0].item()
                    return value
        known = ", ".join(dict.fromkeys(register.name for register in trace.registers))
        raise InputError(f"{trace.kernel} has no value of '{name}' here: its variables are {known}")

    @cached_property
    def active(self) -> int:
        """Threads of the block that take part in the step."""
        return len(self.facts.trace.lanes(self.frame.step, self.frame.block))

    @property
    def warp_lanes(self) -> int:
        """Lanes of the warp in focus that take part in the step."""
        trace = self.facts.trace
        block, inside = divmod(self.lane, trace.launch.block.count)
        first = block * trace.launch.block.count + inside // WARP_SIZE * WARP_SIZE
        lanes = trace.lanes(self.frame.step, self.frame.block)
        return int(np.count_nonzero((lanes >= first) & (lanes < first + WARP_SIZE)))

    @cached_property
    def roles(self) -> list[str]:
        """Role of each thread of the block in the step."""
        return list(lane_roles(self.facts.trace, self.frame.step, self.frame.block).names())

    def request(self, array: str, what: str) -> int:
        """Return a count of the requests that the warp in focus makes to an array in the step."""
        trace = self.facts.trace
        block, inside = divmod(self.lane, trace.launch.block.count)
        warp = block * trace.launch.warps_per_block + inside // WARP_SIZE
        found = [access for access in warp_accesses(trace, self.frame.step, warp) if access.array.name == array]
        if not found:
            raise InputError(f"this step of {trace.kernel} does not access {array}")
        return sum(int(getattr(access, what)) for access in found)

    def at_end(self) -> StepFacts:
        """Return the facts at the end of the run, for a field of another step's run."""
        from kernels.lessons.model import Moment

        return StepFacts(self.facts, replace(self.step, at=Moment(number=-1), lit=type(self.step.lit)()))


def first_wrong(facts: RunFacts) -> str:
    """Name the first wrong element: `C[0][1] = 12, should be 15`."""
    from kernels.narration.results import result_line

    return result_line(facts.trace, facts.verdict).detail or "no element is wrong"
