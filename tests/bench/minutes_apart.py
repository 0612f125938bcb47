"""Two runs of one plan, minutes apart: ``python -m tests.bench.minutes_apart first FOLDER``, later ``second FOLDER``.

Each measures in a worker process, as `tilescope bench` does, and writes its samples to FOLDER. ``compare FOLDER``
prints the ratio of the medians of every point. Wanted: within 1 % of 1; the exit status is 1 where one is not. Needs a
GPU, except to compare.
"""

from __future__ import annotations

import argparse
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kernels.bench.hosts.supervise import supervise
from kernels.bench.plan import Plan
from kernels.bench.protocol import EnvironmentMessage, Failed, Measured
from kernels.bench.sample import Entry, Point
from kernels.bench.store.database import Row
from kernels.bench.store.run_file import RunFileReader, run_lines, write_lines
from kernels.bench.store.run_header import RunHeader
from kernels.errors import InputError, TilescopeError
from kernels.files import make_folder
from kernels.launch import Dim3
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.bench.measure.environment import Environment
    from kernels.bench.sample import Sample

_SQUARE: Final = Dim3(16, 16)
POINTS: Final = (
    (Entry("matmul_tiled", _SQUARE), 256),
    (Entry("matmul_tiled", _SQUARE), 1024),
    (Entry("matmul_tiled", _SQUARE), 2048),
    (Entry("matmul_naive", _SQUARE), 1024),
    (Entry("matmul_registers_2d", _SQUARE), 2048),
    (Entry("cublas_sgemm"), 1024),
    (Entry("cublas_sgemm"), 4096),
)
TOLERANCE: Final = 0.01


def measure(path: Path) -> int:
    """Measure the plan and write its samples; return the number of points without a verified time."""
    plan = Plan(tuple(Point(entry, Size(n, n, n)) for entry, n in POINTS))
    make_folder(path.parent)
    header = RunHeader.of(plan, path.stem)
    environment: Environment | None = None
    rows: list[Row] = []
    for message in supervise(plan):
        match message:
            case EnvironmentMessage(environment):
                pass
            case Measured(sample) | Failed(sample):
                rows.append(Row(0, sample, environment))
                print(f"{sample.point}: {_words(sample)}", flush=True)
    write_lines(path, run_lines(header, rows))
    print(f"{path}: {len(rows)} samples")
    return sum(row.sample.median_ms is None for row in rows)


def _words(sample: Sample) -> str:
    if sample.median_ms is None:
        return f"{sample.outcome}: {sample.error}"
    clock = sample.conditions.sm_clock_mhz if sample.conditions else None
    return f"{1e3 * sample.median_ms:.2f} µs" + (f" at {clock:.0f} MHz" if clock else "")


def compare(first: Path, second: Path) -> int:
    """Print the ratio of each point, and return the number of those beyond the tolerance or without a time."""
    runs = [_samples(path) for path in (first, second)]
    beyond = 0
    for entry, n in POINTS:
        point = Point(entry, Size(n, n, n))
        pair = [run.get(point) for run in runs]
        if not all(sample and sample.median_ms for sample in pair):
            print(f"{point}: not measured in both runs")
            beyond += 1
            continue
        before, after = (sample for sample in pair if sample)
        assert before.median_ms
        assert after.median_ms
        ratio = after.median_ms / before.median_ms
        apart_s = (datetime.fromisoformat(after.taken) - datetime.fromisoformat(before.taken)).total_seconds()
        far = abs(ratio - 1) > TOLERANCE
        beyond += far
        print(
            f"{point!s:36}{_words(before):>24}{_words(after):>24}   ratio {ratio:.4f}, {apart_s / 60:.1f} min apart"
            + ": BEYOND 1 %" * far
        )
    print(f"{beyond} of {len(POINTS)} points beyond {TOLERANCE:.0%}" if beyond else f"all within {TOLERANCE:.0%}")
    return beyond


def _samples(path: Path) -> dict[Point, Sample]:
    """Return the samples of a file by their points; of two samples of one point the later."""
    if not path.exists():
        raise InputError(f"{path} does not exist: measure `first` and `second` before you compare them")
    return {row.sample.point: row.sample for row in RunFileReader(path)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure or compare; return 1 where a point is beyond what is wanted, 2 where nothing can be measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("phase", choices=["first", "second", "compare"])
    parser.add_argument("folder", type=Path)
    options = parser.parse_args(arguments)
    first, second = (options.folder / f"{name}.jsonl" for name in ("first", "second"))
    try:
        unwanted = (
            compare(first, second) if options.phase == "compare" else measure(options.folder / f"{options.phase}.jsonl")
        )
    except TilescopeError as error:
        print(f"minutes_apart: {error}", file=sys.stderr)
        return 2
    return 1 if unwanted else 0


if __name__ == "__main__":
    sys.exit(main())
