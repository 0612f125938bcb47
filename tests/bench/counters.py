"""The GPU's own counters against the counts of the source, for the catalogue and some patterns of wide accesses.

`python -m tests.bench.counters`: runs the kernels once under Nsight Compute (`ncu`, which must be on PATH) and prints
a line for each counter of each launch: measured, counted, and whether they are equal. `may change` marks a counter that
the compiler may change: it merges and repeats loads, and executes conditional stores to shared memory in every warp.
These are stated. The others are global stores, and every counter of the patterns, whose one access cannot be merged:
the exit status is 1 when one of them differs. `--more` takes the kernels' other options, and a size that leaves other
remainders; names of kernels leave out the others. Needs a GPU.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis.metrics.counts import counts
from kernels.catalog import Kernel, catalog
from kernels.errors import LaunchError, TilescopeError
from kernels.fill import Fill
from kernels.gpu.compiler import compile_kernel, compile_text
from kernels.gpu.device import missing, present_device
from kernels.launch import Dim3, Launch
from kernels.simt import Unwritten
from kernels.tracing import trace_kernel, trace_source
from kernels.workload import Size
from tests.bench.micro import MICROS, Micro

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kernels.analysis import MemoryCount
    from kernels.gpu.compiler import Compiled
    from kernels.simt import Argument
    from kernels.trace import Trace

SIZES: Final = (Size(64, 64, 64), Size(33, 50, 17))
MORE_SIZE: Final = Size(45, 77, 29)
BLOCKS: Final = (Dim3(8, 8), Dim3(16, 16), Dim3(32, 8), Dim3(32, 32))
FILL: Final = Fill("random", (1,))

METRICS: Final = {
    "global loads": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global load sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global stores": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global store sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared loads": "smsp__inst_executed_op_shared_ld.sum",
    "shared load wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared load conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared stores": "smsp__inst_executed_op_shared_st.sum",
    "shared store wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared store conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "global atomics": "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
    "global reductions": "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "local loads": "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
    "local stores": "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum",
}
COMPARED: Final = list(METRICS)[:10]
HELD: Final = ("global stores", "global store sectors")
"""Counters that the compiler does not change in any kernel."""


@dataclass(frozen=True)
class Case:
    """One launch."""

    kernel: Kernel | Micro
    size: Size
    block: Dim3

    def __str__(self) -> str:
        if isinstance(self.kernel, Micro):
            return self.kernel.name
        return f"{self.kernel.id} {self.size} block {self.block}"

    @property
    def entry(self) -> str:
        """The kernel's name in the profiler's report."""
        return self.kernel.name if isinstance(self.kernel, Micro) else self.kernel.entry

    def compiled(self) -> Compiled:
        arch = present_device().arch
        if isinstance(self.kernel, Micro):
            return compile_text(self.kernel.text, f"{self.kernel.name}.cu", self.kernel.name, (), arch)
        return compile_kernel(self.kernel, self.size, self.block, arch)

    def trace(self) -> Trace:
        if not isinstance(self.kernel, Micro):
            return trace_kernel(self.kernel, self.size, self.block, FILL)
        arguments: dict[str, Argument] = {
            "in": np.arange(32, dtype=np.float32),
            "out": Unwritten("float32", (32,)),
        }
        return trace_source(self.kernel.text, f"{self.kernel.name}.cu", None, Launch(Dim3(1), Dim3(32)), arguments)

    def run(self) -> None:
        """Launch once, on the GPU."""
        import cupy
        from cupy.cuda import function

        from kernels.gpu.run import CudaRun

        if not isinstance(self.kernel, Micro):
            inputs = self.kernel.workload.inputs(self.kernel.workload.fit(self.size), FILL)
            with CudaRun(self.kernel, self.size, self.block, inputs) as run:
                run.launch()
                cupy.cuda.get_current_stream().synchronize()
            return
        module, code = function.Module(), self.compiled()
        module.load(code.cubin)
        given, found = cupy.asarray(np.arange(32, dtype=np.float32)), cupy.asarray(np.zeros(32, np.float32))
        module.get_function(code.symbol)((1, 1, 1), (32, 1, 1), (given, found))
        cupy.cuda.get_current_stream().synchronize()


@lru_cache(maxsize=2)
def cases(*named: str, more: bool = False) -> tuple[Case, ...]:
    """Every launch, in order, or those of some kernels."""
    found = []
    for kernel in catalog():
        if named and kernel.id not in named:
            continue
        usual, *others = kernel.variants()
        for variant, sizes in (
            (usual, (MORE_SIZE,) if more else SIZES),
            *((v, SIZES) for v in others if more),
        ):
            for size in sizes if kernel.runs_on == "cuda" and kernel.workload.id != "none" else ():
                found += list(_launches(variant, size))
    return (*found, *(Case(micro, Size(1, 1, 1), Dim3(32)) for micro in ([] if more or named else MICROS)))


def _launches(kernel: Kernel, size: Size) -> Iterator[Case]:
    for block in dict.fromkeys((*kernel.blocks[:2], *BLOCKS[:: 1 if kernel.require else 2])):
        try:
            kernel.launch(kernel.workload.fit(size), block)
        except LaunchError:
            continue
        yield Case(kernel, size, block)


def counted(found: Iterable[MemoryCount]) -> Counter[str]:
    """Add our counts up under the names that the metrics have here."""
    total: Counter[str] = Counter()
    for count in found:
        if count.space in ("global", "shared") and count.access != "atomic":
            word = f"{count.space} {'load' if count.access == 'read' else 'store'}"
            total[f"{word}s"] += count.requests
            total[f"{word} sectors"] += count.sectors
            total[f"{word} wavefronts"] += count.wavefronts
            total[f"{word} conflicts"] += count.excess_wavefronts
    return total


def measured(*given: str) -> Iterator[tuple[str, dict[str, int]]]:
    """Profile all launches; yield a kernel's name and its counters for each, in order."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.csv"
        known = subprocess.run(["ncu", "--query-metrics"], capture_output=True, text=True, check=False).stdout
        wanted = [m for m in METRICS.values() if not known or m.partition(".")[0] in known]
        words = [
            "ncu",
            "--clock-control",
            "none",
            "--csv",
            "--print-units",
            "base",
            "--log-file",
            str(report),
            "--metrics",
            ",".join(wanted),
            sys.executable,
            "-m",
            "tests.bench.counters",
            "--launch",
            *given,
        ]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        text = report.read_text() if report.exists() else ""
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}\n{text[-2000:]}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    rows = csv.DictReader(line for line in text.splitlines() if line.startswith('"'))
    names = {metric: name for name, metric in METRICS.items()}
    found: dict[str, tuple[str, dict[str, int]]] = {}
    for row in rows:
        launch = found.setdefault(row["ID"], (row["Kernel Name"].partition("(")[0].strip(), {}))
        launch[1][names[row["Metric Name"]]] = round(float(row["Metric Value"].replace(",", "")))
    yield from found.values()


def verdict(case: Case, name: str, value: int, count: int) -> str:
    """Judge a counter."""
    if value == count:
        return "equal"
    held = isinstance(case.kernel, Micro) or name in HELD
    return "DIFFERENT" if held else "may change"


def expected(case: Case) -> tuple[Counter[str], str]:
    """Return the counts of a launch, or why there are none."""
    try:
        return counted(counts(case.trace()).arrays), ""
    except TilescopeError as error:
        return Counter(), str(error)


def main() -> int:
    """Print the table and return the exit status."""
    reason = missing() or ("" if shutil.which("ncu") else "ncu (Nsight Compute) is not on PATH")
    if reason:
        print(reason)
        return 0
    given = sys.argv[1:]
    named = [word for word in given if not word.startswith("--")]
    launches = cases(*named, more="--more" in given)
    if "--launch" in given:
        for case in launches:
            case.run()
        return 0
    entries = {case.entry for case in launches}
    found = [values for entry, values in measured(*given) if entry in entries]
    if len(found) != len(launches):
        print(f"{len(launches)} launches, {len(found)} in the report")
        return 1
    verdicts: Counter[str] = Counter()
    print(f"{'launch':<52} {'counter':<24} {'measured':>10} {'counted':>10}")
    for case, values in zip(launches, found, strict=True):
        ours, why = expected(case)
        if why:
            print(f"{case!s:<52} not simulated: {why}")
        for name, value in values.items():
            compared = name in COMPARED and not why
            if not value and not (compared and ours[name]):
                continue
            judged = verdict(case, name, value, ours[name]) if compared else ""
            verdicts[judged] += 1
            print(f"{case!s:<52} {name:<24} {value:>10} {ours[name] if compared else '-':>10} {judged}")
    print(", ".join(f"{number} {judged}" for judged, number in sorted(verdicts.items()) if judged))
    return int(verdicts["DIFFERENT"] > 0)


if __name__ == "__main__":
    sys.exit(main())
