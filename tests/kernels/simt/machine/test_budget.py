"""A run that is too long ends with one report, which says where it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kernels.errors import SourceError
from tests.kernels.simt.programs import trace
from tests.sweeps import exhaustive

if TYPE_CHECKING:
    from kernels.trace import Hazard

SCHEDULES = ["lockstep", "warps", "reversed", "shuffle:3"]


def stopped(body: str, **options: Any) -> Hazard:
    source = f"__global__ void k(int *C) {{\nint t = threadIdx.x;\n{body}\n}}"
    found = trace(source, {"C": np.zeros(64, np.int32)}, **{"max_steps": 1000, **options})
    (hazard,) = [h for h in found.hazards if h.kind == "budget-exceeded"]
    assert hazard.message.startswith(found.stopped)
    return hazard


@pytest.mark.parametrize("record", [True, False])
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    ("body", "line", "words"),
    [
        ("while (t >= 0) ;", 3, "the loop in line 3 `while (t >= 0)` ran 999 times for thread (0, 0)"),
        ("for (int i = 0; i < 4; ++i)\nfor (;;)\nC[t] = i;", 4, "the loop in line 4 `for (;;)` ran"),
        ("for (;;)\nfor (int i = 0; i < 4; ++i)\nC[t] = i;", 3, "the loop in line 3 `for (;;)` ran"),
        ("do\nC[t] += 1;\nwhile (t != 100);", 5, "ran 500 times"),
        ("if (t == 5)\nwhile (true) C[t] = 1;", 4, "for thread (5, 0) of block (0, 0)"),
        (
            "for (int i = 0; t >= 0; ++i) {\nC[t] = i;\n__syncthreads();\n}",
            3,
            "ran 333 times for thread (0, 0)",
        ),
    ],
)
def test_the_loop_that_does_not_end(body: str, line: int, words: str, schedule: str, record: bool) -> None:
    hazard = stopped(body, schedule=schedule, record=record)
    assert hazard.line == line
    assert words in hazard.message
    assert "look for why it does not end, or allow more (tilescope trace --max-steps)" in hazard.message
    assert hazard.message.startswith("stopped after 1,000 steps: ")


def test_lanes_that_all_wait_for_each_other() -> None:
    hazard = stopped("volatile int *flag = C;\nwhile (flag[0] == 0);\nflag[0] = 1;")
    assert "its condition waits for a value in memory, which no thread changes any more" in hazard.message


def test_a_flag_that_nobody_sets() -> None:
    hazard = stopped("volatile int *flag = C;\nwhile (flag[0] == 0);")
    assert hazard.message.endswith("its condition reads C, which this kernel never writes")


def test_a_long_run_without_a_loop() -> None:
    assert "tilescope trace --max-steps" in stopped("C[t] = 1;\nC[t] = 2;", max_steps=1).message


@pytest.mark.parametrize("record", [*exhaustive(True), False])
def test_a_size_that_is_far_too_large(record: bool) -> None:
    hazard = stopped("for (int i = t; i < 1000000000; i += 8)\nC[i] = i;", max_steps=10**6, record=record)
    assert hazard.message.startswith("stopped after 20,000 steps with accesses out of bounds: the loop in line 3")
    assert "a GPU ends the kernel at the first" in hazard.message


def test_memory() -> None:
    message = stopped("for (int i = 0; i < 100000; ++i)\nC[t] = i;", max_memory_bytes=1 << 20, max_steps=10**6).message
    assert message.startswith("stopped after recording 1 MiB: the loop in line 3 `for (int i = 0;")
    assert "tilescope trace --max-memory" in message


def test_a_run_that_is_not_recorded_keeps_within_its_memory() -> None:
    """Each element is written by its own thread again and again: nothing of it has to be kept."""
    source = "__global__ void k(int *C) { for (int i = 0; i < 3000; ++i) C[threadIdx.x] = i; }"
    found = trace(source, {"C": np.zeros(8, np.int32)}, record=False, max_memory_bytes=1 << 20)
    assert found.stopped == ""
    assert found.steps == 6001


def test_a_fence_keeps_accesses_until_memory_is_used_up() -> None:
    body = "for (int i = 0; i < 100000; ++i) {\nC[t] = i;\n__threadfence();\n}"
    assert "recording 1 MiB" in stopped(body, max_memory_bytes=1 << 20, max_steps=10**6, record=False).message


def test_arrays_that_do_not_fit_in_memory() -> None:
    message = stopped("float huge[100000000];\nhuge[t] = 1;").message
    assert message.startswith("stopped before the first step: a block's shared and local arrays take 3,052 MiB")
    assert message.endswith("allow more (tilescope trace --max-memory)")


@pytest.mark.parametrize("record", [True, False])
def test_printed_text_counts_towards_the_memory_limit(record: bool) -> None:
    source = """__global__ void k(int n) {
    for (int i = 0; i < n; ++i) printf("%d of %d", i, n); }"""
    found = trace(source, {"n": 100_000}, block=(64,), record=record, max_memory_bytes=1 << 20)
    (report,) = found.hazards
    assert report.message.startswith("stopped after printing 1 MiB: the loop in line 2")
    assert report.message.endswith("let fewer threads print, or allow more (tilescope trace --max-memory)")
    assert found.printf


def test_an_array_of_the_file_that_is_larger_than_the_budget() -> None:
    source = "__device__ float big[1 << 20];\n__global__ void k(float *C) {\nC[threadIdx.x] = 1;\n}"
    small: dict[str, Any] = {"max_memory_bytes": 1 << 20}
    assert trace(source, {"C": np.zeros(8, np.float32)}, **small).hazards == ()
    with pytest.raises(SourceError, match=r"test.cu:3:18: 'big' was left out: it takes 4 MiB, the limit is 1 MiB: "):
        trace(source.replace("= 1", "= big[0]"), {"C": np.zeros(8, np.float32)}, **small)


def test_a_run_that_outgrows_its_record_is_made_without_one() -> None:
    body = "int s = 0;\nfor (int i = 0; i < 500; ++i) s += A[(threadIdx.x + i) % 64];\nC[threadIdx.x] = s;"
    source = f"__global__ void k(const int *A, int *C) {{\n{body}\n}}"
    given: dict[str, Any] = {"A": np.arange(64, dtype=np.int32), "C": np.zeros(64, np.int32)}
    whole = trace(source, given, block=(64,))
    short = trace(source, given, block=(64,), max_memory_bytes=50_000, may_outgrow=True)
    assert whole.unrecorded is None
    assert short.unrecorded is not None
    assert (short.steps, short.hazards, short.stopped) == (whole.steps, (), "")
    assert np.array_equal(short.outputs["C"], whole.outputs["C"])


def test_without_a_record_an_endless_loop_ends_not_much_later() -> None:
    body = "unsigned s = 1;\nwhile (s != 0) {\nC[t] = s;\ns = s * 5 + 2;\n}"
    stop = stopped(body, block=(64,), max_steps=2_000_000, max_memory_bytes=30_000)
    later = stopped(body, block=(64,), max_steps=2_000_000, max_memory_bytes=30_000, may_outgrow=True)
    assert stop.message.startswith("stopped after recording 0 MiB")
    assert later.message.startswith("stopped after ")
    assert 100 < later.step < 2_000_000
