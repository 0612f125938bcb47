"""Our times against those of an event loop in plain CUDA C++: ``python -m tests.bench.event_loop`` (GPU and nvcc).

The loop is `event_loop.cu`: a program compiled by nvcc, with its own process, context and arrays. It includes the same
kernel file with the same definitions, launches it with `<<<…>>>` and the same grid and block, and calls
`cudaEventRecord` before and after the launches of a sample. Inputs, warm-up, caches (hot) and the number of launches
are as in `kernels.gpu.timing`. Ours are figures of `kernels.bench.measure.point`, with NVRTC, CuPy, a waiting kernel
before each sample, and a graph of launches below 50 µs; those are measured a second time without the graph.

Program and loop take turns, program loop program loop, with as many samples of each; a ratio is that of the medians of
one round. Wanted: the median of the ratios within 1 % of 1, and 3 % below n = 1024; else the exit status is 1.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Final

from kernels.bench.measure.point import measure
from kernels.bench.plan import Plan
from kernels.bench.sample import Entry, Point
from kernels.catalog import find_kernel
from kernels.errors import UnavailableError
from kernels.gpu.compiler import compile_kernel, nvrtc_version
from kernels.gpu.device import missing, present_device
from kernels.launch import Dim3
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.bench.sample import Sample

ENTRIES: Final = (
    Entry("matmul_naive", Dim3(16, 16)),
    Entry("matmul_tiled", Dim3(16, 16)),
    Entry("matmul_tiled", Dim3(32, 32)),
)
SIZES: Final = (256, 1024, 2048, 4096)

SMALL: Final = 1024
"""Below this n the gaps between launches are a larger part of the time."""

TOLERANCE: Final = 0.01
TOLERANCE_BELOW: Final = 0.03

_SOURCE: Final = Path(__file__).with_suffix(".cu")
_ARCHES: Final = {"sm_90": "sm_90a"}
"""As in `kernels.gpu.compiler`, so that both compile for the same architecture."""


class EventLoop:
    """The running program for one point. A context manager, at whose end the program ends."""

    def __init__(self, program: Path, point: Point) -> None:
        kernel = find_kernel(point.entry.kernel)
        launch = kernel.launch(point.size, point.entry.block or kernel.block)
        numbers = (*point.size, *launch.grid, *launch.block, launch.dynamic_shared_bytes)
        self._process = subprocess.Popen(
            [program, *map(str, numbers)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.registers, self.launches = (int(number) for number in self._line())

    def __enter__(self) -> EventLoop:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()  # its input ends

    def median_ms(self, samples: int) -> float:
        """Return the median time of a launch."""
        assert self._process.stdin
        self._process.stdin.write(f"{samples}\n")
        self._process.stdin.flush()
        return statistics.median(map(float, self._line()))

    def _line(self) -> list[str]:
        assert self._process.stdout
        words = self._process.stdout.readline().split()
        if not words:
            raise UnavailableError(f"the event loop ended with status {self._process.wait()}")
        return words


@dataclass(slots=True)
class Rounds:
    """Median times of the rounds of one point, milliseconds."""

    program: list[float] = field(default_factory=list)
    queued: list[float] = field(default_factory=list)
    """Those without a graph, where the program uses one."""
    loop: list[float] = field(default_factory=list)

    @property
    def ratios(self) -> list[float]:
        """The program's time as a multiple of the loop's."""
        return [own / other for own, other in zip(self.program, self.loop, strict=True)]

    @property
    def queued_ratios(self) -> list[float]:
        """The same without a graph."""
        return [own / other for own, other in zip(self.queued, self.loop, strict=False)]


def take_rounds(point: Point, loop: EventLoop, rounds: int, budget_s: float) -> Rounds:
    """Let the program and the loop take turns."""
    found = Rounds()
    for _ in range(rounds):
        sample = _measure(point, Plan((), budget_s=budget_s))
        found.program.append(_median(sample))
        found.loop.append(loop.median_ms(len(sample.times_ms)))
        if sample.captured:
            found.queued.append(_median(_measure(point, Plan((), budget_s=budget_s, graphs=False))))
    return found


def _measure(point: Point, plan: Plan) -> Sample:
    sample = measure(point, plan, "")
    if not sample.verified:
        raise UnavailableError(f"{point}: {sample.error}")
    return sample


def _median(sample: Sample) -> float:
    assert sample.median_ms
    return sample.median_ms


def compile_loop(entry: Entry, arch: str, folder: Path) -> Path:
    """Compile the program for one kernel and block; its definitions do not depend on the size."""
    kernel = find_kernel(entry.kernel)
    block = entry.block or kernel.block
    definitions = kernel.defines(Size(1024, 1024, 1024), block)
    program = folder / f"{kernel.id}_{block.x}_{block.y}"
    command = ["nvcc", "-O3", "-std=c++17", f"-arch={_ARCHES.get(arch, arch)}", "-o", str(program), str(_SOURCE)]
    command += [f'-DKERNEL_FILE="{kernel.file}"', f"-DKERNEL={kernel.entry}"]
    command += [f"-D{name}={value}" for name, value in definitions]
    subprocess.run(command, check=True)
    return program


def _nvcc_version() -> str:
    report = subprocess.run(["nvcc", "--version"], check=True, capture_output=True, text=True).stdout
    return next((line.split(" V")[-1] for line in report.splitlines() if " V" in line), "of an unknown version")


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare every point and print a line each; 1 where one is beyond what is wanted, 2 where nothing can run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--budget", type=float, default=0.5, help="seconds of timing in one turn of the program")
    options = parser.parse_args(arguments)
    if reason := missing() or ("" if which("nvcc") else "nvcc is not on the PATH"):
        print(f"event_loop: {reason}", file=sys.stderr)
        return 2
    device = present_device()
    print(f"{device.name}: kernels by NVRTC {nvrtc_version()} in the program, by nvcc {_nvcc_version()} in the loop")
    print(f"{'':32}{'program':>12}{'loop':>12}   ratio of medians, of {options.rounds} rounds")
    beyond = 0
    with tempfile.TemporaryDirectory() as scratch:
        for entry in ENTRIES:
            program = compile_loop(entry, device.arch, Path(scratch))
            for n in options.sizes:
                beyond += not _compare(
                    Point(entry, Size(n, n, n)), program, device.arch, options.rounds, options.budget
                )
    print(f"{beyond} beyond what is wanted" if beyond else "all as wanted")
    return 1 if beyond else 0


def _compare(point: Point, program: Path, arch: str, rounds: int, budget_s: float) -> bool:
    """Compare one point, print its line, and return whether it is as wanted."""
    kernel = find_kernel(point.entry.kernel)
    with ExitStack() as opened:
        loop = opened.enter_context(EventLoop(program, point))
        found = take_rounds(point, loop, rounds, budget_s)
    wanted = TOLERANCE if point.size.n >= SMALL else TOLERANCE_BELOW
    middle = statistics.median(found.ratios)
    good = abs(middle - 1) <= wanted
    own, other = (1e3 * statistics.median(times) for times in (found.program, found.loop))
    spread = f"{middle:.4f} ({min(found.ratios):.4f} … {max(found.ratios):.4f})"
    words = [f"{point!s:32}{own:9.2f} µs{other:9.2f} µs   {spread}, wanted within {wanted:.0%}"]
    words.append("" if good else ": BEYOND")
    if found.queued_ratios:
        words.append(f"; without the graph {statistics.median(found.queued_ratios):.4f}")
    registers = compile_kernel(kernel, point.size, point.entry.block or kernel.block, arch).figures.registers
    if registers != loop.registers:
        words.append(f"; other code: {registers} registers in the program, {loop.registers} in the loop")
    print("".join(words), flush=True)
    return good


if __name__ == "__main__":
    sys.exit(main())
