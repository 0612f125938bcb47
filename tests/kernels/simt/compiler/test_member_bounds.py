"""Indices beyond an array member of a struct, inside of the object: reported where the element is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from kernels.trace.records import Hazard

TYPES = """
struct In { int v[3]; short w; };
struct S { int before[2]; int middle[1]; int after[2]; int m[2][3]; In in[2]; int tail; };
struct Open { int n; int data[1]; };
union Both { int a[2]; int b[4]; };
struct Held { Both both; int tail; };
"""


def hazards(body: str, *, record: bool = True) -> list[Hazard]:
    """Return what two threads, each with an S of its own at `p[t]`, are told; `n` is 2, and nobody knows it."""
    text = f"{TYPES}__global__ void k(S *p, Open *o, Held *h, const int *ns) {{\n"
    text += f"int t = threadIdx.x, n = ns[t];\n{body}\n}}"
    given = {name: np.zeros(400, np.uint8) for name in ("p", "o", "h")} | {"ns": np.full(2, 2, np.int32)}
    return list(trace(text, given, block=(2, 1), record=record).hazards)


@pytest.mark.parametrize("record", [True, False])
@pytest.mark.parametrize(
    ("body", "access", "said"),
    [
        ("p[t].middle[1] = 7;", "write", "p[0].middle[1], which is p[0].after[0], but middle has 1 element: 0 to 0"),
        ("p[t].middle[n - 3] = 7;", "write", "p[0].middle[-1], which is p[0].before[1], but middle has 1"),
        ("int x = p[t].before[n];", "read", "p[0].before[2], which is p[0].middle[0], but before has 2 elements: 0"),
        ("p[t].before[n] += 1;", "write", "p[0].before[2], which is p[0].middle[0]"),
        ("p[t].before[n++]++;", "write", "p[0].before[2], which is p[0].middle[0]"),
        ("p[t].after[ns[t]] = 1;", "write", "p[0].after[2], which is p[0].m[0][0]"),
        ("p[t].m[n][1] = 1;", "write", "p[0].m[7], which is p[0].in[0].v[1], but m has 6 elements (2×3): 0 to 5"),
        ("p[t].m[1][n + 1] = 1;", "write", "p[0].m[6], which is p[0].in[0].v[0]"),
        ("p[t].in[n].v[0] = 1;", "write", "p[0].in[2], which is p[0].tail, but in has 2 elements: 0 to 1"),
        ("p[t].in[1].v[n + 1] = 1;", "write", "p[0].in[1].v[3], which is p[0].in[1].w"),
        ("atomicAdd(&p[t].before[n], 1);", "atomic", "writes p[0].before[2], which is p[0].middle[0]"),
        ("S &s = p[t]; s.before[n] = 1;", "write", "p[0].before[2], which is p[0].middle[0]"),
        ("__shared__ S s[2]; s[t].before[n] = 1;", "write", "s[0].before[2], which is s[0].middle[0]"),
        ("S s; s.before[n] = 1;", "write", "s.before[2], which is s.middle[0]"),
        ("S *q = t < n ? p + t : (S *)h; q->before[n] = 1;", "write", "p[0].before[2], which is p[0].middle[0]"),
    ],
)
def test_beyond_a_member(body: str, access: str, said: str, *, record: bool) -> None:
    (hazard,) = hazards(body, record=record)
    assert (hazard.kind, hazard.count, hazard.accesses[0].access) == ("out-of-bounds", 2, access)
    assert said in hazard.message


def test_the_access_is_made() -> None:
    source = f"{TYPES}__global__ void k(S *p, int n) {{ p->before[n] = 7; p->tail = p->middle[0]; }}"
    found = trace(source, {"p": np.zeros(80, np.uint8), "n": 2}, block=(1, 1))
    values = found.outputs["p"].view(np.int32)
    assert (values[2], len(found.hazards)) == (7, 1)
    assert 7 in values[3:]


def test_a_thread_that_does_not_make_the_access_is_not_counted() -> None:
    (hazard,) = hazards("if (t == 1) p[t].before[n] = 1;")
    assert (hazard.count, hazard.accesses[0].thread.x) == (1, 1)
    assert "p[1].before[2]" in hazard.message


@pytest.mark.parametrize("record", [True, False])
@pytest.mark.parametrize(
    ("kind", "use", "access"),
    [
        ("float2", "atomicAdd(&p->w[n], make_float2(1, 2));", "atomic"),
        ("__half2", "atomicAdd(&p->w[n], __floats2half2_rn(1, 2));", "atomic"),
        ("cuda::atomic<int>", "p->w[n].fetch_add(1);", "atomic"),
        ("cuda::atomic<int>", "p->tail = p->w[n].load();", "read"),
        ("cuda::atomic<int>", "p->w[n] = 1;", "atomic"),
        ("int", "cuda::atomic_ref<int> r(p->w[n]); r.fetch_add(1);", "atomic"),
    ],
)
def test_all_sorts_of_atomics_are_checked(kind: str, use: str, access: str, *, record: bool) -> None:
    source = (
        "#include <cuda/atomic>\n#include <cuda_fp16.h>\n"
        f"struct S {{ {kind} w[2]; {kind} z[2]; int tail, more; }};\n"
        f"__global__ void k(S *p, int n) {{ {use} }}"
    )
    size = 40 if kind == "float2" else 24
    (hazard,) = trace(source, {"p": np.zeros(size, np.uint8), "n": 2}, block=(1,), record=record).hazards
    assert (hazard.kind, hazard.accesses[0].access) == ("out-of-bounds", access)
    assert "p[0].w[2], which is p[0].z[0]" in hazard.message
