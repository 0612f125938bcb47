"""Causes of a value, back to the inputs, and its next uses."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.analysis import play_order, playlist
from kernels.analysis.values.causes import MOST_CAUSES, Cause, Causes
from kernels.analysis.values.value_history import REGISTER, Location, ValueHistory
from kernels.catalog import catalog, find_kernel
from kernels.simt import Options
from kernels.trace import element_name
from kernels.tracing import trace_kernel
from tests.cases import Cases
from tests.kernels.analysis.traces import source, step_of

if TYPE_CHECKING:
    from kernels.catalog import Kernel
    from kernels.trace import Trace

CASES = Cases(__file__)


@cache
def causes_of(trace: Trace) -> Causes:
    return Causes(play_order(trace))


@cache
def run(name: str, schedule: str = "") -> Trace:
    kernel = find_kernel(name)
    return trace_kernel(kernel, kernel.size, kernel.block, options=Options(schedule or kernel.schedule))


def at_the_end(trace: Trace, array: str, index: int = 0, lane: int = -1) -> Cause:
    last = playlist(trace, "statement").frames[-1]
    return causes_of(trace).of_element(trace.array_number(array), index, *last, lane)


def register(trace: Trace, name: str, lane: int = 0) -> Cause:
    number = next(n for n, r in enumerate(trace.registers) if r.name == name)
    return causes_of(trace).of_register(number, lane, trace.steps - 1)


def name_of(trace: Trace, cause: Cause) -> str:
    array, index, _ = cause.definition.location
    return trace.registers[index].name if array == REGISTER else element_name(trace.arrays[array], index)


def inputs_of(trace: Trace, cause: Cause) -> list[str]:
    return [element_name(trace.arrays[array], index) for array, index, _ in cause.inputs]


def chain(trace: Trace, cause: Cause) -> list[str]:
    """Return the arithmetic of a value, and of those before it that it was added to."""
    found = []
    while cause.sources:
        found.append(f"{name_of(trace, cause)} = {cause.arithmetic or name_of(trace, cause.sources[0])}")
        cause = cause.sources[0]
    return found


def test_causes_can_be_prepared_in_parts() -> None:
    trace = run("matmul_tiled")
    causes, last = Causes(play_order(trace)), playlist(trace, "statement").frames[-1]
    where = trace.array_number("C"), 1, *last
    parts = 0
    while not causes.prepare(*where, -1, enough=iter([False, False, False, True]).__next__):
        parts += 1
    assert parts > 2
    assert len(list(causes.of_element(*where).walk())) == len(list(at_the_end(trace, "C", 1).walk()))


def test_an_element_of_a_tiled_product_comes_from_its_row_and_column() -> None:
    trace = run("matmul_tiled")
    cause = at_the_end(trace, "C", 1)
    assert inputs_of(trace, cause) == ["A[0][0]", "A[0][1]", "A[0][2]", "B[0][1]", "B[1][1]", "B[2][1]"]
    shared = [node for node in cause.walk() if name_of(trace, node)[:2] in ("As", "Bs")]
    filled = [node for node in shared if not node.sources]
    assert len(shared) == 8  # two tiles of two elements each, of A and of B
    assert [(name_of(trace, node), node.arithmetic, node.definition.value) for node in filled] == [
        ("As[0][1]", "0", 0.0),
        ("Bs[1][1]", "0", 0.0),
    ]
    for node in shared:
        assert all(source.is_input for source in node.sources)
    assert chain(trace, cause) == [
        "C[0][1] = sum",
        "sum = 18 + 0 · 0",
        "sum = 4 + 2 · 7",
        "sum = 0 + 1 · 4",
        "sum = 0 + 0 · 1",
    ]
    assert not cause.is_cut


def test_the_threads_of_a_tile_are_those_that_loaded_it() -> None:
    trace = run("matmul_tiled")
    found = {
        (name_of(trace, node), node.definition.value): trace.thread_of(node.definition.lane)[:2]
        for node in at_the_end(trace, "C", 1).walk()
        if name_of(trace, node)[:2] in ("As", "Bs")
    }
    assert found["As[0][0]", 0.0] == (0, 0)
    assert found["As[0][1]", 1.0] == (1, 0)
    assert found["Bs[1][1]", 4.0] == (1, 1)


@pytest.mark.parametrize(("row", "column"), [(0, 0), (3, 5), (8, 0), (15, 7)])
def test_a_product_of_tensor_cores_comes_from_the_lanes_of_a_row_and_a_column(row: int, column: int) -> None:
    trace = source(CASES.source("mma"), "1", "32", "A=f32[16,8]:iota", "B=f32[8,8]:iota", "C=f32[16,8]:uninit")
    cause = at_the_end(trace, "C", row * 8 + column)
    wanted = {f"A[{row}][{k}]" for k in range(8)} | {f"B[{k}][{column}]" for k in range(8)}
    assert set(inputs_of(trace, cause)) == wanted
    lanes = {node.definition.lane for node in cause.walk() if name_of(trace, node).startswith("b[")}
    assert lanes == {column * 4 + t for t in range(4)}


@pytest.mark.parametrize(("index", "inputs"), [(3, ["x[35]"]), (32 + 5, ["x[69]"]), (31, []), (63, [])])
def test_an_asynchronous_copy_leads_to_what_it_has_read(index: int, inputs: list[str]) -> None:
    trace = source(CASES.source("copies"), "1", "32", "x=f32[96]:iota", "y=f32[64]:uninit")
    cause = at_the_end(trace, "y", index)
    assert inputs_of(trace, cause) == inputs
    assert not any(node.unknown for node in cause.walk())


def listed_kernels() -> list[object]:
    """Kernels of the catalogue with a product; the plain command takes a part."""
    part = (
        "matmul_naive",
        "matmul_tiled",
        "matmul_registers_2d",
        "matmul_vectorized",
        "mmt_tiled",
        "mmt_stripe",
        "matmul_async",
    )
    listed = [kernel for kernel in catalog() if kernel.file is not None and kernel.workload.id in ("matmul", "mmt")]
    return [
        pytest.param(variant, id=variant.id, marks=() if variant.id in part else (pytest.mark.exhaustive,))
        for kernel in listed
        if not kernel.flaw
        and not kernel.tolerance.by_norm  # which adds elements of other rows and columns, and takes them away again
        for variant in kernel.variants()
    ]


@pytest.mark.parametrize("kernel", listed_kernels())
def test_every_result_comes_from_its_row_and_column(kernel: Kernel) -> None:
    trace = trace_kernel(kernel, kernel.size, kernel.block, options=Options(kernel.schedule))
    last = playlist(trace, "memory").frames[-1]
    size, causes = kernel.workload.fit(kernel.size), Causes(play_order(trace))
    (output,) = (spec.name for spec in kernel.workload.arrays(size) if spec.output)
    for row, column in ((0, 1), (size.m - 1, size.n - 1)):
        cause = causes.of_element(trace.array_number(output), row * size.n + column, *last)
        if "M" in [array.name for array in trace.arrays]:
            wanted = {f"M[{line}][{k}]" for line in (row, column) for k in range(size.n)}
        else:
            wanted = {f"A[{row}][{k}]" for k in range(size.k)} | {f"B[{k}][{column}]" for k in range(size.k)}
        found = {name for name in inputs_of(trace, cause) if not name.startswith(output)}
        assert found == wanted
        assert not any(node.unknown for node in cause.walk())
        assert not cause.is_cut


@pytest.mark.parametrize("name", ["matmul_tiled", "matmul_registers_2d", "matmul_vectorized", "mmt_stripe"])
def test_the_values_are_those_of_the_trace(name: str) -> None:
    """The value of a source is the one that its location had when it was read."""
    trace = run(name)
    cause = at_the_end(trace, "P" if name.startswith("mmt") else "C", 5)
    for node in cause.walk():
        for source_ in node.sources:
            array, index, owner = source_.definition.location
            if array != REGISTER and source_.definition.step < node.definition.step:
                values, written = trace.contents(array, node.definition.step - 1, owner)
                assert written.reshape(-1)[index] == (source_.definition.value is not None)
                assert values.reshape(-1)[index] == source_.definition.value


def test_a_wrong_result_leads_to_the_element_that_was_not_written_yet() -> None:
    trace = run("lesson_missing_barrier")
    cause = at_the_end(trace, "C", 2)
    missing = [node for node in cause.walk() if node.definition.value is None]
    assert [name_of(trace, node) for node in missing] == ["Bs[5][2]"]  # thread (2,5) belongs to the other warp
    assert not missing[0].sources
    use = next(node for node in cause.walk() if missing[0] in node.sources)
    assert use.arithmetic == "200 + 5 · ?"


def test_an_overwritten_tile_leads_to_the_wrong_load() -> None:
    trace = run("lesson_missing_second_barrier")
    wrong = np.argwhere(trace.outputs["C"] != run("lesson_missing_second_barrier", "lockstep").outputs["C"])
    row, column = (int(n) for n in wrong[0])
    found = inputs_of(trace, at_the_end(trace, "C", row * 6 + column))
    expected = {f"A[{row}][{k}]" for k in range(12)} | {f"B[{k}][{column}]" for k in range(12)}
    assert set(found) < expected  # an element of the second tile counts twice, one of the first not at all


def test_shuffles_and_atomics_lead_to_all_elements_of_a_sum() -> None:
    trace = source(CASES.source("reduction"), "2", "8", "a=f32[8]:iota", "total=f32[1]:zeros")
    cause = at_the_end(trace, "total")
    assert cause.definition.value == 56.0
    assert cause.arithmetic == "28 + 28"
    assert inputs_of(trace, cause) == [*(f"a[{n}]" for n in range(8)), "total[0]"]
    sums = [node for node in cause.walk() if node.definition.lane == 0 and name_of(trace, node) == "v"]
    assert [node.arithmetic for node in sums] == ["12 + 16", "4 + 8", "0 + 4", ""]
    assert not any(node.unknown for node in cause.walk())


def test_atomics_of_one_step_follow_each_other() -> None:
    text = "__global__ void k(float *o) { float old = atomicAdd(o, 2.0f * threadIdx.x); atomicMax((int *)o + 1, 7); }"
    trace = source(text, "1", "4", "o=f32[1]:zeros")
    assert chain(trace, at_the_end(trace, "o")) == [
        "o[0] = 6 + 2 · 3",
        "o[0] = 2 + 2 · 2",
        "o[0] = 0 + 2 · 1",
        "o[0] = 0 + 2 · 0",
    ]
    assert chain(trace, register(trace, "old", 2))[:2] == ["old = o[0]", "o[0] = 0 + 2 · 1"]


def test_a_value_that_an_unknown_function_exchanges_says_so() -> None:
    text = "__global__ void k(int *o) { int v = __reduce_add_sync(0xffffffff, (int)threadIdx.x); o[threadIdx.x] = v; }"
    trace = source(text, "1", "32", "o=i32[32]:zeros")
    [source_] = at_the_end(trace, "o", 3).sources
    assert source_.unknown == ("__reduce_add_sync",)
    assert source_.arithmetic == ""


@pytest.mark.parametrize(("body", "expected"), CASES("the_arithmetic_of_a_statement"))
def test_the_arithmetic_of_a_statement(body: str, expected: list[str]) -> None:
    text = "__device__ float sq(float v) { float r = v * v; return r; }\n"
    text += f"__global__ void k(const float *a, float *o, int n) {{ {body} }}"
    trace = source(text, "1", "1", "a=f32[4]:iota", "o=f32[1]:uninit", "n=5")
    assert chain(trace, at_the_end(trace, "o"))[: len(expected)] == expected


def test_a_value_at_an_earlier_moment_has_the_causes_of_that_moment() -> None:
    """Blocks that add to one element: after a block's turn, those before it have added, those after it have not."""
    trace = run("mmt_stripe")
    causes, array = causes_of(trace), trace.array_number("P")
    order = causes.order
    for frame in playlist(trace, "memory", order).frames:
        cause = causes.of_element(array, 5, *frame)
        assert cause.definition.value == order.contents(array, *frame)[0].reshape(-1)[5]


def test_the_next_uses_end_where_the_value_is_overwritten() -> None:
    trace = run("matmul_tiled")
    causes, tile = causes_of(trace), trace.array_number("As")
    loaded = step_of(trace, "As[ty]", 0)
    uses = causes.uses(tile, 0, 0, loaded)
    assert [(trace.thread_of(use.lane)[:2], use.line) for use in uses.reads] == [((0, 0), 28), ((1, 0), 28)]
    assert uses.count == 2
    assert uses.overwritten is not None
    assert uses.overwritten.step == step_of(trace, "As[ty]", 1)
    assert uses.accesses == 6
    last = causes.uses(tile, 0, 0, trace.steps - 1)
    assert (last.reads, last.count, last.overwritten) == ((), 0, None)


def test_a_long_chain_is_cut_at_a_limit_that_is_said() -> None:
    text = "__global__ void k(int *o) { int x = 1; for (int i = 0; i < 3000; ++i) x += 2; o[0] = x; }"
    trace = source(text, "1", "1", "o=i32[1]:zeros")
    cause = at_the_end(trace, "o")
    nodes = list(cause.walk())
    assert len(nodes) == MOST_CAUSES + 1
    assert [node.cut for node in nodes].count(True) == 1
    assert cause.is_cut


def test_the_causes_of_a_step_end_at_a_level() -> None:
    trace = run("matmul_tiled")
    step = step_of(trace, "sum +=", 1)
    [short] = causes_of(trace).of_step(step, 1, 1)
    [longer] = causes_of(trace).of_step(step, 1, 2)
    assert short.arithmetic == longer.arithmetic == "4 + 2 · 7"
    assert [source_.cut for source_ in short.sources] == [True] * 3
    assert [source_.arithmetic for source_ in longer.sources] == ["0 + 1 · 4", "", ""]
    assert [name_of(trace, source_.sources[0]) for source_ in longer.sources[1:]] == ["A[0][2]", "B[2][1]"]


@pytest.mark.parametrize("name", ["matmul_registers_2d", "matmul_vectorized"])
def test_the_accesses_of_a_thread_to_its_copy_are_those_of_the_trace(name: str) -> None:
    trace = run(name)
    history = causes_of(trace).history
    for array, info in enumerate(trace.arrays):
        for lane in (0, 7) if info.space == "local" else ():
            for index in range(info.size):
                found = history.accesses_of(history.element(array, index, lane))
                expected = trace.accesses_to(array, index, lane)
                assert list(zip(found.step.tolist(), found.lane.tolist(), strict=True)) == [e[:2] for e in expected]
                assert found.writes.tolist() == [site.access != "read" for _, _, site in expected]


def test_an_element_outside_of_its_array_has_no_value() -> None:
    kernel = find_kernel("lesson_missing_guard")
    trace = trace_kernel(kernel, kernel.size, kernel.block)
    array = next(number for number, info in enumerate(trace.arrays) if trace.initial[number] is not None)
    size = trace.arrays[array].size
    history = ValueHistory(trace)
    values = [history.definition(Location(array, index, 0), -1).value for index in (0, size, -1)]
    assert values[0] is not None
    assert values[1:] == [None, None]
