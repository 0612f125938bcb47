"""Queries on a trace: of the tiled product of 3×3 matrices, and of accesses to several elements at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels import CUDA_FOLDER
from kernels.catalog import read_kernel
from kernels.launch import Dim3
from kernels.simt import Options
from kernels.trace.file import load, save
from kernels.trace.sorted_columns import count_below, count_up_to, rows_between
from kernels.tracing import trace_kernel
from kernels.workload import Size
from tests.cases import Cases
from tests.kernels.simt.programs import trace
from tests.kernels.trace.wide_traces import vector_copy

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.trace import Trace

CASES = Cases(__file__)


@pytest.fixture(scope="module")
def tiled() -> Trace:
    return trace_kernel(read_kernel(CUDA_FOLDER / "matmul_tiled.cu"), Size(3, 3, 3), Dim3(2, 2))


def text(trace: Trace, step: int) -> str:
    return trace.statement(step).text


def test_the_run_reads_like_the_source(tiled: Trace) -> None:
    kinds = [tiled.statement(step).kind for step in range(tiled.steps)]
    inner = ["loop", "do"] * 2 + ["loop"]
    phase = ["loop", "do", "do", "barrier", *inner, "barrier"]
    assert kinds == ["declare"] * 5 + phase * 2 + ["loop", "branch", "do"]


def test_phases_and_epochs_count_tiles_and_barriers(tiled: Trace) -> None:
    assert tiled.step_phase.tolist() == [-1] * 5 + [0] * 10 + [1] * 10 + [-1] * 3
    assert tiled.step_epoch.tolist() == [0] * 9 + [1] * 6 + [2] * 4 + [3] * 6 + [4] * 3


def test_positions_are_those_of_the_text(tiled: Trace) -> None:
    span = tiled.statement(0).span
    line = tiled.text.splitlines()[span.line - 1]
    assert line[span.column - 1 : span.end_column - 1] == text(tiled, 0) == "int tx = threadIdx.x;"
    loops = {s.text for s in tiled.statements if s.kind == "loop"}
    assert any(loop.startswith("for (int k = 0; k < TILE_WIDTH; ++k)") for loop in loops)


def test_accesses_of_one_block_in_one_step(tiled: Trace) -> None:
    """Block (1, 1), phase 0: its tile of A is row 2 and the row beyond the edge."""
    load = next(step for step in range(tiled.steps) if text(tiled, step).startswith("As[ty][tx] ="))
    read, write = tiled.accesses(load, block=3)
    assert tiled.arrays[read.site.array].name == "A"
    assert (read.lanes.tolist(), read.index.tolist()) == ([12, 13], [6, 7])
    assert read.values is None
    assert write.lanes.tolist() == [12, 13, 14, 15]
    assert write.index.tolist() == [0, 1, 2, 3]
    assert write.values is not None
    assert write.values.tolist() == [6, 7, 0, 0]


def test_contents_grow_step_by_step(tiled: Trace) -> None:
    a, shared, c = (tiled.array_number(name) for name in ("A", "As", "C"))
    assert tiled.contents(a, -1)[0].tolist() == np.arange(9).reshape(3, 3).tolist()
    assert not tiled.contents(shared, -1, owner=1)[1].any()
    load = next(step for step in range(tiled.steps) if text(tiled, step).startswith("As[ty][tx] ="))
    assert not tiled.contents(shared, load - 1, owner=3)[1].any()
    values, written = tiled.contents(shared, load, owner=3)
    assert written.all()
    assert values.tolist() == [[6, 7], [0, 0]]
    last, written = tiled.contents(c, tiled.steps - 1)
    assert written.all()
    np.testing.assert_array_equal(last, tiled.outputs["C"])
    assert not tiled.contents(c, tiled.steps - 2)[1].any()


@pytest.mark.parametrize("schedule", ["lockstep", "warps", "shuffle:2"])
def test_a_block_sees_its_own_steps_only(schedule: str) -> None:
    found = trace_kernel(
        read_kernel(CUDA_FOLDER / "mmt_symmetric.cu"), Size(24, 24, 24), Dim3(8, 8), None, Options(schedule)
    )
    for block in range(9):
        steps = found.block_steps(block)
        assert [s for s in range(found.steps) if len(found.lanes(s, block))] == steps.tolist()
        returned = found.launch.grid.member(block).x > found.launch.grid.member(block).y
        assert any(found.statement(s).kind == "barrier" for s in steps) != returned


def test_accesses_to_an_element(tiled: Trace) -> None:
    a, shared = tiled.array_number("A"), tiled.array_number("As")
    middle = [(tiled.block_of(lane), tiled.thread_of(lane)) for _, lane, _ in tiled.accesses_to(a, 4)]
    assert middle == [(Dim3(0, 0, 0), Dim3(1, 1, 0)), (Dim3(1, 0, 0), Dim3(1, 1, 0))]
    own = tiled.accesses_to(shared, 0, owner=2)
    assert {tiled.block_of(lane) for _, lane, _ in own} == {Dim3(0, 1, 0)}
    assert [site.access for _, _, site in own] == ["write", "read", "read"] * 2


def test_writes_are_sorted_by_owner_and_in_order(tiled: Trace) -> None:
    writes = tiled.writes(tiled.array_number("As"))
    assert np.diff(writes.first).tolist() == [8, 8, 8, 8]
    for owner in range(4):
        rows = slice(*writes.first[owner : owner + 2])
        assert (np.diff(writes.step[rows]) >= 0).all()
        assert (writes.lane[rows] // 4 == owner).all()


def test_an_access_takes_few_bytes() -> None:
    found = trace_kernel(read_kernel(CUDA_FOLDER / "matmul_tiled.cu"), Size(64, 64, 64), Dim3(8, 8))
    assert found.access_count == 2 * 64**3 + 2 * 2 * 8 * 64 * 64 + 64 * 64
    assert found.stored_bytes / found.access_count < 24


def test_parts_of_shared_memory_have_the_type_that_they_are_accessed_as() -> None:
    source = CASES.source("parts_of_shared_memory")
    found = trace(source, {"C": np.zeros(2, np.float32)}, block=(2,), shared=16)
    sums = found.array_number("sums")
    values, written = found.contents(sums, found.steps - 1)
    assert written.tolist() == [True] * 4
    # The float whose bits an atomic compares remains a float, since it is read as one.
    assert values.tolist() == [1.5, 0.25, -2.0, -2.0]
    stored = next(step for step in range(found.steps) if text(found, step).startswith("counts[threadIdx.x] ="))
    (written_group,) = (group for group in found.accesses(stored) if group.values is not None)
    assert written_group.values is not None
    assert written_group.values.tolist() == [-3, -3]
    assert found.outputs["C"].tolist() == [-0.5, -1.75]


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_rows_are_those_of_a_search_from_the_beginning(dtype: type[np.signedinteger]) -> None:
    values = [0, 0, 2, 2, 2, 5]
    column = np.array(values, dtype)
    for value in range(-1, 8):
        assert count_below(column, value) == sum(v < value for v in values)
        assert count_up_to(column, value) == sum(v <= value for v in values)
        for end in range(value, 8):
            assert column[rows_between(column, value, end)].tolist() == [v for v in values if value <= v < end]
    assert count_up_to(column[:0], 3) == 0


@pytest.fixture(scope="module")
def copy() -> Trace:
    return vector_copy()


def load_step(trace: Trace) -> int:
    return next(step for step in range(trace.steps) if trace.statement(step).text.startswith("s[i] ="))


def test_a_group_has_a_row_of_values_for_each_lane(copy: Trace) -> None:
    read, write = copy.accesses(load_step(copy), block=1)
    assert (read.index.tolist(), read.values) == ([32, 36, 40, 44, 48, 52, 56, 60], None)
    assert write.values is not None
    assert write.values[2].tolist() == [40, 41, 42, 43]
    assert write.elements.tolist() == list(range(32))
    assert write.element_lanes.tolist() == [8 + n // 4 for n in range(32)]


def test_contents_take_every_element(copy: Trace) -> None:
    shared, c = copy.array_number("s"), copy.array_number("C")
    values, written = copy.contents(shared, load_step(copy), owner=1)
    assert written.all()
    assert values.tolist() == list(range(32, 64))
    assert copy.contents(c, copy.steps)[0].ravel().tolist() == list(range(64))


def test_writes_have_an_entry_for_each_element(copy: Trace) -> None:
    writes = copy.writes(copy.array_number("C"))
    assert writes.index.tolist() == list(range(64))
    assert writes.lane.tolist() == [n // 4 for n in range(64)]
    assert writes.values.tolist() == list(range(64))


def test_elements_beyond_the_end_are_left_out_one_by_one(copy: Trace) -> None:
    shorter = np.where(copy.index == 60, 61, copy.index)  # the last thread's elements 61, 62, 63 and 64
    writes = replace(copy, index=shorter).writes(copy.array_number("C"))
    assert writes.index[-3:].tolist() == [61, 62, 63]
    assert len(writes.index) == 63


@pytest.mark.parametrize(("element", "lane"), [(4, 1), (5, 1), (7, 1), (8, 2), (63, 15)])
def test_an_access_to_an_element_is_that_of_the_wide_access(copy: Trace, element: int, lane: int) -> None:
    assert [(who, site.width) for _, who, site in copy.accesses_to(copy.array_number("A"), element)] == [(lane, 4)]


def test_a_file_keeps_the_width(copy: Trace, tmp_path: Path) -> None:
    first, second = tmp_path / "a.trace", tmp_path / "b.trace"
    save(copy, first)
    again = load(first)
    assert again.sites == copy.sites
    values = again.contents(again.array_number("C"), again.steps)[0]
    np.testing.assert_array_equal(values.ravel(), np.arange(64, dtype=np.float32))
    save(again, second)
    assert first.read_bytes() == second.read_bytes()
