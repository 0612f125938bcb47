"""Every mistake is reported once, at its place, with the first thread that makes it."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.launch import Dim3
from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace

N = 8


def arrays() -> dict[str, np.ndarray]:
    return {"A": np.arange(N, dtype=np.float32), "C": np.zeros(N, np.float32)}


def kernel(body: str) -> str:
    return f"__global__ void k(const float *A, float *C) {{\nint t = threadIdx.x;\n{body}\n}}"


@pytest.mark.parametrize(
    ("body", "kind", "array", "index", "line", "column", "thread", "count"),
    [
        ("C[t] = A[t + 2];", "out-of-bounds", "A", 8, 3, 8, 6, 2),
        ("C[t] = A[t - 3];", "out-of-bounds", "A", -3, 3, 8, 0, 3),
        ("if (t > 5)\n  C[t * 2] = 1;", "out-of-bounds", "C", 12, 4, 3, 6, 2),
        ("C[t] = A[9];", "out-of-bounds", "A", 9, 3, 8, 0, 8),
        ("C[t] = A[t < 7 ? t : 1000000000 * 2];", "out-of-bounds", "A", 2_000_000_000, 3, 8, 7, 1),
        ("__shared__ float s[4];\ns[t] = 1;", "out-of-bounds", "s", 4, 4, 1, 4, 4),
        (
            "__shared__ float s[8];\nif (t < 3) s[t] = 1;\nC[t] = s[t];",
            "uninitialised-read",
            "s",
            3,
            5,
            8,
            3,
            5,
        ),
        ("float a[2];\na[0] = 1;\nC[t] = a[t / 5];", "uninitialised-read", "a", 1, 5, 8, 5, 3),
        ("float x;\nif (t != 4) x = 2;\nC[t] = x;", "uninitialised-read", "x", -1, 5, 8, 4, 1),
        ("int d = t - 2;\nC[t] = 10 / d;", "division-by-zero", "", -1, 4, 8, 2, 1),
        ("int d = t - 2;\nC[t] = 10 % (d * 0);", "division-by-zero", "", -1, 4, 8, 0, 8),
        ("assert(t < 6);", "assertion", "", -1, 3, 1, 6, 2),
    ],
)
def test_one_hazard_at_its_place(
    body: str, kind: str, array: str, index: int, line: int, column: int, thread: int, count: int
) -> None:
    (hazard,) = trace(kernel(body), arrays()).hazards
    assert (hazard.kind, hazard.array, hazard.index) == (kind, array, index)
    assert (hazard.line, hazard.column, hazard.count) == (line, column, count)
    assert (hazard.accesses[0].block, hazard.accesses[0].thread) == (Dim3(0, 0, 0), Dim3(thread, 0, 0))
    assert f"thread ({thread}, 0) of block (0, 0)" in hazard.message


def test_out_of_bounds_accesses_are_recorded_but_not_made() -> None:
    found = trace(kernel("C[t + 4] = A[t];"), arrays())
    assert found.outputs["C"].tolist() == [0, 0, 0, 0, 0, 1, 2, 3]
    (group,) = [g for g in found.accesses(1) if g.site.access == "write"]
    assert group.index.tolist() == list(range(4, 12))
    values, _ = found.contents(found.array_number("C"), found.steps - 1)
    assert values.tolist() == found.outputs["C"].tolist()


def test_shared_memory_is_poisoned_for_every_block() -> None:
    body = "__shared__ float s[8];\nif (blockIdx.x == 0) s[t] = 1;\nfloat x = s[t];"
    (hazard,) = trace(kernel(body), arrays(), grid=(3,)).hazards
    assert (hazard.count, hazard.accesses[0].block) == (16, Dim3(1, 0, 0))


@pytest.mark.parametrize("schedule", ["lockstep", "warps", "reversed", "shuffle:7"])
@pytest.mark.parametrize(
    ("body", "block", "blocks"),
    [
        ("if (t < 5) __syncthreads();", (8,), 2),
        ("if (t < 40) __syncthreads();", (64,), 2),
        ("if (blockIdx.x == 1 && t == 0) return;\n__syncthreads();", (40,), 1),
        ("if (t < 32) { __syncthreads(); } else { __syncthreads(); }", (64,), 4),
        ("for (int i = 0; i < (t < 32 ? 1 : 2); ++i) __syncthreads();", (64,), 2),
    ],
)
def test_barrier_divergence(schedule: str, body: str, block: tuple[int], blocks: int) -> None:
    found = trace(kernel(body), arrays(), grid=(2,), block=block, schedule=schedule)
    assert {h.kind for h in found.hazards} == {"barrier-divergence"}
    assert sum(h.count for h in found.hazards) == blocks
    waits, absent = found.hazards[0].accesses
    assert waits.block == absent.block
    assert waits.thread != absent.thread


def test_memory_budget() -> None:
    found = trace(kernel("for (int i = 0; i < 100000; ++i) C[t] = i;"), arrays(), max_memory_bytes=100_000)
    assert "0 MiB" in found.stopped
    assert found.stored_bytes < 200_000


def test_arrays_that_do_not_fit_in_memory_are_not_made() -> None:
    found = trace(kernel("float huge[100000000];\nhuge[t] = 1;"), arrays())
    assert "3,052 MiB" in found.stopped
    assert found.steps == 0


def test_cancelling_leaves_a_usable_trace() -> None:
    asked = iter([False, False, True])
    found = trace(kernel("while (true) C[t] = 1;"), arrays(), cancelled=lambda: next(asked))
    assert found.stopped == "stopped by the user"
    assert found.steps > 100
    assert found.hazards == ()
    assert found.contents(1, found.steps - 1)[0].tolist() == [1.0] * 8


def test_gaps_between_members_need_no_value() -> None:
    source = """
    struct Gappy { int a; double b; };
    __global__ void k(Gappy *out) { out[threadIdx.x].a = 1; out[threadIdx.x].b = 2; }"""
    found = trace(source, {"out": Unwritten("uint32", (8, 4))})
    assert found.hazards == ()
