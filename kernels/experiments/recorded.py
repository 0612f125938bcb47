"""Results of experiments in the recorded runs that ship with the program: the points that an experiment plans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernels.bench.recorded import recorded_runs
from kernels.cancellation import checkpoint
from kernels.device import device_of_driver
from kernels.experiments.model import Machine
from kernels.experiments.plan import experiment_plan
from kernels.fill import Fills

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kernels.bench.recorded import RecordedRun
    from kernels.bench.sample import Point
    from kernels.bench.store import Row
    from kernels.experiments.model import Experiment, Scale

_SCALES: tuple[Scale, ...] = ("quick", "full")


@dataclass(frozen=True, slots=True)
class RecordedResult:
    """Points of an experiment in a recorded run."""

    device: str
    rows: tuple[Row, ...]
    planned: int
    """Number of points of the experiment at the scale with the most of them."""

    @property
    def words(self) -> str:
        """Device and extent: `NVIDIA H200, recorded, 142 of 364 points`."""
        of = f" of {self.planned}" if len(self.rows) < self.planned else ""
        return f"{self.device}, recorded, {len(self.rows)}{of} points"


def recorded_results(experiments: Iterable[Experiment]) -> dict[str, tuple[RecordedResult, ...]]:
    """Return the results of each experiment, by its id; each run is read once. Raises InputError."""
    found: dict[str, tuple[RecordedResult, ...]] = {}
    experiments = tuple(experiments)
    for run in recorded_runs():
        rows = []
        for row in run.rows():
            checkpoint()
            rows.append(row)
        for experiment in experiments:
            checkpoint()
            result = result_in(experiment, run, rows)
            if result.rows:
                found[experiment.id] = (*found.get(experiment.id, ()), result)
    return found


def result_in(experiment: Experiment, run: RecordedRun, rows: Sequence[Row]) -> RecordedResult:
    """Return the rows of a run that an experiment plans at one of its scales, measured with its inputs and rounding."""
    environment, options = run.environment, run.header.options
    nothing = RecordedResult(environment.device, (), 0)
    same_inputs = Fills.parse(str(options.get("fill", ""))) == Fills.parse(experiment.fill)
    if not experiment.timed or not same_inputs or options.get("fmad", True) != experiment.fmad:
        return nothing
    cores = int(environment.cores) if environment.cores.isdigit() else 1
    machine = Machine(device_of_driver(environment.gpu), "it was not recorded", cores)
    plans = [experiment_plan(experiment, scale, machine)[0].points for scale in _SCALES]
    wanted: set[Point] = {point for points in plans for point in points}
    usable = tuple(row for row in rows if row.sample.point in wanted and row.sample.verified)
    return RecordedResult(environment.device, usable, max(len(points) for points in plans))
