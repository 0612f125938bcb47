"""Orders of execution: results that may depend on them, and results that must not."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.errors import InputError
from tests.kernels.simt.programs import trace

HELLO = r"""__global__ void k() {
    printf("%d %d|%5.2f|%c%%\n", threadIdx.x, blockIdx.x, 1.5f, 'x');
}"""

MISSING_BARRIER = """__global__ void k(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[63 - threadIdx.x];
}"""

SCHEDULES = ["lockstep", "warps", "reversed", "shuffle:1", "shuffle:2"]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_each_thread_prints_once(schedule: str) -> None:
    lines = trace(HELLO, grid=(3,), block=(40,), schedule=schedule).printf
    assert sorted(lines) == sorted(f"{t} {b}| 1.50|x%" for b in range(3) for t in range(40))


def test_the_order_of_printing_follows_the_schedule() -> None:
    orders = {trace(HELLO, grid=(9,), block=(40,), schedule=schedule).printf for schedule in SCHEDULES}
    assert len(orders) == len(SCHEDULES)


def test_a_missing_barrier_shows_when_warps_run_on_their_own() -> None:
    arguments = {"out": np.zeros(64, np.int32)}
    right = list(range(63, -1, -1))
    results = {s: trace(MISSING_BARRIER, arguments, block=(64,), schedule=s) for s in ("lockstep", "warps", "reversed")}
    assert results["lockstep"].outputs["out"].tolist() == right
    for schedule in ("warps", "reversed"):
        assert results[schedule].outputs["out"].tolist() != right
        assert [h.kind for h in results[schedule].hazards] == ["data-race"]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_atomics_count_every_thread(schedule: str) -> None:
    source = """__global__ void k(int *hits, int *place, float *sum, unsigned *most) {
        int t = blockIdx.x * blockDim.x + threadIdx.x;
        place[t] = atomicAdd(&hits[t % 3], 1);
        atomicAdd(sum, 0.5f);
        atomicMax(&most[0], (unsigned)t);
        if (t == 7) atomicCAS(most + 1, 5u, 9u);
    }"""
    arguments = {
        "hits": np.zeros(3, np.int32),
        "place": np.zeros(120, np.int32),
        "sum": np.zeros(1, np.float32),
        "most": np.array([0, 5], np.uint32),
    }
    found = trace(source, arguments, grid=(3,), block=(40,), schedule=schedule)
    assert found.hazards == ()
    assert found.outputs["hits"].tolist() == [40, 40, 40]
    for remainder in range(3):
        assert sorted(found.outputs["place"][remainder::3]) == list(range(40))
    assert found.outputs["sum"][0] == 60
    assert found.outputs["most"].tolist() == [119, 9]
    for name in ("hits", "sum", "most"):
        values, _ = found.contents(found.array_number(name), found.steps - 1)
        assert values.tolist() == found.outputs[name].tolist()


@pytest.mark.parametrize("text", ["", "random", "shuffle", "shuffle:x", "warp"])
def test_unknown_schedules_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="lockstep, warps, reversed or shuffle:SEED"):
        trace("__global__ void k() {}", schedule=text)
