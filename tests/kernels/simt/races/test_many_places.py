"""Sources with thousands of statements: what they cost grows with them, not with their pairs."""

from __future__ import annotations

from collections import Counter

import numpy as np

from kernels.simt.checkers.racecheck.pairs import MOST_PAIRS
from tests.kernels.simt.programs import trace


def test_of_places_that_all_race_with_each_other_enough_are_told() -> None:
    body = "\n".join(f"x[{n} % 32] += {n};" for n in range(300))
    found = trace(f"__global__ void k(int *x) {{\n{body}\n}}", {"x": np.zeros(32, np.int32)}, grid=(2,), block=(4,))
    kinds = Counter(hazard.kind for hazard in found.hazards)
    assert kinds == {"data-race": MOST_PAIRS}
    first = found.hazards[0]
    assert (first.array, first.index) == ("x", 0)


def test_places_with_elements_of_their_own_are_no_pairs() -> None:
    body = "\n".join(f"x[{n} * 8 + threadIdx.x] += x[{n} * 8 + threadIdx.x % 2 + 6];" for n in range(40))
    found = trace(f"__global__ void k(int *x) {{\n{body}\n}}", {"x": np.zeros(320, np.int32)})
    lines = {tuple(access.line for access in hazard.accesses) for hazard in found.hazards}
    assert lines == {(n, n) for n in range(2, 42)}
