from __future__ import annotations

import numpy as np
import pytest

from tests.gui.explore.conftest import stage, step_on

NONE = (0, 0)


@pytest.mark.parametrize(
    ("kernel", "size", "block", "overhang"),
    [
        ("matmul_tiled", "3", "2,2", {"A": (1, 1), "B": (1, 1), "C": (1, 1), "As": NONE, "Bs": NONE}),
        ("matmul_tiled", "4", "2,2", {"A": NONE, "B": NONE, "C": NONE, "As": NONE, "Bs": NONE}),
        ("matmul_naive", "3,5,4", "4,2", {"A": NONE, "B": NONE, "C": (1, 3)}),
        ("index_map", "6,8,1", "4,2", {"out": NONE}),
        (
            "index_map",
            "6,8,1",
            "512,2",
            {"out": (0, 8)},
        ),  # 504 columns too far: at most its own width is drawn
    ],
)
def test_threads_hang_over_the_edges(
    kernel: str, size: str, block: str, overhang: dict[str, tuple[int, int]]
) -> None:
    found = stage(kernel, size, block)
    assert dict(zip((v.name for v in found.views), found.overhang, strict=True)) == overhang


def test_threads_that_never_write_live_where_they_would() -> None:
    found = stage("matmul_tiled", "3", "2,2")
    last_block = slice(12, 16)
    assert found.homes.row[last_block].tolist() == [2, 2, 3, 3]
    assert found.homes.column[last_block].tolist() == [2, 3, 2, 3]


def test_blocks_that_return_at_once_have_a_place_too() -> None:
    found = stage("mmt_symmetric", "4", "2,2")  # threadIdx.x runs down the rows
    assert found.block_boxes.tolist() == [[0, 0, 2, 2], [2, 0, 2, 2], [0, 2, 2, 2], [2, 2, 2, 2]]


def test_a_matrix_shown_twice_tells_rows_from_columns() -> None:
    found = stage("mmt_symmetric", "4", "2,2")
    shown = {}
    for number, site in enumerate(found.trace.sites):
        if site.access == "read" and found.trace.arrays[site.array].space == "global":
            text = found.trace.statements[site.statement].text
            shown[text[:2]] = [found.views[n].title for n in found.site_views[number]]
    assert shown == {"Ms": ["M"], "Ns": ["Mᵀ"]}
    assert found.tints == ("left", "top", "result", "left", "top")


@pytest.mark.parametrize(
    ("kernel", "register"), [("matmul_tiled", "sum"), ("matmul_naive", "sum"), ("index_map", None)]
)
def test_the_register_that_grows_into_the_result(kernel: str, register: str | None) -> None:
    found = stage(kernel)
    number = found.accumulator
    assert (None if number is None else found.trace.registers[number].name) == register


def test_blocks_are_told_one_after_another() -> None:
    """In lockstep all blocks store in one step; the picture finishes a block before it begins the next."""
    found = stage("matmul_tiled", "3", "2,2")
    result = found.views[2]
    store = step_on(found, "C[")
    first = found.contents(result, store, 0)[1]
    assert first.tolist() == [[True, True, False], [True, True, False], [False, False, False]]
    before_second = found.contents(result, store - 1, 1)[1]
    assert np.array_equal(first, before_second)
    assert found.contents(result, store, 3)[0].tolist() == [[15, 18, 21], [42, 54, 66], [69, 90, 111]]


def test_touches_count_the_whole_run() -> None:
    found = stage("matmul_naive", "4", "2,2")
    a, c = found.views[0].array, found.views[2].array
    assert set(found.touches(a, 0).tolist()) == {4}  # each element of A is read once for every column of C
    assert set(found.touches(c, 0).tolist()) == {1}
