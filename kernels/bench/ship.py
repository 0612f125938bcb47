"""Measure the catalogue and write a recorded run: ``python -m kernels.bench.ship`` (on a machine with a GPU).

The points are measured in stages, each in its own worker, so that curves of every kernel exist early. An interrupted
run ships what it has: the file is written after each stage, and `recording.jsonl` in the same folder has every sample.
`--extend` takes the points of an earlier run of the same device over, if their sources are unchanged and no other
budget of time cut them short, and measures the others.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

from kernels.bench.hosts.supervise import supervise
from kernels.bench.kernel_texts import source_hash
from kernels.bench.measure.point import no_result
from kernels.bench.plan import Plan, entries, points
from kernels.bench.protocol import EnvironmentMessage, Failed, Measured
from kernels.bench.store.database import Row
from kernels.bench.store.recorded import FOLDER, SUFFIX
from kernels.bench.store.run_file import RunFileReader, run_lines, write_lines
from kernels.bench.store.run_header import RunHeader
from kernels.catalog import catalog, find_kernel, split_options
from kernels.errors import InputError, TilescopeError
from kernels.files import make_folder
from kernels.startup import INTERRUPTED
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kernels.bench.measure.environment import Environment
    from kernels.bench.protocol import Message
    from kernels.bench.sample import Entry, Point, Sample
    from kernels.catalog import Kernel
    from kernels.workload import Workload

SECONDS: Final = 480.0
"""Seconds for all points."""

BUDGET_S: Final = 0.8
"""Seconds of timing for one point, and twice as many beside a library routine."""

SLOWEST_S: Final = 0.25
"""Launches that take longer are left out: in the budget there would not be the six times that an interval needs."""

SLOWEST_ON_CPU_S: Final = 4.0

_LARGEST: Final = 8192
"""The largest n of the curves."""

_TIME_LIMIT_S: Final = 40.0
_DIGITS: Final = 7
"""Significant digits of a time: events report times as float32."""

_RECORDING: Final = "recording.jsonl"


def stages(kernels: Iterable[Kernel]) -> tuple[tuple[Point, ...], ...]:
    """Return the points of each stage: one block of each kernel at few sizes, more sizes, other blocks and options."""
    kernels = [kernel for kernel in kernels if kernel.measurable]
    on_gpu = [entries(kernel) for kernel in kernels if kernel.runs_on != "cpu"]
    on_cpu = tuple(entry for kernel in kernels if kernel.runs_on == "cpu" for entry in entries(kernel))
    middle = tuple(curves[len(curves) // 2] for curves in on_gpu)
    variants = (variant for kernel in kernels for variant in kernel.variants()[1:])
    others = (
        *(entry for curves in on_gpu for entry in curves if entry not in middle),
        *((curves := entries(variant))[len(curves) // 2] for variant in variants),
    )
    found = (
        _points(middle, 1024, 256),
        (*_points(middle, 4096, 512, 2048), *_points(on_cpu, 256, 512)),
        (*_points(middle, _LARGEST), *_points(on_cpu, 1024)),
        (*_points(others, 1024, 256), *_points(on_cpu, 2048)),
        _points(others, 512, 2048),
        _points(others, 4096),
        _points(others, _LARGEST),
        _points(middle, 1000, 3001, 128, 32),
    )
    return tuple(stage for stage in found if stage)


def _points(curves: Sequence[Entry], *numbers: int) -> tuple[Point, ...]:
    """Return the points of curves by size, then by workload: points of one problem share its inputs."""
    by_workload = sorted(curves, key=lambda entry: find_kernel(entry.kernel).workload.id)
    return tuple(
        point
        for number in numbers
        for entry in by_workload
        for point in points([entry], [_size(find_kernel(entry.kernel).workload, number)])
    )


def _size(workload: Workload, n: int) -> Size:
    """Return the square size n, or of a workload whose curves run along one length its large size in proportion."""
    if workload.rate is None:
        return Size(n, n, n)
    large, axis = workload.large[0], workload.rate.axis
    return workload.fit(large._replace(**{axis: max(1, getattr(large, axis) * n // _LARGEST)}))


def plan_of(stage: Sequence[Point], earlier: Sequence[Sample]) -> tuple[Plan, tuple[Sample, ...]]:
    """Return the plan of a stage, and samples that say why points are not in it: a launch would take too long."""
    reasons = {point: _too_slow(point, earlier) for point in stage}
    chosen = tuple(point for point, reason in reasons.items() if not reason)
    skipped = tuple(no_result(point, "skipped", reason) for point, reason in reasons.items() if reason)
    routines = tuple(entry for kernel in catalog() if kernel.file is None for entry in entries(kernel))
    return Plan(chosen, budget_s=BUDGET_S, time_limit_s=_TIME_LIMIT_S, baselines=routines), skipped


def _too_slow(point: Point, earlier: Sequence[Sample]) -> str:
    """Return why a point is left out, by the time of the nearest smaller size; empty if it is not."""
    kernel = find_kernel(point.entry.kernel)
    smaller = [sample for sample in earlier if sample.point.entry == point.entry and sample.median_ms and sample.flops]
    if not smaller:
        return ""
    nearest = max(smaller, key=lambda sample: sample.flops)
    flops = kernel.workload.flops(point.size)
    expected_s = (nearest.median_ms or 0.0) / 1e3 * flops / nearest.flops
    limit_s = SLOWEST_ON_CPU_S if kernel.runs_on == "cpu" else SLOWEST_S
    if expected_s <= limit_s:
        return ""
    return (
        f"one launch would take about {expected_s:.2g} s by that of n = {nearest.point.size.n}; "
        f"recorded runs contain launches up to {limit_s:g} s"
    )


def rows_to_keep(reader: RunFileReader) -> list[Row]:
    """Return the rows of an earlier run that need no new measurement: their sources are unchanged, and none failed.

    Times that another budget cut short are measured again; a larger one does not change the others.

    Raises
    ------
    InputError
        When the file cannot be read, or is no run of a known device.
    """
    rows = list(reader)
    if reader.environment is None:
        raise InputError(f"{reader.path}: holds no run of a known device; give a file that this command wrote")
    sources = reader.header.sources
    same_budget = reader.header.options.get("budget_s", BUDGET_S) == BUDGET_S
    return [
        row
        for row in rows
        if (row.sample.verified or row.sample.outcome == "skipped")
        and (same_budget or row.sample.stopped != "time limit")
        and sources.get(name := split_options(row.sample.point.entry.kernel)[0], "") == (source_hash(name) or "")
    ]


class Recording:
    """Rows of the run so far; each is also a line of a file from the moment that it arrives.

    Parameters
    ----------
    folder : Path
        Where the files are written.
    earlier : Path, optional
        A run that this one extends; its rows that need no new measurement come first.

    Raises
    ------
    InputError
        When the earlier run cannot be read.
    """

    def __init__(self, folder: Path, earlier: Path | None = None) -> None:
        self.folder = folder
        self.header: RunHeader | None = None
        self.rows: list[Row] = []
        self.environment: Environment | None = None
        if earlier is not None:
            reader = RunFileReader(earlier)
            self.rows = rows_to_keep(reader)
            self.header, self.environment = reader.header, reader.environment

    @property
    def path(self) -> Path:
        """The file of the run, named after the device."""
        device = self.environment.device if self.environment else "unknown"
        return self.folder / (re.sub(r"\W+", "_", device).strip("_").lower() + SUFFIX)

    @property
    def points(self) -> frozenset[Point]:
        """Points with an outcome."""
        return frozenset(row.sample.point for row in self.rows)

    def measure_on(self, environment: Environment) -> None:
        """Add the following samples in this environment.

        Raises
        ------
        InputError
            When the rows so far are of another device.
        """
        if self.environment is not None and self.environment.device != environment.device:
            raise InputError(
                f"the earlier run is of {self.environment.device}, and this machine has {environment.device}: "
                "record it without --extend"
            )
        self.environment = replace(environment, gpu_uuid="", host="")

    def add(self, sample: Sample) -> None:
        """Add a sample."""
        if self.environment is not None:
            sample = replace(sample, environment=self.environment.id)
        row = Row(0, _rounded(sample), self.environment)
        self.rows.append(row)
        with (self.folder / _RECORDING).open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in [*run_lines(self.header or RunHeader(), [row])][1:])

    def save(self) -> None:
        """Write the file of the run; without a verified time there is none."""
        if any(row.sample.times_ms for row in self.rows):
            write_lines(self.path, run_lines(self.header or RunHeader(), self.rows))


def _rounded(sample: Sample) -> Sample:
    """Round the times to the digits that were measured, which halves the file."""
    return replace(
        sample,
        times_ms=_digits(sample.times_ms),
        baseline_ms=_digits(sample.baseline_ms),
        parts_ms={part: _digits(times_ms) for part, times_ms in sample.parts_ms.items()},
    )


def _digits(times_ms: Iterable[float]) -> tuple[float, ...]:
    return tuple(float(f"{time:.{_DIGITS}g}") for time in times_ms)


def record(recording: Recording, kernels: Sequence[Kernel], seconds: float) -> Iterator[Message]:
    """Measure stage by stage and yield each environment and outcome; points after `seconds` are not in the run."""
    end_s = monotonic() + seconds
    sources = {kernel.id: found for kernel in kernels if (found := source_hash(kernel.id))}
    for whole_stage in stages(kernels):
        recorded = recording.points
        stage = [point for point in whole_stage if point not in recorded]
        left_s = end_s - monotonic()
        if left_s <= 0:
            return
        plan, skipped = plan_of(stage, [row.sample for row in recording.rows])
        present = RunHeader.of(plan)
        header = recording.header or present
        recording.header = replace(header, options=present.options, sources={**header.sources, **sources})
        for sample in skipped:
            recording.add(sample)
        if plan.points:
            with closing(supervise(replace(plan, total_s=left_s))) as messages:
                for message in messages:
                    match message:
                        case EnvironmentMessage(environment):
                            recording.measure_on(environment)
                            yield message
                        case Measured(sample) | Failed(sample) if sample.outcome != "skipped":
                            recording.add(sample)
                            yield message
        recording.save()


def main(arguments: Sequence[str] | None = None) -> int:
    """Record a run; return 2 when it cannot be measured or written, 130 when it was interrupted."""
    parser = argparse.ArgumentParser(prog="python -m kernels.bench.ship", description=__doc__)
    parser.add_argument("kernels", nargs="*", help="ids of kernels; the whole catalogue unless given")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the file is written")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="seconds for all points")
    parser.add_argument("--extend", type=Path, metavar="RUN", help="file of an earlier run: measure what it lacks")
    options = parser.parse_args(arguments)
    start_s, status = monotonic(), 0
    try:
        recording = Recording(options.folder, options.extend)
    except TilescopeError as error:
        print(f"tilescope: {error}", file=sys.stderr)
        return 2
    try:
        make_folder(options.folder)
        (options.folder / _RECORDING).unlink(missing_ok=True)
        chosen = [find_kernel(name) for name in options.kernels] or list(catalog())
        for message in record(recording, chosen, options.seconds):
            if isinstance(message, Measured | Failed):
                sample = message.sample
                rate = f"{sample.gflops:,.0f} GFLOPS" if sample.gflops else f"{sample.outcome}: {sample.error}"
                print(f"{monotonic() - start_s:6.1f} s  {sample.point}: {rate}", flush=True)
    except KeyboardInterrupt:
        status = INTERRUPTED
    except TilescopeError as error:
        print(f"tilescope: {error}", file=sys.stderr)
        status = 2
    recording.save()
    (options.folder / _RECORDING).unlink(missing_ok=True)
    if recording.rows and recording.path.exists():
        verified = sum(row.sample.verified for row in recording.rows)
        size = recording.path.stat().st_size
        print(f"{recording.path}: {len(recording.rows)} points, {verified} verified, {size:,} bytes")
    return status


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())
