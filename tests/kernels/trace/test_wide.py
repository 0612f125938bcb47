"""Accesses to several elements at once: one row a lane, one entry an element where elements are asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.trace.file import load, save
from tests.kernels.trace.wide_traces import vector_copy

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.trace import Trace


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
