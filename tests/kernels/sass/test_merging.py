"""Merging one warp's accesses: which go together, and which stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.analysis.requests import NO_ADDRESS, Requests
from kernels.sass import merging

if TYPE_CHECKING:
    from collections.abc import Sequence


def accesses(size: int, *rows: Sequence[int | None]) -> Requests:
    """Requests of one warp, step after step: the byte addresses of its first lanes."""
    address = np.full((len(rows), 32), NO_ADDRESS)
    for number, row in enumerate(rows):
        address[number, : len(row)] = [NO_ADDRESS if at is None else at for at in row]
    return Requests(size, np.arange(len(rows), dtype=np.int32), np.zeros(len(rows), np.int64), address)


def merge(
    requests: Requests,
    sizes: Sequence[int],
    *,
    once: bool = True,
    over: bool = False,
    windows: Sequence[int] = (),
    origin: int = 0,
) -> dict[int, list[int]]:
    """Address of the first lane of every request, by size."""
    window = np.array(windows or [0] * len(requests), np.int64)
    parts = merging.merge(requests, window, origin, sizes, window if once else None, over=over)
    return {size: r.address[:, 0].tolist() for size, r in parts.items()}


def test_neighbours_go_together() -> None:
    row = accesses(4, (0, 64), (4, 68), (8, 72), (12, 76))
    assert merge(row, (16,)) == {16: [0]}
    assert merge(row, (8,)) == {8: [0, 8]}
    assert merge(row, (4,)) == {4: [0, 4, 8, 12]}


def test_the_order_in_which_neighbours_are_accessed_does_not_matter() -> None:
    assert merge(accesses(4, (12, 28), (0, 16), (8, 24), (4, 20)), (16,)) == {16: [0]}


@pytest.mark.parametrize(
    "rows",
    [
        ((0, 64), (4, 68), (8, 72)),  # one is missing
        ((4, 68), (8, 72), (12, 76), (16, 80)),  # not at a multiple of 16
        ((0, 68), (4, 72), (8, 76), (12, 80)),  # one lane is not
        ((0, 64), (64, 128), (128, 192), (192, 256)),  # a column, not a row
        ((0, 64), (4, 68), (8, 72), (12, None)),  # not the same lanes
    ],
)
def test_accesses_that_are_not_merged(rows: tuple[tuple[int, ...], ...]) -> None:
    assert merge(accesses(4, *rows), (16, 4)) == {4: [row[0] for row in rows]}


def test_remainders_of_wide_accesses_are_narrower_accesses() -> None:
    rows = [(4 * n,) for n in range(7)]
    assert merge(accesses(4, *rows), (16, 8, 4)) == {16: [0], 8: [16], 4: [24]}


def test_a_wide_one_that_may_read_more_takes_what_there_is() -> None:
    rows = accesses(4, *((4 * n,) for n in range(6)))
    assert merge(rows, (16,), over=True) == {16: [0, 16]}
    assert merge(rows, (16,)) == {16: [0], 4: [16, 20]}
    assert merge(accesses(4, (4, 68)), (16,), over=True) == {16: [0]}
    # No lane may begin elsewhere in its piece than another.
    assert merge(accesses(4, (4, 72)), (16,), over=True) == {4: [4]}


def test_places_count_from_the_begin_of_the_array() -> None:
    assert merge(accesses(4, (8,), (12,), (16,), (20,)), (16,), origin=8) == {16: [8]}


def test_nothing_goes_together_across_a_barrier() -> None:
    assert merge(accesses(4, (0,), (4,)), (8, 4), windows=(0, 1)) == {4: [0, 4]}
    assert merge(accesses(4, (0,), (0,)), (4,), windows=(0, 1)) == {4: [0, 0]}


def test_repeated_accesses_are_made_once_or_each_time() -> None:
    twice = accesses(4, (0,), (4,), (0,), (4,))
    assert merge(twice, (8,), once=True) == {8: [0]}
    assert merge(twice, (8,), once=False) == {8: [0, 0]}
    assert merge(twice, (4,), once=True) == {4: [0, 4]}


def test_a_wide_access_is_cut_where_instructions_are_narrower() -> None:
    assert merge(accesses(16, (0, 32)), (4,)) == {4: [0, 4, 8, 12]}


def test_requests_are_joined_in_the_order_of_execution() -> None:
    both = merging.concatenate([accesses(4, (0,), (4,)), accesses(4, (100,), (104,))])
    assert both.step.tolist() == [0, 0, 1, 1]
    assert both.address[:, 0].tolist() == [0, 100, 4, 104]
