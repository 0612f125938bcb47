"""Warp functions called from divergent places: the lanes of a mask meet, in any of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from kernels.trace import Trace

SCHEDULES = ["lockstep", "warps", "reversed", "shuffle:7"]


def _run(body: str, schedule: str = "lockstep", *, record: bool = True) -> Trace:
    source = (
        "__global__ void k(int *o) { int t = threadIdx.x, x = t; __shared__ int s[64]; s[t] = 0; __syncthreads();\n"
        f"{body}\no[t] = x; }}"
    )
    return trace(source, {"o": np.zeros(64, np.int32)}, block=(64,), schedule=schedule, record=record)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("record", [True, False])
@pytest.mark.parametrize(
    "body",
    [
        "if (t & 1) { __syncwarp(); s[t] = t; x = s[t ^ 1]; }\nelse { s[t] = t; __syncwarp(); x = s[t ^ 1]; }",
        "if (t & 1) { s[t] = t; x = __any_sync(~0u, 1); x += s[t ^ 1]; }\nelse { s[t] = t; x = __any_sync(~0u, 1); }",
    ],
)
def test_unordered_accesses_race(schedule: str, *, record: bool, body: str) -> None:
    (hazard,) = _run(body, schedule, record=record).hazards
    assert (hazard.kind, hazard.array, {access.line for access in hazard.accesses}) == (
        "data-race",
        "s",
        {2, 3},
    )
