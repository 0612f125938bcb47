"""Body of the worker process: measure the plan's points one after another and send messages."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from kernels.bench.kernel_texts import at_local_name, local_names, source_hashes
from kernels.bench.measure.environment import machine_id, this_environment
from kernels.bench.measure.outliers import outliers
from kernels.bench.measure.point import measure, no_result
from kernels.bench.measure.problems import Problems
from kernels.bench.point_ids import point_ids
from kernels.bench.protocol import DEVICE_LOST, Begin, End, EnvironmentMessage, Failed, Measured, Start, message_text
from kernels.errors import NOT_ENOUGH_MEMORY, DeviceError, InputError, LaunchError, TilescopeError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TextIO

    from kernels.bench.plan import Plan
    from kernels.bench.protocol import Message
    from kernels.bench.sample import Outcome, Point, Repeat, Sample


def work(plan: Plan, wanted: Iterable[str] | None = None) -> Iterator[Message]:
    """Measure points, then outliers again. Ends early, without `End`, after a broken CUDA context.

    Parameters
    ----------
    plan : Plan
        The conditions, and all points.
    wanted : iterable of str, optional
        Ids of the points to measure, one by one as they are asked for; unless given, all of the plan.
    """
    ids = point_ids(plan)
    yield Start(len(plan.points), machine=machine_id(), sources=source_hashes(plan))
    with local_names(plan) as names:
        environment = this_environment()
        yield EnvironmentMessage(environment)
        yield from _Work(plan, ids, names, environment.id).messages(_points(ids, wanted))


def _points(ids: Mapping[Point, str], wanted: Iterable[str] | None) -> Iterable[Point]:
    if wanted is None:
        return ids
    by_id = {name: point for point, name in ids.items()}
    return (by_id[name] for name in wanted)


class _Work:
    """Measurement of points under the conditions of a plan."""

    def __init__(self, plan: Plan, ids: Mapping[Point, str], names: Mapping[str, str], environment: str) -> None:
        self._plan, self._ids, self._names, self._environment = plan, ids, names, environment
        self._baselines = {at_local_name(entry, names): entry for entry in plan.baselines}
        """Baselines by their local entries."""
        self._local_plan = replace(plan, baselines=tuple(self._baselines))
        self._samples: list[Sample] = []
        self._problems = Problems()

    def messages(self, points: Iterable[Point]) -> Iterator[Message]:
        """Measure the points, then outliers again."""
        clock = _Clock(self._plan)
        for point in points:
            name = self._ids[point]
            yield Begin(point, name)
            if clock.used_up:
                yield self._failed(point, "skipped", "the time limit for all points was used up before")
                continue
            try:
                self._samples.append(self._measure(point))
                yield Measured(self._samples[-1], name)
            except DeviceError as error:
                yield self._failed(point, "failed", str(error))
                return
            except (TilescopeError, MemoryError) as error:
                words = NOT_ENOUGH_MEMORY if isinstance(error, MemoryError) else str(error)
                yield self._failed(point, "refused", words)
        try:
            yield from self._repeat_outliers(clock)
        except DeviceError:
            return  # the point keeps its first sample
        yield End()

    def _repeat_outliers(self, clock: _Clock) -> Iterator[Message]:
        """Measure outliers a second time; the second sample says whether it is one, too.

        A second sample that is faster may show that another point is an outlier. No point is measured a third time.
        """
        repeated: set[Point] = set()
        while not clock.used_up:
            point = next((point for point in outliers(self._samples) if point not in repeated), None)
            if point is None:
                return
            repeated.add(point)
            yield Begin(point, self._ids[point])
            with suppress(InputError, LaunchError, UnavailableError, MemoryError):
                self._samples.append(self._measure(point))
                repeat: Repeat = "confirmed" if point in outliers(self._samples) else "recovered"
                self._samples[-1] = replace(self._samples[-1], repeat=repeat)
                yield Measured(self._samples[-1], self._ids[point])

    def _measure(self, point: Point) -> Sample:
        local = replace(point, entry=at_local_name(point.entry, self._names))
        sample = measure(local, self._local_plan, self._environment, self._problems)
        names = {local.kernel: entry.kernel for local, entry in self._baselines.items()}
        return replace(sample, point=point, baseline=names.get(sample.baseline, ""))

    def _failed(self, point: Point, outcome: Outcome, words: str) -> Failed:
        for path in self._names.values():  # the reader knows the file by the name in the plan
            words = words.replace(path, Path(path).name)
        return Failed(no_result(point, outcome, words, self._environment), self._ids[point])


class _Clock:
    """Time since the start of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._end_s = None if plan.total_s is None else monotonic() + plan.total_s

    @property
    def used_up(self) -> bool:
        """Return whether the time limit of the plan has been reached."""
        return self._end_s is not None and monotonic() >= self._end_s


def print_work(plan: Plan, wanted: Iterable[str] | None = None) -> int:
    """Print the messages of `work`, a line each, and return the exit status.

    Only messages reach standard output. Other output, such as a kernel's printf, is redirected to standard error.
    """
    status = DEVICE_LOST
    with _redirected_output() as output:
        for message in work(plan, wanted):
            print(message_text(message), file=output, flush=True)
            if isinstance(message, End):
                status = 0
    return status


def _redirected_output() -> TextIO:
    """Return a copy of standard output, and redirect file descriptor 1 to standard error."""
    sys.stdout.flush()
    output = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return os.fdopen(output, "w", encoding="utf-8")
