"""Counts of a launch without a record: equal to those of its trace, number by number.

The plain command takes one kernel of each kind as it opens and one in six of the hazard corpus, each under one
schedule, in turn; the exhaustive command runs the rest of both.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner

from kernels.analysis import LaunchCounter, MemoryHistory, counts, play_order, touches
from kernels.analysis.metrics import element_counts
from kernels.arguments import parse_arguments
from kernels.catalog import catalog, find_kernel
from kernels.cli import main
from kernels.cli import trace as trace_command
from kernels.launch import Dim3, Launch
from kernels.simt import Options
from kernels.simt.machine.skipped_memory import SkippedMemory
from kernels.tracing import trace_kernel, trace_program, trace_source
from kernels.workload import Size
from tests.cases import Cases
from tests.kernels.analysis.traces import catalogue_launches, trace_of_launch
from tests.kernels.hazards.corpus import Case, cases
from tests.sweeps import in_handful, in_turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.analysis.metrics.launch_counts import LaunchCounts
    from kernels.catalog import Kernel
    from kernels.simt.machine.machine import Machine
    from kernels.trace import Trace

CASES = Cases(__file__)

SCHEDULES = ("lockstep", "warps", "shuffle:3")


def count(run: Callable[[Options], Trace], options: Options) -> LaunchCounts:
    counter = LaunchCounter()
    return counter.result(run(replace(options, counter=counter)))


def executions(trace: Trace) -> list[tuple[int, int, int, int]]:
    """Statement, warps, lanes and executions by part of a warp, from the steps one by one."""
    found: dict[int, list[int]] = {}
    threads = trace.launch.block.count
    for step in range(trace.steps):
        row = found.setdefault(int(trace.step_statement[step]), [0, 0, 0])
        warps = Counter((lane // threads, lane % threads // 32) for lane in trace.lanes(step).tolist())
        row[0] += len(warps)
        row[1] += warps.total()
        row[2] += sum(lanes < min(32, threads - warp * 32) for (_, warp), lanes in warps.items())
    return [(statement, row[0], row[1], row[2]) for statement, row in sorted(found.items())]


def assert_equal(trace: Trace, found: LaunchCounts) -> None:
    """Compare every number with that of the trace."""
    assert (found.trace.steps, found.trace.stopped) == (trace.steps, trace.stopped)
    wanted = counts(trace)
    for part in ("arrays", "lines", "sites", "reuse", "issued"):
        assert getattr(found.counts, part) == getattr(wanted, part), part
    assert [(c.statement, c.warps, c.lanes, c.split) for c in found.statements] == executions(trace)
    kinds = {(site.array, site.access) for site in trace.sites}
    for array, access in kinds:
        wanted_touches = touches(trace, array, access)
        each = found.touches.get((array, access), np.zeros_like(wanted_touches))
        assert np.array_equal(wanted_touches, each), trace.arrays[array].name
    if trace.steps:
        history = MemoryHistory(play_order(trace))
        assert found.totals == history.totals(history.end)
        assert found.lines == history.lines(history.end)
        for array in range(len(trace.arrays)):
            assert np.array_equal(found.reads(array).reads, history.reads(array, history.end).reads)


def assert_counts(run: Callable[[Options], Trace], options: Options = Options()) -> LaunchCounts:  # noqa: B008
    """Run with a record and without one; the counts are equal."""
    found = count(run, options)
    assert_equal(run(options), found)
    return found


def of_source(text: str, grid: str, block: str, *arguments: str) -> Callable[[Options], Trace]:
    launch = Launch(Dim3.parse(grid), Dim3.parse(block))
    return lambda options: trace_source(text, "t.cu", None, launch, parse_arguments(arguments), options=options)


@pytest.mark.parametrize(("kernel", "size", "block"), catalogue_launches())
def test_catalogue(kernel: Kernel, size: Size, block: Dim3) -> None:
    assert_counts(lambda options: trace_of_launch(kernel, size, block, options))


OPENING = [variant for listed in catalog() if listed.file is not None for variant in listed.variants()]


@pytest.mark.parametrize(
    ("kernel", "schedule"), in_turn(OPENING, SCHEDULES[1:], lambda kernel: kernel.id, plain=in_handful)
)
def test_catalogue_in_other_orders(kernel: Kernel, schedule: str) -> None:
    assert_counts(lambda options: trace_kernel(kernel, kernel.size, kernel.block, options=options), Options(schedule))


HAZARD_CASES = [
    case for case in cases() if "--max-memory" not in case.words
]  # a record may be too large, counts are not


@pytest.mark.parametrize(
    ("case", "schedule"),
    in_turn(HAZARD_CASES, SCHEDULES, lambda case: case.name, plain=lambda case: case in HAZARD_CASES[::6]),
)
def test_hazard_corpus(case: Case, schedule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[tuple[Trace, LaunchCounts]] = []

    def both(program: Any, name: Any, launch: Any, values: Any, template: Any, options: Any, instances: Any) -> Trace:
        def run(options: Options) -> Trace:
            return trace_program(program, name, launch, values, template, options, instances)

        recorded = run(replace(options, may_outgrow=False, checkers=frozenset(), advise=False))
        found.append((recorded, count(run, options)))
        return recorded

    monkeypatch.setattr(trace_command, "trace_program", both)
    result = CliRunner().invoke(main, ["trace", str(case.file), *case.words, "--schedule", schedule])
    assert found, result.output
    assert_equal(*found[0])


def sparse() -> Callable[[Options], Trace]:
    return of_source(
        CASES.source("sparse"),
        "3",
        "32",
        *("first=i32[81]:iota", "column=i32[80]:mod(7)", "value=f32[80]:ones", "x=f32[80]:iota", "y=f32[80]:uninit"),
        "rows=80",
    )


def test_only_values_of_addresses_and_branches_are_computed() -> None:
    machines = []

    class Looking(LaunchCounter):
        def begin(self, machine: Machine) -> None:
            machines.append(machine)
            super().begin(machine)

    sparse()(Options(counter=Looking()))
    # The first attempt skips all values, the next knows the bounds of the loop, and the last the columns, too.
    needed = [{key[0] for key in machine.assumptions.values_needed} for machine in machines]
    assert needed[-1] == {"first", "column"}
    assert len(machines) == 3
    skipped = {m.info.name for m in machines[-1].memories if isinstance(m, SkippedMemory)}
    assert skipped == {"value", "x", "y"}


def test_values_that_decide_are_computed() -> None:
    found = assert_counts(sparse())
    assert found.totals.requests("global", "read") == sum(c.requests for c in found.counts.arrays if c.access == "read")


@pytest.mark.parametrize("body", CASES("uses_of_values"))
def test_uses_of_values(body: str) -> None:
    text = f"__global__ void k(float *a, float *b, int *n) {{\nint t = threadIdx.x;\n{body}\n}}"
    assert_counts(of_source(text, "2", "64", "a=f32[64]:iota", "b=f32[128]:zeros", "n=i32[8]:iota"))


def test_batches_are_larger_where_no_value_decides() -> None:
    text = "__global__ void k(float *a, float *b) { int i = blockIdx.x * 128 + threadIdx.x; b[i] = a[i ^ 3]; }"
    run = of_source(text, "1200", "128", "a=f32[153600]:ones", "b=f32[153600]:uninit")
    found, trace = count(run, Options()), run(Options())
    assert found.trace.steps < trace.steps
    assert (found.counts, found.totals.flops) == (counts(trace), 0)


def test_a_run_that_is_cancelled_has_counts() -> None:
    text = "__global__ void k(float *a, int n) { for (int i = 0; i < n; ++i) a[threadIdx.x] += 1.0f; }"
    run = of_source(text, "1", "32", "a=f32[32]:zeros", "n=1000000")
    reported: list[int] = []
    options = Options(cancelled=lambda: len(reported) > 3, progress=lambda steps, part: reported.append(steps))
    found = count(run, options)
    assert found.trace.stopped == "stopped by the user"
    (reads,) = (c for c in found.counts.arrays if c.access == "read")
    assert 0 < reads.requests < 1000


def test_step_limit() -> None:
    text = "__global__ void k(float *a) { for (int i = 0; i < 1000; ++i) a[threadIdx.x] += 1.0f; }"
    assert_counts(of_source(text, "1", "32", "a=f32[32]:zeros"), Options(max_steps=100))


def test_large_arrays_use_a_sorted_set_of_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(element_counts, "_MOST_FLAGS", 0)
    kernel = find_kernel("matmul_tiled")
    assert_counts(lambda options: trace_kernel(kernel, Size(16, 16, 16), Dim3(8, 8), options=options))
