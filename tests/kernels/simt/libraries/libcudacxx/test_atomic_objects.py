"""Atomic objects of libcu++: values, recorded accesses, and memory order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.recorder.instrument import instrument
from kernels.simt import Unwritten
from tests.kernels.simt.programs import THREADS, trace

T = np.arange(THREADS)


@pytest.mark.parametrize(
    ("call", "result", "left"),
    [
        ("x.fetch_add(2)", 10 * T, 10 * T + 2),
        ("x.fetch_sub(2)", 10 * T, 10 * T - 2),
        ("x.fetch_and(12, cuda::memory_order_relaxed)", 10 * T, 10 * T & 12),
        ("x.fetch_or(12)", 10 * T, 10 * T | 12),
        ("x.fetch_xor(12, cuda::std::memory_order_acq_rel)", 10 * T, 10 * T ^ 12),
        ("x.exchange(5)", 10 * T, T * 0 + 5),
        ("x.load(cuda::memory_order::acquire)", 10 * T, 10 * T),
        ("x = 7", T * 0 + 7, T * 0 + 7),
        ("x += 7", 10 * T + 7, 10 * T + 7),
        ("x++", 10 * T, 10 * T + 1),
        ("--x", 10 * T - 1, 10 * T - 1),
        ("x * 2", 20 * T, 10 * T),
        ("-x", -10 * T, 10 * T),
        ("x == 30 ? 1 : 0", T == 3, 10 * T),
    ],
)
@pytest.mark.parametrize(
    "name",
    [
        "cuda::atomic<int> *a) { int t = threadIdx.x; auto &x = a[t];",
        "int *a) { int t = threadIdx.x; cuda::atomic_ref<int, cuda::thread_scope_block> x(a[t]);",
        "int *a) { int t = threadIdx.x; auto &x = *(cuda::std::atomic<int> *)(a + t);",
    ],
)
def test_operations(name: str, call: str, result: Any, left: Any) -> None:
    found = trace(
        f"#include <cuda/atomic>\n__global__ void k(int *r, {name} r[t] = {call}; }}",
        {"a": (10 * T).astype(np.int32), "r": Unwritten("int32", (THREADS,))},
    )
    assert found.outputs["r"].tolist() == result.astype(int).tolist()
    assert found.outputs["a"].tolist() == left.tolist()
    assert {site.access for site in found.sites if found.arrays[site.array].name == "a"} == {"atomic"}
    assert found.hazards == ()


PASS_ON = """
__global__ void k(int *data, cuda::atomic<int, cuda::thread_scope_{scope}> *flag, int *out) {{
    if (threadIdx.x == 0 && blockIdx.x == 0) {{
        *data = 42;
        flag->store(1, cuda::memory_order_{order});
    }} else if (threadIdx.x == 32) {{
        if (flag->load(cuda::memory_order_{read})) {{ {after} out[blockIdx.x] = *data; }}
    }}
}}"""


@pytest.mark.parametrize(
    ("order", "read", "after", "scope", "grid", "races"),
    [
        ("release", "acquire", "", "device", 2, 0),
        ("seq_cst", "seq_cst", "", "system", 2, 0),
        ("relaxed", "acquire", "", "device", 2, 1),
        ("release", "relaxed", "", "device", 2, 1),
        ("release", "relaxed", "__threadfence();", "device", 2, 0),
        ("release", "relaxed", "__threadfence_block();", "device", 2, 1),
        ("release", "acquire", "", "block", 1, 0),
        ("release", "acquire", "", "block", 2, 2),  # on the flag as on the data
    ],
)
def test_a_flag_hands_on_what_was_written_before_if_it_releases_and_acquires(
    order: str, read: str, after: str, scope: str, grid: int, races: int
) -> None:
    source = PASS_ON.format(order=order, read=read, after=after, scope=scope)
    given = {"data": np.zeros(1, np.int32), "flag": np.zeros(1, np.int32), "out": np.zeros(2, np.int32)}
    found = trace(source, given, grid=(grid,), block=(64,))
    assert [pair.kind for hazard in found.hazards for pair in hazard.pairs] == ["data-race"] * races


def test_kernels_that_are_not_recorded_on_a_gpu() -> None:
    program = parse("__global__ void k(cuda::atomic<int> *a) { a->store(1); }", "test.cu")
    with pytest.raises(SourceError, match=r"1:19: cuda::atomic<int> \* 'a' cannot be recorded on a GPU"):
        instrument(program, program.kernels[0], Launch(Dim3(1), Dim3(8)), {"a": np.zeros(1, np.int32)})
