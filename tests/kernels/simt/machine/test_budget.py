"""A run that is too long ends with one report, which says where it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from kernels.trace import Hazard


def stopped(body: str, **options: Any) -> Hazard:
    source = f"__global__ void k(int *C) {{\nint t = threadIdx.x;\n{body}\n}}"
    found = trace(source, {"C": np.zeros(64, np.int32)}, **{"max_steps": 1000, **options})
    (hazard,) = [h for h in found.hazards if h.kind == "budget-exceeded"]
    assert hazard.message.startswith(found.stopped)
    return hazard


def test_a_run_that_is_not_recorded_keeps_within_its_memory() -> None:
    """Each element is written by its own thread again and again: nothing of it has to be kept."""
    source = "__global__ void k(int *C) { for (int i = 0; i < 3000; ++i) C[threadIdx.x] = i; }"
    found = trace(source, {"C": np.zeros(8, np.int32)}, record=False, max_memory_bytes=1 << 20)
    assert found.stopped == ""
    assert found.steps == 6001


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
