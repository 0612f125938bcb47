"""The device heap: each block from malloc or new is an array of the trace until it is freed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.errors import SourceError
from kernels.simt import Unwritten
from tests.kernels.simt.programs import THREADS, trace

if TYPE_CHECKING:
    from kernels.trace import Trace


def run(body: str, before: str = "", **options: object) -> Trace:
    source = f"{before}\n__global__ void k(int *out) {{ int t = threadIdx.x;\n{body}\n}}"
    return trace(source, {"out": Unwritten("int32", (THREADS,))}, **options)  # type: ignore[arg-type]


NODE = "struct Node { int v; Node *next; __device__ Node(int x, Node *n) : v(x), next(n) {} };"


@pytest.mark.parametrize("schedule", ["lockstep", "warps", "shuffle:3"])
@pytest.mark.parametrize("record", [True, False])
@pytest.mark.parametrize(
    ("before", "body", "wanted"),
    [
        ("", "int *p = (int *)malloc(4 * sizeof(int)); p[3] = t; out[t] = p[3]; free(p);", "t"),
        (
            "",
            "int n = t + 1; short *p = new short[n]; for (int i = 0; i < n; ++i) p[i] = i; out[t] = p[t]; delete[] p;",
            "t",
        ),
        (
            "",
            "void *p = malloc(16); float4 *f = static_cast<float4 *>(p); *f = make_float4(1, 2, 3, 4);"
            "out[t] = ((float *)p)[2];",
            "3",
        ),
        (
            "",
            "int *p = (int *)malloc(4 * sizeof(*p)), (*m)[4] = (int (*)[4])malloc(2 * sizeof *m); m[1][3] = p[3] = t;"
            "out[t] = m[1][3] + p[3];",
            "2 * t",
        ),
        (
            "",
            "int *p = nullptr; if (t % 2) { p = new int; *p = t; } out[t] = p ? *p : -1; delete p;",
            "t if t % 2 else -1",
        ),
        ("", "float *p = new float[5](); int *q = new int(t), *z = new int(); out[t] = p[4] + *q + *z;", "t"),
        (
            "",
            "int **m = new int *[2]; for (int i = 0; i < 2; ++i) { m[i] = new int[3]; m[i][1] = t; }"
            "out[t] = m[0][1] + m[1][1]; for (int i = 0; i < 2; ++i) delete[] m[i]; delete[] m;",
            "2 * t",
        ),
        (
            NODE,
            "Node *list = nullptr; for (int i = 0; i < 3; ++i) list = new Node(i + t, list); int s = 0;"
            "for (Node *p = list; p; p = p->next) s += p->v;"
            "while (list) { Node *next = list->next; delete list; list = next; } out[t] = s;",
            "3 + 3 * t",
        ),
        (
            "struct P { float x, y; }; struct V { int x; __device__ V() : x(5) {} };",
            "P *p = new P{1, 2}, *q = new P; q->x = t; V *v = new V[3]; out[t] = p->y + q->x + v[2].x; delete[] v;",
            "7 + t",
        ),
        (
            "",
            "__shared__ int *p; if (t == 0) p = (int *)malloc(blockDim.x * sizeof(int)); __syncthreads();"
            "p[t] = t; __syncthreads(); out[t] = p[7 - t]; __syncthreads(); if (t == 0) free(p);",
            "7 - t",
        ),
        (
            "__device__ int *slots[8];",
            "slots[t] = new int(t); __syncthreads(); int s = 0, i; for (i = 0; i < 8; i++) s += *slots[i]; out[t] = s;",
            "28",
        ),
        (
            "",
            "__shared__ int *p; if (t == 0) p = new int(0); __syncthreads(); atomicAdd(p, 1); __syncthreads();"
            "out[t] = *p;",
            "8",
        ),
        ("", "free(nullptr); out[t] = malloc(9 << 20) == nullptr;", "1"),
        ("", "out[t] = malloc(2 << 20) != nullptr;", "t < 4"),
        ("", "for (int i = 0; i < 3; ++i) { void *p = malloc(1 << 20); out[t] = p != nullptr; free(p); }", "1"),
    ],
)
def test_blocks_are_arrays(before: str, body: str, wanted: str, schedule: str, record: bool) -> None:
    found = run(body, before, schedule=schedule, record=record)
    assert found.hazards == ()
    assert found.outputs["out"].tolist() == [int(eval(wanted, {"t": t})) for t in range(THREADS)]
    assert list(found.outputs) == ["out"] or before.startswith("__device__")


@pytest.mark.parametrize(
    ("body", "kind", "index", "words"),
    [
        (
            "int *p = new int[4]; p[t + 1] = 1; out[t] = 0;",
            "out-of-bounds",
            4,
            "writes element 4 of a block that is allocated in heap of line 3, but it has 4 elements: 0 to 3",
        ),
        ("int *p = new int[4]; out[t] = 0; p[-1] = 1;", "out-of-bounds", -1, "element -1"),
        ("int *p = new int[t + 1]; p[100000] = 1; out[t] = 0;", "out-of-bounds", 100000, "0 to 0"),
        ("int *p = new int(1);\nfree(p);\nout[t] = *p;", "use-after-free", 0, "which line 4 freed before"),
        ("int *p = new int(1); delete p; delete p; out[t] = 0;", "double-free", -1, "it has been freed already"),
        ("free(out + 1); out[t] = 0;", "invalid-free", -1, "frees a pointer into out: no malloc or new returned it"),
        ("int *p = new int[4]; free(p + 1); out[t] = 0;", "invalid-free", -1, "no malloc or new returned it"),
        (
            "int *p = (int *)malloc(16); out[t] = p[1] * 0;",
            "uninitialised-read",
            1,
            "reads heap of line 3[0][1] (global memory), which nothing has written yet: malloc and new clear no memory",
        ),
        (
            "__shared__ int *p; if (t == 0) p = new int[2]; __syncthreads(); p[1] = t; out[t] = 0;",
            "data-race",
            1,
            "writes heap of line 3[0][1]",
        ),
        ("int *p = (int *)malloc(64 << 20); *p = 1; out[t] = 0;", "out-of-bounds", -1, "a null pointer"),
    ],
)
def test_hazards_of_heap_blocks(body: str, kind: str, index: int, words: str) -> None:
    hazard = run(body).hazards[0]
    assert (hazard.kind, hazard.index) == (kind, index)
    assert words in hazard.message


def test_the_trace_holds_what_was_given_out() -> None:
    found = run("int *p = new int[4]; p[0] = t; out[t] = p[0]; delete[] p;")
    (heap,) = (a for a in found.arrays if a.name == "heap of line 3")
    assert (heap.shape, heap.space) == ((THREADS, 4), "global")


def test_a_loop_that_allocates_for_ever_ends_the_run() -> None:
    found = run("for (int i = 0; i < 1000; ++i) { void *p = malloc(1 << 19); free(p); } out[t] = 0;")
    (hazard,) = (h for h in found.hazards if h.kind == "budget-exceeded")
    assert "stopped after heap of line 3 allocated 32 MiB" in hazard.message


def test_new_in_a_place_is_refused() -> None:
    with pytest.raises(SourceError, match="placement new; assign to the place"):
        run("int x; new (&x) int(3); out[t] = x;")


def test_functions_of_the_file_go_before_those_of_the_heap() -> None:
    found = run("out[t] = malloc(3);", "__device__ int malloc(int x) { return x + 1; }")
    assert found.outputs["out"].tolist() == [4] * THREADS


def test_members_of_blocks_have_bounds_of_their_own() -> None:
    types = "struct Sandwich { int above; int middle[1]; int below; };"
    found = run("Sandwich *p = (Sandwich *)malloc(sizeof(Sandwich)); p->middle[1] = t; out[t] = p->below;", types)
    (hazard,) = found.hazards
    assert (hazard.kind, hazard.count) == ("out-of-bounds", THREADS)
    assert "heap of line 3[0][0].middle[1], which is heap of line 3[0][0].below, but middle has 1" in hazard.message
    assert found.outputs["out"].tolist() == list(range(THREADS))
