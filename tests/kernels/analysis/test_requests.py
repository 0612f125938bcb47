"""Costs of single warp-wide accesses: sectors of global memory, passes and wavefronts of shared memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.analysis.metrics.requests import NO_ADDRESS, Requests, contention, requests_of, sectors, wavefronts
from tests.kernels.trace.wide_traces import vector_copy

if TYPE_CHECKING:
    from collections.abc import Callable


def request(size: int, address: Callable[[int], int | None], *, stores: bool = False) -> Requests:
    """One request of one warp, given the byte address of every lane; None for a lane that takes no part."""
    row = [NO_ADDRESS if (at := address(lane)) is None else at for lane in range(32)]
    return Requests(size, np.zeros(1, np.int32), np.zeros(1, np.int64), np.array([row]), stores)


@pytest.mark.parametrize(
    ("size", "address", "waves", "ideal"),
    [
        # 4 bytes and fewer: one pass
        (4, lambda n: 4 * n, 1, 1),
        (4, lambda n: 8 * n, 2, 1),
        (4, lambda n: 128 * n, 32, 1),
        (4, lambda n: 64, 1, 1),
        (2, lambda n: 2 * n, 1, 1),
        (1, lambda n: 128 * n if n < 5 else None, 5, 1),
        # 8 bytes: half a warp at a time
        (8, lambda n: 8 * n, 2, 2),
        (8, lambda n: 16 * n, 4, 2),
        (8, lambda n: 128 * n, 32, 2),
        (8, lambda n: 8 * n if n < 16 else None, 1, 1),
        (8, lambda n: 8 * (n % 16), 2, 2),  # the halves read the same, but no two neighbours do
        (8, lambda n: 8 * (n // 2), 1, 1),  # lane ^ 1 reads the same: the halves go together
        (8, lambda n: 8 * (n % 2 + n // 4 * 2), 1, 1),  # lane ^ 2 does
        (8, lambda n: 8 * (n // 4 * 2 + (n + 1) // 2 % 2), 2, 2),  # lanes 1 and 2, 0 and 3 do: neither
        (8, lambda n: 0, 1, 1),
        (8, lambda n: 0 if n < 16 else 1024, 2, 1),  # together, and in conflict
        (8, lambda n: 8 * (n // 2) if n % 2 else None, 1, 1),  # lane ^ 1 takes no part
        # 16 bytes: a quarter at a time, the quarters of a half may go together
        (16, lambda n: 16 * n, 4, 4),
        (16, lambda n: 0, 2, 2),
        (16, lambda n: 64 * (n // 16), 2, 2),  # one word a half: As[ty][k … k + 3] of a 16×16 tile
        (16, lambda n: 64 * (n % 16), 16, 4),  # rows of a 16×16 tile: eight rows conflict by four, four times
        (16, lambda n: 16 * (n // 2), 2, 2),
        (16, lambda n: 16 * (n % 8), 4, 4),  # the quarters read the same, but no two neighbours do
        (16, lambda n: 128 * n, 32, 4),
        (16, lambda n: 16 * n if n < 8 else None, 1, 1),
        (
            16,
            lambda n: 16 * (n // 21),
            4,
            4,
        ),  # two words, an odd number of lanes each: as measured in mmt_stripe
        (
            16,
            lambda n: 16 * (n // 2) if n < 16 else 16 * n,
            4,
            4,
        ),  # all lanes of a warp have to, not those of a half
    ],
)
def test_wavefronts(size: int, address: Callable[[int], int | None], waves: int, ideal: int) -> None:
    assert wavefronts(request(size, address)) == (waves, ideal)


def pairs(width: int, active: Callable[[int], bool]) -> Callable[[int], int | None]:
    """Addresses of which lane and lane ^ 1 have the same."""
    return lambda lane: width * (lane // 2) if active(lane) else None


@pytest.mark.parametrize(
    ("active", "loads_8", "stores_8", "loads_16", "stores_16"),
    [
        (lambda n: True, 1, 2, 2, 4),
        (lambda n: n < 31, 1, 2, 2, 4),
        (lambda n: n > 0, 1, 2, 2, 4),
        (lambda n: n % 2 == 0, 1, 2, 2, 4),
        (lambda n: n % 2 == 1, 1, 2, 2, 4),
        (lambda n: n % 4 == 0, 1, 2, 2, 4),
        (lambda n: n % 4 in (0, 3), 1, 2, 2, 4),
        (lambda n: n < 25, 1, 2, 2, 4),
        (lambda n: n < 24, 1, 2, 2, 3),
        (lambda n: n < 17, 1, 2, 2, 3),
        (lambda n: n < 16, 1, 1, 1, 2),
        (lambda n: n < 9, 1, 1, 1, 2),
        (lambda n: n < 8, 1, 1, 1, 1),
        (lambda n: n == 9, 1, 1, 1, 1),
    ],
)
def test_an_inactive_lane_agrees_with_any_address_and_stores_are_not_merged(
    active: Callable[[int], bool], loads_8: int, stores_8: int, loads_16: int, stores_16: int
) -> None:
    """What an H200's data pipe counts (`l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum` and `…_st.sum`)."""
    expected = {(8, False): loads_8, (8, True): stores_8, (16, False): loads_16, (16, True): stores_16}
    for (width, stores), waves in expected.items():
        found = request(width, pairs(width, active), stores=stores)
        assert wavefronts(found)[0] == waves, (width, stores)


@pytest.mark.parametrize(
    ("size", "address", "touched", "ideal", "used"),
    [
        (4, lambda n: 4 * n, 4, 4, 128),
        (4, lambda n: 4 * n + 4, 5, 4, 128),
        (4, lambda n: 32 * n, 32, 4, 128),
        (8, lambda n: 8 * n, 8, 8, 256),
        (16, lambda n: 16 * n, 16, 16, 512),
        (16, lambda n: 0, 1, 1, 16),
        (16, lambda n: 256 * n if n < 3 else None, 3, 2, 48),
        (4, lambda n: -4 - 4 * n, 4, 4, 128),  # before the array's begin is an address too
    ],
)
def test_sectors(size: int, address: Callable[[int], int | None], touched: int, ideal: int, used: int) -> None:
    assert sectors(request(size, address)) == (touched, ideal, used)


@pytest.mark.parametrize(
    ("address", "most"),
    [
        (lambda n: 4 * n, 1),
        (lambda n: 0, 32),
        (lambda n: 4 * (n // 8), 8),
        (lambda n: 0 if n % 2 else None, 16),
    ],
)
def test_contention(address: Callable[[int], int | None], most: int) -> None:
    assert contention(request(4, address)) == most


def test_a_vector_access_is_one_request_of_its_size() -> None:
    trace = vector_copy()
    read = requests_of(trace, next(n for n, site in enumerate(trace.sites) if site.access == "read"))
    assert (read.size, len(read)) == (16, 2)
    assert read.warp.tolist() == [0, 1]
    assert (read.address[0, :8] - trace.arrays[trace.array_number("A")].address).tolist() == [16 * n for n in range(8)]
    assert (read.address[:, 8:] == NO_ADDRESS).all()
