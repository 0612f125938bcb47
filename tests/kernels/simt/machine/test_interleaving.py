"""Threads that wait in a loop for other threads: all of them are scheduled, in every order.

The plain command takes locks under two schedules and tickets under one, in turn; the exhaustive command under all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.kernels.simt.programs import trace
from tests.sweeps import in_turn

if TYPE_CHECKING:
    from kernels.trace import Trace

SCHEDULES = ["lockstep", "warps", "reversed", "shuffle:3"]
every_schedule = pytest.mark.parametrize("schedule", SCHEDULES)

LOCK = """
__device__ int mutex;
__device__ void lock() { while (atomicCAS(&mutex, 0, 1) != 0) ; __threadfence(); }
__device__ void unlock() { __threadfence(); atomicExch(&mutex, 0); }
"""


def run(source: str, grid: int, block: int, schedule: str = "lockstep", **options: Any) -> Trace:
    given = {"out": np.zeros(64, np.int32)}
    return trace(source, given, grid=(grid,), block=(block,), schedule=schedule, **options)


@pytest.mark.parametrize("record", [True, False])
@pytest.mark.parametrize(("grid", "block", "schedule"), in_turn(((1, 32), (1, 70), (3, 40)), SCHEDULES, str, first=2))
def test_every_thread_takes_a_lock(grid: int, block: int, schedule: str, record: bool) -> None:
    source = LOCK + "__global__ void k(int *out) { lock(); out[0] += threadIdx.x + 1; unlock(); }"
    found = run(source, grid, block, schedule, record=record)
    assert found.outputs["out"][0] == grid * block * (block + 1) // 2
    assert found.hazards == ()


@every_schedule
def test_a_lock_without_a_fence_is_told_wherever_its_holder_stands(schedule: str) -> None:
    source = LOCK.replace("{ __threadfence(); atomic", "{ atomic")
    source += "__global__ void k(int *out) { lock(); out[0] += 1; unlock(); }"
    found = run(source, 2, 33, schedule)
    assert {hazard.kind for hazard in found.hazards} == {"data-race"}


@every_schedule
@pytest.mark.parametrize(
    ("me", "other"),
    [
        ("blockIdx.x == 0 && threadIdx.x == 0", "blockIdx.x == 1 && threadIdx.x == 0"),
        ("blockIdx.x == 1 && threadIdx.x == 0", "blockIdx.x == 0 && threadIdx.x == 0"),
        ("blockIdx.x == 0 && threadIdx.x == 0", "blockIdx.x == 0 && threadIdx.x == 32"),
        ("blockIdx.x == 0 && threadIdx.x == 0", "blockIdx.x == 0 && threadIdx.x == 1"),
        ("blockIdx.x == 0 && threadIdx.x == 1", "blockIdx.x == 0 && threadIdx.x == 0"),
    ],
)
def test_one_waits_for_the_other(me: str, other: str, schedule: str) -> None:
    source = f"""__device__ int flag;
    __global__ void k(int *out) {{
        if ({other}) {{ out[1] = 42; __threadfence(); atomicExch(&flag, 1); }}
        if ({me}) {{ while (atomicAdd(&flag, 0) == 0) ; out[0] = out[1]; }}
    }}"""
    found = run(source, 2, 64, schedule)
    assert found.outputs["out"][0] == 42
    assert found.hazards == ()


@every_schedule
def test_a_barrier_of_the_grid_made_by_hand(schedule: str) -> None:
    source = """__device__ int arrived;
    __global__ void k(int *out) {
        __shared__ int sum;
        if (threadIdx.x == 0) sum = 0;
        __syncthreads();
        atomicAdd(&sum, 1);
        __syncthreads();
        if (threadIdx.x == 0) {
            out[blockIdx.x] = sum;
            __threadfence();
            atomicAdd(&arrived, 1);
            while (atomicAdd(&arrived, 0) < gridDim.x) { }
            __threadfence();
        }
        __syncthreads();
        if (threadIdx.x == 1) out[32 + blockIdx.x] = out[(blockIdx.x + 1) % gridDim.x];
    }"""
    found = run(source, 4, 40, schedule)
    assert found.outputs["out"][32:36].tolist() == [40] * 4
    assert found.hazards == ()


@pytest.mark.parametrize(
    ("wait", "schedule"),
    in_turn(
        (
            "int seen; do { seen = atomicAdd(&turn, 0); } while (seen != mine);",
            "while (true) { if (atomicAdd(&turn, 0) == mine) break; }",
            "for (;;) { if (atomicAdd(&turn, 0) == mine) break; }",
            "while (atomicAdd(&turn, 0) != mine) __nanosleep(20);",
        ),
        SCHEDULES,
    ),
)
def test_tickets(wait: str, schedule: str) -> None:
    source = f"""__device__ int next, turn;
    __global__ void k(int *out) {{
        int mine = atomicAdd(&next, 1);
        {wait}
        out[0] = 2 * out[0] % 9973 + 1;
        __threadfence();
        atomicAdd(&turn, 1);
    }}"""
    found = run(source, 1, 34, schedule, max_steps=20_000)
    want = 0
    for _ in range(34):
        want = 2 * want % 9973 + 1
    assert found.outputs["out"][0] == want
    assert found.hazards == ()


def test_warps_wait_for_each_other_where_they_shuffle() -> None:
    source = """__device__ int flag;
    __global__ void k(int *out) {
        int v = __shfl_xor_sync(~0, threadIdx.x, 1);
        if (threadIdx.x == 0) { while (atomicAdd(&flag, 0) == 0) ; out[0] = v + out[1]; }
        if (threadIdx.x == 32) { out[1] = v; __threadfence(); atomicExch(&flag, 1); }
    }"""
    found = run(source, 1, 64)
    assert found.outputs["out"][0] == 1 + 33
    assert found.hazards == ()


def stopped(body: str, block: int) -> str:
    source = f"__device__ int a, b;\n__global__ void k(int *out) {{\n{body}\n}}"
    found = run(source, 1, block, max_steps=10_000)
    (hazard,) = [h for h in found.hazards if h.kind == "budget-exceeded"]
    return hazard.message


def test_lanes_of_a_warp_that_shuffles_go_together() -> None:
    message = stopped("while (atomicCAS(&a, 0, 1)) ;\natomicExch(&a, 0);\n__shfl_sync(~0, 1, 0);", 32)
    assert "the lanes of a warp go on together" in message


def test_two_locks_taken_crosswise() -> None:
    message = stopped(
        "int t = threadIdx.x;\nwhile (atomicCAS(t ? &a : &b, 0, 1)) ;\n__syncthreads();\n"
        "while (atomicCAS(t ? &b : &a, 0, 1)) ;\natomicExch(&a, 0);\natomicExch(&b, 0);",
        2,
    )
    assert "the loop in line 6 `while (atomicCAS(t ? &b : &a, 0, 1))`" in message
    assert message.endswith("which no thread changes any more, though each of them has its turn")
