"""One plan on two GPUs of a machine against each of them alone: ``python -m tests.bench.two_gpus FOLDER``.

Four runs of the same plan: on the first GPU alone, on the second alone, on both, and on both while the second one's
workers are killed. Prints a table of times, shares, and differences of rates; the samples of each run are written to
FOLDER as JSON lines.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

from kernels.bench.hosts.fan_out import fan_out
from kernels.bench.hosts.host import LOCAL, Host, slots_of
from kernels.bench.plan import Plan, entries, libraries, points
from kernels.bench.protocol import EnvironmentMessage, Failed, Measured, SlotLost
from kernels.bench.store.database import Row
from kernels.bench.store.run_file import run_lines, write_lines
from kernels.bench.store.run_header import RunHeader
from kernels.catalog import catalog, find_kernel
from kernels.errors import TilescopeError
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kernels.bench.measure.environment import Environment
    from kernels.bench.sample import Entry, Point
    from kernels.catalog import Kernel

SIZES: Final = (2048, 2176, 2304, 2432, 2560, 2688, 2816, 2944, 3072, 3328, 3584, 4096)
"""Matrices that fit in the L2 cache differ by up to 3 % from process to process, on one GPU alone as well."""

CURVES: Final = 8
"""Kernels, in teaching order, each with its middle block; cuBLAS is timed in turns with them."""

KILL_AFTER: Final = 0.25
"""Share of the points after which the workers of the second GPU are killed."""


@dataclass(slots=True)
class PlanRun:
    """A run of the plan."""

    name: str
    rows: list[Row] = field(default_factory=list)
    seconds: float = 0.0
    lost: list[str] = field(default_factory=list)

    @property
    def first_rows(self) -> list[Row]:
        """One row for each point."""
        return [row for row in self.rows if not row.sample.repeat]

    def rates(self) -> dict[Point, tuple[str, float]]:
        """Return GPU and rate of each verified point, of two samples of one point the later."""
        found = {}
        for row in self.rows:
            if row.sample.gflops and row.environment:
                found[row.sample.point] = (row.environment.gpu_uuid, row.sample.gflops)
        return found


def the_plan(budget_s: float) -> Plan:
    """Return the plan: at least 100 points."""
    kernels = [k for k in catalog() if k.measurable and k.runs_on == "cuda" and k.workload.id == "matmul"]
    chosen: list[Entry] = []
    for kernel in kernels:
        curves = entries(kernel)
        entry = curves[len(curves) // 2]
        if entry.memory == "device" and len(chosen) < CURVES and _runs(kernel, entry):
            chosen.append(entry)
    chosen += entries(find_kernel("cublas_sgemm"))
    sizes = [Size(n, n, n) for n in SIZES]
    return Plan(points(chosen, sizes), budget_s=budget_s, baselines=libraries(chosen))


def _runs(kernel: Kernel, entry: Entry) -> bool:
    """Return whether a kernel can be launched at every size."""
    try:
        for n in SIZES:
            kernel.launch(Size(n, n, n), entry.block or kernel.block)
    except TilescopeError:
        return False
    return True


def measure(name: str, plan: Plan, gpus: Sequence[str], at: Callable[[int], object] = lambda _count: None) -> PlanRun:
    """Measure the plan; `at` is called with the number of outcomes after each message."""
    run = PlanRun(name)
    environments: dict[str, Environment] = {}
    start_s = monotonic()
    for message in fan_out(plan, slots_of([Host(LOCAL, gpus=tuple(gpus))])):
        match message:
            case EnvironmentMessage(environment):
                environments[environment.id] = environment
            case Measured(sample) | Failed(sample):
                run.rows.append(Row(0, sample, environments.get(sample.environment)))
            case SlotLost(slot, error):
                run.lost.append(f"{slot} {error}")
        at(len(run.rows))
    run.seconds = monotonic() - start_s
    return run


def kill_workers(gpu: str) -> None:
    """Kill the children that measure on a GPU."""
    for file in Path("/proc/self/task").glob("*/children"):
        for pid in file.read_text().split():
            with suppress(OSError):
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                if b"--gpus" in words and words[words.index(b"--gpus") + 1] == gpu.encode():
                    os.kill(int(pid), signal.SIGKILL)


def main() -> None:
    """Measure, write the samples, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--gpus", default="0,1")
    parser.add_argument("--budget", type=float, default=0.3, help="seconds of timing for one point")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    first, second = options.gpus.split(",")
    plan = the_plan(options.budget)
    runs = []
    for name, gpus in (("first alone", [first]), ("second alone", [second]), ("both", [first, second])):
        runs.append(measure(name, plan, gpus))
        save(options.folder, plan, runs[-1])
    enough = KILL_AFTER * len(plan.points)
    runs.append(
        measure("both, second killed", plan, [first, second], lambda n: kill_workers(second) if n >= enough else None)
    )
    save(options.folder, plan, runs[-1])
    print_table(plan, runs)


def save(folder: Path, plan: Plan, run: PlanRun) -> None:
    """Write the samples of a run."""
    write_lines(
        folder / f"{run.name.replace(', ', ' ').replace(' ', '_')}.jsonl", run_lines(RunHeader.of(plan), run.rows)
    )
    print(f"{run.name}: {len(run.first_rows)} points in {run.seconds:.1f} s", flush=True)


def print_table(plan: Plan, runs: Sequence[PlanRun]) -> None:
    """Print times, shares and differences."""
    alone, both = runs[:2], runs[2]
    gpus = [next(iter(run.rates().values()))[0] for run in alone]
    print("\n| run | seconds | points | verified | lost | doubled | on first | on second | slots lost |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for run in runs:
        counts = Counter(row.sample.point for row in run.first_rows)
        shares = Counter(row.environment.gpu_uuid for row in run.first_rows if row.environment)
        verified = sum(row.sample.verified for row in run.first_rows)
        doubled = sum(count - 1 for count in counts.values())
        print(
            f"| {run.name} | {run.seconds:.1f} | {len(counts)} | {verified} | {len(set(plan.points) - set(counts))} "
            f"| {doubled} | {shares[gpus[0]]} | {shares[gpus[1]]} | {'; '.join(run.lost) or 'none'} |"
        )
    for run, gpu in zip(alone, ("first", "second"), strict=True):
        print(f"\nwall time of both against the {gpu} alone: {both.seconds / run.seconds:.3f}")
    by_gpu = dict(zip(gpus, (run.rates() for run in alone), strict=True))
    for run in runs[2:]:
        ratios = {
            point: rate / by_gpu[gpu][point][1] for point, (gpu, rate) in run.rates().items() if point in by_gpu[gpu]
        }
        off = [f"{point}: {ratio - 1:+.2%}" for point, ratio in ratios.items() if abs(ratio - 1) > 0.01]
        worst = max(abs(ratio - 1) for ratio in ratios.values())
        middle = statistics.median(ratios.values()) - 1
        print(
            f"\n{run.name}, rates against the same GPU alone: median {middle:+.3%}, at most {worst:.2%}; {len(off)} of"
        )
        print(f"{len(ratios)} points differ by more than 1 %" + "".join(f"\n- {line}" for line in off))
    one, other = (run.rates() for run in alone)
    between = [other[point][1] / one[point][1] for point in one.keys() & other.keys()]
    print(
        f"\nsecond GPU against the first, {len(between)} points: median {statistics.median(between) - 1:+.3%}, "
        f"from {min(between) - 1:+.2%} to {max(between) - 1:+.2%}"
    )


if __name__ == "__main__":
    main()
