"""Inline PTX does what the same lines of CUDA C do: the same accesses, results and hazards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.kernels.simt.libraries.inline_ptx.assembly import run

if TYPE_CHECKING:
    from kernels.trace import Trace


def summary(found: Trace) -> list[Any]:
    """Return the accesses and hazards of a trace, without their places in the source."""
    accesses = [
        (
            group.array.name,
            group.site.access,
            group.site.width,
            group.lanes.tolist(),
            group.elements.tolist(),
        )
        for group in map(found.group, range(len(found.group_step)))
    ]
    return [accesses, [(h.kind, [(a.thread, a.access) for a in h.accesses]) for h in found.hazards]]


LOADS = {
    "global": ('asm("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(A + t));', "x = A[t];"),
    "hints": (
        'asm volatile("ld.global.nc.L1::no_allocate.L2::128B.f32 %0, [%1];" : "=f"(x) : "l"(A + t) : "memory");',
        "x = __ldg(A + t);",
    ),
    "four": (
        'asm("ld.global.cs.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(A + 4 * t));',
        "float4 v = *(const float4 *)(A + 4 * t); x = v.x; y = v.y; z = v.z; w = v.w;",
    ),
    "as bits": (
        'asm("ld.global.cg.b32 %0, [%1];" : "=r"(n) : "l"(A + t));',
        "n = *(const int *)(A + t);",
    ),
    "further on": ('asm("ld.global.f32 %0, [%1+16];" : "=f"(x) : "l"(A + t));', "x = *(A + t + 4);"),
    "further back": (
        'asm("ld.global.v2.f32 {%0, %1}, [%2+-8];" : "=f"(x), "=f"(y) : "l"(A + 2 * t + 2));',
        "float2 v = *(const float2 *)(A + 2 * t); x = v.x; y = v.y;",
    ),
    "shared": ('asm("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(at + 4 * t));', "x = s[t];"),
    "four shared": (
        'asm("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"'
        ' : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "r"(at + 16 * t));',
        "float4 v = *(const float4 *)(s + 4 * t); x = v.x; y = v.y; z = v.z; w = v.w;",
    ),
    "a pointer to shared": ('asm("ld.f32 %0, [%1];" : "=f"(x) : "l"(s + t));', "x = s[t];"),
    "an address made in PTX": (
        '{ unsigned to; asm("{ .reg .u64 u; cvta.to.shared.u64 u, %1; cvt.u32.u64 %0, u; }" : "=r"(to) : "l"(s + t));'
        ' asm("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(to)); }',
        "x = s[t];",
    ),
    "out of bounds": ('asm("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(A + t + 200));', "x = *(A + t + 200);"),
    "misaligned": (
        'asm("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "l"(A + t));',
        "float2 v = *(const float2 *)(A + t); x = v.x; y = v.y;",
    ),
}
STORES = {
    "global": ('asm("st.global.u32 [%0], %1;" :: "l"(W + t), "r"(t));', "W[t] = t;"),
    "four": (
        'asm volatile("st.global.wt.v4.s32 [%0], {%1, %1, %2, 7};" :: "l"(W + 4 * t), "r"(t), "r"(2 * t) : "memory");',
        "*(int4 *)(W + 4 * t) = make_int4(t, t, 2 * t, 7);",
    ),
    "shared": (
        'asm("st.shared.f32 [%0], %1;" :: "r"(at + 4 * t), "f"(A[t] + 1)); x = s[t];',
        "s[t] = A[t] + 1; x = s[t];",
    ),
    "race": ('asm("st.shared.f32 [%0], %1;" :: "r"(at), "f"(A[t]));', "s[0] = A[t];"),
    "only some lanes": (
        'asm("{ .reg .pred p; setp.lt.s32 p, %2, 40; @p st.global.u32 [%0], %1; }" :: "l"(W + t), "r"(t), "r"(t));',
        "if (t < 40) W[t] = t;",
    ),
}
GUARDED = {
    "or zero": (
        """asm("{.reg .pred p; setp.ne.b32 p, %2, 0; @!p mov.b32 %0, 0; @p ld.global.nc.f32 %0, [%1];}"
            : "=f"(x) : "l"(A + t), "r"((int)(t % 3 == 1)));""",
        "x = 0; if (t % 3 == 1) x = A[t];",
    ),
    "in and out": (
        """asm("{ .reg .pred p; setp.gt.s32 p, %1, 9; @p add.s32 %0, %0, %1; @!p sub.s32 %0, %0, 5; }"
            : "+r"(n) : "r"(t));""",
        "n = t > 9 ? n + t : n - 5;",
    ),
    "several": (
        """asm("ld.global.v2.f32 {%0, %1}, [%4]; ld.global.v2.f32 {%2, %3}, [%5];"
            : "=f"(x), "=f"(z), "=f"(y), "=f"(w) : "l"(A + 2 * t), "l"(A + 128 + 2 * t));""",
        "float2 a = *(const float2 *)(A + 2 * t), b = *(const float2 *)(A + 128 + 2 * t);"
        "x = a.x; z = a.y; y = b.x; w = b.y;",
    ),
    "a register of its own": (
        'n = 5; asm("{.reg .s32 v; ld.global.cg.b32 v, [%1]; add.s32 %0, v, %0;}" : "+r"(n) : "l"(W + t));',
        "n = 5; n += W[t];",
    ),
    "an element as output": (
        'asm("add.s32 %0, %1, 1;" : "=r"(W[t]) : "r"(W[t]));',
        "W[t] = W[t] + 1;",
    ),
}
ATOMICS = {
    "add": (
        'asm("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;" : "=r"(n) : "l"(W + t % 4), "r"(t));',
        "n = atomicAdd(W + t % 4, t);",
    ),
    "cas": (
        'asm("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(n) : "l"(W + t), "r"(0), "r"(t));',
        "n = atomicCAS((unsigned *)(W + t), 0u, (unsigned)t);",
    ),
}
WARPS = {
    "redux": (
        'asm("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(n) : "r"(t));',
        "n = __reduce_add_sync(0xffffffff, t);",
    ),
    "elect": (
        """n = 0; asm("{ .reg .b32 r; .reg .pred p; elect.sync r|p, 0xfffffff0; @p mov.u32 %0, 1; }" : "+r"(n));""",
        "n = t % 32 == 4;",
    ),
}
BARRIERS = {
    "whole block": (
        's[t] = t; asm volatile("bar.sync 0;" ::: "memory"); x = s[63 - t];',
        "s[t] = t; __syncthreads(); x = s[63 - t];",
    ),
    "none": ("s[t] = t; x = s[63 - t];", "s[t] = t; x = s[63 - t];"),
    "number and threads": (
        's[t] = t; asm volatile("barrier.sync.aligned %0, %1;" :: "n"(3), "r"(64)); x = s[63 - t];',
        "s[t] = t; __barrier_sync_count(3, 64); x = s[63 - t];",
    ),
    "clock": (
        's[t] = t; asm volatile("bar.sync 0; mov.u32 %0, %%clock;" : "=r"(n)); x = s[63 - t];',
        "s[t] = t; __syncthreads(); n = clock(); x = s[63 - t];",
    ),
    "halves of the block": (
        's[t] = t; asm volatile("bar.sync %0, %1;" :: "r"(1 + t / 32), "n"(32)); x = s[t ^ 31];',
        "s[t] = t; __barrier_sync_count(1 + t / 32, 32); x = s[t ^ 31];",
    ),
    "left by some": (
        'if (t < 32) { asm volatile("bar.sync 0;"); }',
        "if (t < 32) { __syncthreads(); }",
    ),
}
TABLES = {"ld": LOADS, "st": STORES, "@p": GUARDED, "atom": ATOMICS, "warp": WARPS, "bar": BARRIERS}


@pytest.mark.parametrize("schedule", ["lockstep", "warps", "reversed"])
@pytest.mark.parametrize(
    ("ptx", "cuda"),
    [pytest.param(*pair, id=f"{word} {name}") for word, table in TABLES.items() for name, pair in table.items()],
)
def test_the_same_as_in_cuda_c(ptx: str, cuda: str, schedule: str) -> None:
    first, second = run(ptx, schedule), run(cuda, schedule)
    assert summary(first) == summary(second)
    if "clock" not in ptx:  # which counts steps: there may be one more or fewer
        for name, expected in second.outputs.items():
            np.testing.assert_array_equal(first.outputs[name], expected, name)
