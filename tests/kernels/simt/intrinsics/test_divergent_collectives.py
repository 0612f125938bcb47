"""Warp functions called from divergent places: the lanes of a mask meet, in any of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from kernels.trace import Trace

SCHEDULES = ["lockstep", "warps", "reversed", "shuffle:7"]
T = np.arange(64)


def _run(body: str, schedule: str = "lockstep", *, record: bool = True) -> Trace:
    source = (
        "__global__ void k(int *o) { int t = threadIdx.x, x = t; __shared__ int s[64]; s[t] = 0; __syncthreads();\n"
        f"{body}\no[t] = x; }}"
    )
    return trace(source, {"o": np.zeros(64, np.int32)}, block=(64,), schedule=schedule, record=record)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (t & 1) __syncwarp(); else __syncwarp();", T),
        # What each half wrote before is there behind, for the other half, too.
        (
            "if (t & 1) { s[t] = t; __syncwarp(); x = s[t ^ 1]; }\nelse { s[t] = t; __syncwarp(); x = s[t ^ 1]; }",
            T ^ 1,
        ),
        (
            "x = t & 1 ? __shfl_xor_sync(~0u, t, 1) : __shfl_xor_sync(~0u, t + 100, 1);",
            (T ^ 1) + 100 * (T & 1),
        ),
        ("if (t % 32 < 8) x = __any_sync(~0u, 0); else x = __any_sync(~0u, t == 40);", T // 32),
        ("if (t & 1) x = __ballot_sync(~0u, 0); else x = __ballot_sync(~0u, t % 32 < 8);", T * 0 + 0x55),
        (
            "if (t & 1) x = __reduce_add_sync(~0u, t); else x = __reduce_add_sync(~0u, 0);",
            256 + T // 32 * 512,
        ),
        (
            "if (t & 1) x = __shfl_xor_sync(-1, t, 1u); else x = (unsigned)__shfl_xor_sync(~0u, 7u - 8u, 1);",
            np.where(T & 1, -1, T ^ 1),
        ),
        # Turns of one loop meet turns of another.
        ("for (int i = t % 4; i < 4; ++i) __syncwarp(); for (int i = 0; i < t % 4; ++i) __syncwarp();", T),
        ("for (int i = 0; i < 3; ++i) { if (t & i) __syncwarp(); else __syncwarp(); }", T),
        # Those who have returned are not waited for.
        ("if (t & 1) { s[t] = 1; o[t] = t; return; }\nif (t & 2) __syncwarp(); else __syncwarp();", T),
        ("if (t % 32 < 16) { if (t & 1) __syncwarp(0xffff); else __syncwarp(0xffff); }", T),
    ],
)
def test_they_meet(schedule: str, body: str, expected: np.ndarray) -> None:
    found = _run(body, schedule)
    assert found.hazards == ()
    assert found.outputs["o"].tolist() == expected.tolist()


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


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    "body",
    [
        "if (t & 1) __syncwarp(0xaaaaaaaa); else __syncwarp();",
        "if (t & 1) __syncwarp(); else x = __any_sync(~0u, 1);",
        "if (t & 1) __any_sync(~0u, 1); else __all_sync(~0u, 1);",
        "for (int i = 0; i < t % 4; ++i) __syncwarp();",
        "if (t & 1) { __syncwarp(); __syncwarp(); } else __syncwarp();",
        "if (t & 1) for (int d = 16; d; d /= 2) x = __reduce_add_sync(~0u, x);",
    ],
)
def test_lanes_that_never_come_are_reported(schedule: str, body: str) -> None:
    found = _run(body, schedule)
    assert {hazard.kind for hazard in found.hazards} == {"warp-mask"}
    assert "which does not come here: it took another way" in found.hazards[0].message
