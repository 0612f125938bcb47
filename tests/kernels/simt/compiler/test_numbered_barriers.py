"""Barriers of part of a block, which warps meet at by number."""

from __future__ import annotations

import pytest

from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace


@pytest.mark.parametrize("schedule", ["lockstep", "warps", "shuffle:3"])
@pytest.mark.parametrize(
    ("first", "second", "kinds"),
    [
        ("__barrier_sync_count(1, 128)", "__barrier_sync_count(1, 128)", set()),
        ("__barrier_sync_count(1, 128)", "__barrier_sync_count(2, 128)", {"barrier-divergence", "data-race"}),
        ("__barrier_sync(3)", "__barrier_sync(3)", set()),
    ],
)
def test_warps_meet_at_a_number(first: str, second: str, kinds: set[str], schedule: str) -> None:
    """Half of the warps write, at one place, what the other half reads, at another."""
    source = f"""__global__ void k(int *out) {{
        __shared__ int s[64];
        int t = threadIdx.x;
        if (t < 64) {{
            for (int i = 0; i < 3; ++i) {{ s[t] = i * 100 + t; {first}; {first}; }}
        }} else {{
            for (int i = 0; i < 3; ++i) {{ {second}; out[i * 64 + t - 64] = s[127 - t]; {second}; }}
        }}
    }}"""
    found = trace(source, {"out": Unwritten("int32", (192,))}, block=(128,), schedule=schedule)
    assert {hazard.kind for hazard in found.hazards} - {"uninitialised-read"} == kinds
    if not kinds:
        assert found.outputs["out"].tolist() == [i * 100 + 63 - t for i in range(3) for t in range(64)]
