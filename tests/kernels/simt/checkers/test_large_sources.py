"""Sources with thousands of statements: the cost grows with their number, not with its square."""

from __future__ import annotations

from collections import Counter

import numpy as np

from kernels.simt.checkers.racecheck.pairs import MOST_PAIRS
from tests.kernels.simt.programs import trace


def test_of_places_that_all_race_with_each_other_enough_are_told() -> None:
    body = "\n".join(f"x[{n} % 8] += {n};" for n in range(100))
    found = trace(
        f"__global__ void k(int *x) {{\n{body}\n}}", {"x": np.zeros(32, np.int32)}, grid=(2,), block=(4,), advise=True
    )
    (first,) = found.hazards
    kinds = Counter(pair.kind for pair in first.pairs)
    assert kinds == {"data-race": MOST_PAIRS}
    assert (first.array, first.index) == ("x", 0)
    assert first.message.endswith(
        "atomicAdd(&x[2 % 8], 2) in line 4, and the same in 97 more places "
        "(and 999 more pairs of accesses with this cause)"
    )


def test_places_with_elements_of_their_own_are_no_pairs() -> None:
    body = "\n".join(f"x[{n} * 8 + threadIdx.x] += x[{n} * 8 + threadIdx.x % 2 + 6];" for n in range(40))
    found = trace(f"__global__ void k(int *x) {{\n{body}\n}}", {"x": np.zeros(320, np.int32)})
    pairs = [pair for hazard in found.hazards for pair in hazard.pairs]
    lines = {tuple(access.line for access in pair.accesses) for pair in pairs}
    assert lines == {(n, n) for n in range(2, 42)}
