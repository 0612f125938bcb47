from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.analysis.pattern_groups import LINE_BYTES, pattern_groups
from kernels.analysis.requests import requests_of, sectors, wavefronts
from kernels.trace import accesses
from tests.cases import Cases
from tests.kernels.analysis.traces import catalogue, source

if TYPE_CHECKING:
    from kernels.trace import Trace

CASES = Cases(__file__)

LOOP = """
__global__ void k(const float *a) {{
    __shared__ float s[4096];
    for (int i = 0; i < 500; i++) {{ s[{0}] = a[{0}]; }}
}}
"""


def looped(index: str) -> Trace:
    return source(LOOP.format(index), "1", "64", "a=f32[32768]:iota")


@pytest.mark.parametrize(("index", "same", "lines"), CASES("groups_have_equal_patterns"))
def test_groups_have_equal_patterns_at_equal_elements_or_whole_lines_apart(
    index: str, same: list[int], lines: list[int]
) -> None:
    trace = looped(index)
    for apart, wanted in ((0, same), (LINE_BYTES // 4, lines)):
        found = sorted(times for times, groups in pattern_groups(trace, 0, apart) for _ in groups)
        assert found == wanted


@pytest.mark.parametrize("name", ["matmul_tiled", "matmul_naive", "mmt_symmetric_diagonal"])
def test_one_of_each_costs_as_much_as_all(name: str) -> None:
    trace = catalogue(name, "33", "8,8")
    for number, site in enumerate(trace.sites):
        apart = LINE_BYTES // trace.arrays[site.array].dtype.itemsize
        parts = [(times, requests_of(trace, number, groups)) for times, groups in pattern_groups(trace, number, apart)]
        for cost in (sectors, wavefronts):
            folded = sum(times * np.array(cost(asked)) for times, asked in parts)
            assert np.array_equal(folded, cost(requests_of(trace, number)))


def test_no_part_is_large_and_none_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accesses, "AT_ONCE", 1000)
    trace = looped("i + threadIdx.x")
    groups = np.flatnonzero(trace.group_site == 0)
    parts = accesses.in_parts(trace, groups)
    assert max(len(part) for part in parts) <= 1000 // 64 + 1
    assert np.array_equal(np.concatenate(parts), groups)
    assert sum(times * len(part) for times, part in pattern_groups(trace, 0)) == len(groups)
