"""Measurement of one plan on several GPUs and hosts: each slot's worker asks for its next point."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Final

from kernels.bench.hosts.dispatch import Dispatch, Place
from kernels.bench.hosts.handshake import check_start
from kernels.bench.hosts.shards import longest_first
from kernels.bench.hosts.worker_process import Lines, WorkerProcess
from kernels.bench.kernel_texts import source_hashes, with_texts
from kernels.bench.measure.environment import machine_id
from kernels.bench.measure.point import no_result
from kernels.bench.point_ids import point_ids
from kernels.bench.protocol import (
    Begin,
    End,
    EnvironmentMessage,
    Failed,
    Measured,
    SlotLost,
    Start,
    parse_message,
    plan_text,
)
from kernels.errors import InputError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from kernels.bench.hosts.host import Slot
    from kernels.bench.measure.environment import Environment
    from kernels.bench.plan import Plan
    from kernels.bench.protocol import Message
    from kernels.bench.sample import Outcome, Point

_LISTEN_S: Final = 0.1
"""Seconds of one wait for a line; time limits are checked as often."""

_NOT_FOUND: Final = 127
"""Exit status of a shell that does not find a program."""

_PATIENCE_S: Final = 2.0
"""Seconds that a host's command has to end by itself."""

_SHOWN_CHARACTERS: Final = 80

_LEAST_TOTAL_S: Final = 1e-9
"""A plan needs a time limit above 0."""


def fan_out(plan: Plan, slots: Sequence[Slot], *, only_check: bool = False) -> Generator[Message]:
    """Measure a plan on several slots and yield the messages of their workers as one stream.

    A point that exceeds the plan's time limit has failed. One whose worker ends is measured again, by a new worker or
    in another slot; if that one ends, too, the point has failed. A slot whose worker cannot be started, does not
    answer, or sends what cannot be read is lost: `SlotLost` says why, and its points go to the others. Closing the
    iterator, or an interrupt, ends all workers at once.

    With `only_check`, workers are started for a plan without points, too: their environments say what answers.

    Raises
    ------
    UnavailableError
        When all slots are lost and points are left.
    """
    run = _FanOut(plan, slots, only_check=only_check)
    try:
        yield Start(len(plan.points), machine=machine_id(), sources=run.sources)
        while not run.finished:
            yield from run.step()
        yield End()
    finally:
        run.close()


@dataclass(slots=True, eq=False)
class _Seat:
    """A slot, and the worker that runs there."""

    number: int
    slot: Slot
    process: WorkerProcess | None = None
    machine: str = ""
    environment: str = ""
    """Id of its environment; "" until its worker can measure."""
    point: Point | None = None
    """The point that is being measured."""
    latest_s: float = 0.0
    """Time of the latest message, or of a point that was sent."""
    outcomes: int = 0
    """Number of outcomes of the present worker."""
    finishing: bool = False
    """Whether the worker measures its outliers again."""
    over: bool = False
    """Whether nothing more is expected: it has finished or is lost."""

    @property
    def idle(self) -> bool:
        """Return whether the worker waits for a point."""
        return bool(self.process and self.environment and not self.point and not self.finishing)

    @property
    def starting(self) -> bool:
        """Return whether the worker has not said yet what it measures on."""
        return not self.over and not self.environment


class _FanOut:
    """State of a measurement on several slots."""

    def __init__(self, plan: Plan, slots: Sequence[Slot], *, only_check: bool) -> None:
        self._plan = plan
        self._only_check = only_check
        elsewhere = any(not slot.host.is_local for slot in slots)
        self._plan_with_texts = with_texts(plan) if elsewhere else plan
        self.sources = source_hashes(plan)
        self._ids = point_ids(plan)
        self._dispatch = Dispatch(longest_first(plan) if len(slots) > 1 else plan.points)
        self._seats = [_Seat(number, slot) for number, slot in enumerate(slots)]
        self._lines = Lines()
        self._reported: set[str] = set()
        self._start_s = monotonic()
        self._reasons: list[str] = []

    @property
    def finished(self) -> bool:
        """Return whether every point has an outcome and every worker has ended."""
        return self._dispatch.finished and all(seat.over for seat in self._seats)

    def step(self) -> Iterator[Message]:
        """Start workers, give points to idle ones, wait shortly for a line, and yield what follows from it."""
        for seat in self._seats:
            if seat.process is None and not seat.over:
                yield from self._start(seat)
        yield from self._skip_late_points()
        self._assign()
        if self._dispatch.finished:
            self._finish()
        elif all(seat.over for seat in self._seats):
            raise UnavailableError("; ".join(dict.fromkeys(self._reasons)) or "there is no host to measure on")
        found = self._lines.get(_LISTEN_S)
        if found is not None:
            process, line = found
            for seat in self._seats:
                if seat.process is process:
                    yield from self._ended(seat) if line is None else self._line(seat, line)
        for seat in self._seats:
            yield from self._check_time(seat)

    def _start(self, seat: _Seat) -> Iterator[Message]:
        """Start a worker; of a plan that is measured already none is needed."""
        if self._dispatch.finished and not self._only_check:
            seat.over = True
            return
        host = seat.slot.host
        plan = self._plan if host.is_local else self._plan_with_texts
        if plan.total_s is not None:
            plan = replace(plan, total_s=max(_LEAST_TOTAL_S, plan.total_s - (monotonic() - self._start_s)))
        seat.latest_s, seat.outcomes, seat.environment = monotonic(), 0, ""
        try:
            command, patience_s = host.worker_command(seat.slot.gpu), 0.0 if host.is_local else _PATIENCE_S
            seat.process = WorkerProcess(command, plan_text(plan), self._lines, patience_s=patience_s)
        except OSError as error:
            yield from self._lose(seat, f"cannot be reached: {host.command[0]}: {error.strerror or error}")

    def _assign(self) -> None:
        starting = any(seat.starting for seat in self._seats)
        for seat in self._seats:
            if not seat.idle:
                continue
            point = self._dispatch.next_point(seat.number, others_start=starting)
            if point is not None and seat.process is not None:
                seat.point, seat.latest_s = point, monotonic()
                seat.process.send(self._ids[point])

    def _finish(self) -> None:
        """Let idle workers measure their outliers again; end those that start in vain."""
        for seat in self._seats:
            if seat.idle and seat.process is not None and self._dispatch.may_finish(seat.number):
                seat.finishing, seat.latest_s = True, monotonic()
                seat.process.send("")
            elif seat.starting and not self._only_check:
                self._end_worker(seat)
                seat.over = True

    def _line(self, seat: _Seat, line: str) -> Iterator[Message]:
        """Handle one line of a worker."""
        try:
            message = parse_message(line)
            if message is None:
                return  # what a shell or a library prints
            if not seat.machine and not isinstance(message, Start):
                raise UnavailableError("did not say which version of tilescope it has")
            seat.latest_s = monotonic()
            match message:
                case Start():
                    check_start(message, self.sources)
                    seat.machine = message.machine
                case EnvironmentMessage(environment):
                    if not seat.slot.host.is_local:
                        environment = replace(environment, host=seat.slot.host.name)
                    yield from self._ready(seat, environment)
                case Begin(point):
                    yield Begin(point, self._ids[self._known(seat, point)])
                case Measured(sample) | Failed(sample):
                    self._known(seat, sample.point)
                    sample = replace(sample, environment=seat.environment)
                    first = self._dispatch.done(seat.number, sample.point)
                    seat.outcomes += 1
                    if sample.point == seat.point:
                        seat.point = None
                    if first or sample.repeat:
                        yield replace(message, sample=sample, id=self._ids[sample.point])
                case End():
                    self._end_worker(seat)
                    seat.over = True
        except InputError:
            yield from self._lose(seat, f"sent a message that cannot be read: {line.strip()[:_SHOWN_CHARACTERS]}")
        except UnavailableError as error:
            yield from self._lose(seat, str(error))

    def _known(self, seat: _Seat, point: Point) -> Point:
        """Return the point that a message is about; refuse one that was not given to the slot."""
        if point != seat.point and not (seat.finishing and point in self._ids):
            raise UnavailableError(f"measured {point}, which it was not asked for")
        return point

    def _ready(self, seat: _Seat, environment: Environment) -> Iterator[Message]:
        """Add a slot whose worker can measure."""
        seat.environment = environment.id
        machine, gpu = seat.machine or f"slot {seat.number}", environment.gpu_uuid
        # Where the driver does not tell the UUID, it is the address on the bus, which other machines have, too.
        known = not gpu or gpu.startswith(("GPU-", "MIG-"))
        self._dispatch.add(seat.number, Place(machine, gpu if known else f"{machine} {gpu}"))
        if environment.id not in self._reported:
            self._reported.add(environment.id)
            yield EnvironmentMessage(environment)

    def _ended(self, seat: _Seat) -> Iterator[Message]:
        """Handle the end of a worker's output: `step` starts another one, unless it ended before it measured."""
        process = seat.process
        assert process is not None
        status, words = process.status(), process.words().strip().splitlines()[-1:]
        detail = "".join(f": {line.removeprefix('tilescope: ')}" for line in words)
        if status == _NOT_FOUND:
            detail += f'; write in hosts.toml how tilescope is started on {seat.slot.host.name}: tilescope = ["PATH"]'
        finishing = seat.finishing
        point = self._end_worker(seat)
        if finishing:
            seat.over = True  # the points keep their first samples
        elif point is None and not seat.outcomes:
            yield from self._lose(seat, f"cannot measure: the process there ended with status {status}{detail}")
        elif point is not None and self._dispatch.blame(point):
            yield self._failed(seat, point, "failed", f"ended the measuring process, exit status {status}{detail}")

    def _check_time(self, seat: _Seat) -> Iterator[Message]:
        """End a worker that exceeds a time limit."""
        limit_s = seat.slot.host.start_s if seat.starting else self._plan.time_limit_s
        if seat.process is None or seat.idle or monotonic() <= seat.latest_s + limit_s:
            return
        if seat.starting:
            yield from self._lose(seat, f"did not answer within {limit_s:g} s")
            return
        finishing = seat.finishing
        point = self._end_worker(seat)
        if finishing:
            seat.over = True
        elif point is not None and (seat.slot.host.is_local or self._dispatch.blame(point)):
            # The silence of a host may be that of the network: there the point has a second try.
            words = f"took longer than {self._plan.time_limit_s:g} s and was ended"
            yield self._failed(seat, point, "overtime", words)

    def _skip_late_points(self) -> Iterator[Message]:
        """Skip the points that have not begun when the time for all points is used up."""
        total_s = self._plan.total_s
        if total_s is None or monotonic() < self._start_s + total_s:
            return
        running = [seat.point for seat in self._seats]
        for point in self._dispatch.open_points:
            if point not in running:
                words = "the time limit for all points was used up before"
                yield self._failed(self._seats[0], point, "skipped", words)

    def _failed(self, seat: _Seat, point: Point, outcome: Outcome, words: str) -> Failed:
        self._dispatch.done(seat.number, point)
        return Failed(no_result(point, outcome, words, seat.environment), self._ids[point])

    def _lose(self, seat: _Seat, words: str) -> Iterator[Message]:
        """Give up a slot; its points go back to the others."""
        self._end_worker(seat)
        seat.over = True
        lost = SlotLost(str(seat.slot), words)
        self._reasons.append(f"{lost.slot} {lost.error}")
        yield lost

    def _end_worker(self, seat: _Seat) -> Point | None:
        """End the worker of a slot and give its points back; return the one that it was measuring."""
        if seat.process is not None:
            seat.process.close()
        seat.process, seat.point, seat.machine, seat.finishing = None, None, "", False
        return self._dispatch.remove(seat.number)

    def close(self) -> None:
        """End all workers."""
        for seat in self._seats:
            if seat.process is not None:
                seat.process.begin_to_close()
        for seat in self._seats:
            self._end_worker(seat)
