"""Affine indices: sums of a thread's coordinates that differ between threads prove that no element has two users."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from kernels.launch import Dim3, Launch
from kernels.simt.machine.affine import is_injective

LAUNCH = Launch(Dim3(3, 2), Dim3(4, 2), 0)
SIZES = {"threadIdx.x": 4, "threadIdx.y": 2, "blockIdx.x": 3, "blockIdx.y": 2}


def distinct(factors: dict[str, int], *, blocks: bool) -> bool:
    names = [name for name in SIZES if blocks or name.startswith("thread")]
    threads = np.array(list(product(*(range(SIZES[name]) for name in names))))
    sums = threads @ np.array([factors.get(name, 0) for name in names])
    return len(np.unique(sums)) == len(threads)


@pytest.mark.parametrize(
    ("factors", "blocks"),
    [
        ({"threadIdx.x": 1, "threadIdx.y": 4}, False),
        ({"threadIdx.x": 2, "threadIdx.y": 1}, False),
        ({"threadIdx.x": -3, "threadIdx.y": 10, "blockIdx.x": 7}, False),
        ({"threadIdx.x": 1, "blockIdx.x": 4, "threadIdx.y": 12, "blockIdx.y": 24}, True),
    ],
)
def test_it_is_told_where_all_differ(factors: dict[str, int], blocks: bool) -> None:
    assert is_injective(frozenset(factors.items()), LAUNCH, blocks=blocks)


@pytest.mark.parametrize("blocks", [False, True])
def test_it_is_never_told_where_two_are_equal(blocks: bool) -> None:
    random = np.random.default_rng(5)
    told = 0
    for _ in range(2000):
        factors = {name: int(random.choice([-12, -4, -1, 1, 2, 3, 4, 8, 12, 24, 25])) for name in SIZES}
        if random.random() < 0.3:
            del factors[str(random.choice(list(SIZES)))]
        if is_injective(frozenset(factors.items()), LAUNCH, blocks=blocks):
            told += 1
            assert distinct(factors, blocks=blocks)
    assert told > 20
