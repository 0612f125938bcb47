"""`bar.arrive`: warps that come to a numbered barrier and go on, while others wait there for them."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace

SOURCE = """
__device__ void arrive(int id) {{ asm volatile("bar.arrive %0, 64;" :: "r"(id) : "memory"); }}
__device__ void sync(int id) {{ asm volatile("bar.sync %0, %1;" :: "r"(id), "r"(64) : "memory"); }}
__global__ void k(int *out) {{
    __shared__ int s[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp == 0) {{
        for (int i = 0; i < 4; ++i) {{ {empty} s[lane] = i * 100 + lane; {full} }}
    }} else {{
        arrive(2);
        for (int i = 0; i < 4; ++i) {{
            sync(1);
            out[blockIdx.x * 128 + i * 32 + lane] = s[31 - lane];
            {read}
        }}
    }}
}}"""


@pytest.mark.parametrize("schedule", ["lockstep", "warps", "reversed", "shuffle:2"])
@pytest.mark.parametrize(
    ("empty", "full", "read", "kinds"),
    [
        ("sync(2);", "arrive(1);", "if (i < 3) arrive(2);", set()),
        ("sync(2);", "arrive(1); s[lane] = 7;", "if (i < 3) arrive(2);", {"data-race"}),
        ("sync(2);", "", "if (i < 3) arrive(2);", {"barrier-divergence", "data-race"}),
        ("sync(2);", "arrive(1);", "arrive(2);", set()),
    ],
)
def test_a_producer_does_not_wait_for_its_consumers(
    empty: str, full: str, read: str, kinds: set[str], schedule: str
) -> None:
    source = SOURCE.format(empty=empty, full=full, read=read)
    found = trace(source, {"out": Unwritten("int32", (2, 4, 32))}, grid=(2,), block=(64,), schedule=schedule)
    assert {hazard.kind for hazard in found.hazards} == kinds
    if not kinds:
        expected = [[i * 100 + 31 - lane for lane in range(32)] for i in range(4)]
        assert np.array_equal(found.outputs["out"], [expected, expected])
