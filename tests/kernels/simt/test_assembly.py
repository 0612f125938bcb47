"""Inline PTX does what the same lines of CUDA C do: the same accesses, results and hazards."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.gpu.instrument import instrument
from kernels.launch import Dim3, Launch
from kernels.simt import Unwritten
from kernels.source import parse
from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from kernels.trace import Trace

THREADS = 64
FLOATS = (np.arange(256, dtype=np.float32) * 7 % 97) - 48
WORDS = (np.arange(256, dtype=np.uint32) * 2654435761 % 4294967291).astype(np.int32)


def run(body: str, schedule: str = "lockstep") -> Trace:
    source = f"""__global__ void k(const float *A, int *W, float *out, int *numbers) {{
        __shared__ __align__(16) float s[256]; int t = threadIdx.x;
        s[t] = A[t]; s[t + 64] = A[t + 64]; s[t + 128] = A[t + 128]; s[t + 192] = A[t + 192];
        __syncthreads();
        unsigned at = (unsigned)__cvta_generic_to_shared(s);
        float x = 0, y = 0, z = 0, w = 0; int n = 0, m = 0;
        {body}
        out[t] = x + 2 * y + 4 * z + 8 * w; numbers[t] = n + 3 * m; }}"""
    given: dict[str, Any] = {
        "A": FLOATS,
        "W": WORDS.copy(),
        "out": Unwritten("float32", (THREADS,)),
        "numbers": Unwritten("int32", (THREADS,)),
    }
    return trace(source, given, block=(THREADS,), schedule=schedule)


def told(found: Trace) -> list[Any]:
    """Return what a trace tells but for where it stands in the source."""
    accesses = [
        (
            group.array.name, group.site.access, group.site.width, group.lanes.tolist(),
            group.elements.tolist(),
        )
        for group in map(found.group, range(len(found.group_step)))
    ]  # fmt: skip
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
    "a policy of the cache": (
        """asm("{ .reg .b64 p; createpolicy.fractional.L2::evict_first.b64 p, 1.0;"
            "ld.global.L2::cache_hint.v2.f32 {%0, %1}, [%2], p; }" : "=f"(x), "=f"(y) : "l"(A + 2 * t));""",
        "float2 v = *(const float2 *)(A + 2 * t); x = v.x; y = v.y;",
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
        'asm("atom.global.add.u32 %0, [%1], %2;" : "=r"(n) : "l"(W + t % 4), "r"(t));',
        "n = atomicAdd(W + t % 4, t);",
    ),
    "red": (
        'asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" :: "l"((float *)out), "f"(1.0f));',
        "atomicAdd((float *)out, 1.0f);",
    ),
    "max": ('asm("red.global.max.s32 [%0], %1;" :: "l"(W + 1), "r"(t));', "atomicMax(W + 1, t);"),
    "cas": (
        'asm("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(n) : "l"(W + t), "r"(0), "r"(t));',
        "n = atomicCAS((unsigned *)(W + t), 0u, (unsigned)t);",
    ),
    "exch in shared": (
        'asm("atom.shared.exch.b32 %0, [%1], %2;" : "=r"(n) : "r"(at + 4 * (t / 2)), "r"(t));',
        "n = atomicExch((int *)(s + t / 2), t);",
    ),
    "inc": ('asm("atom.global.inc.u32 %0, [%1], 5;" : "=r"(n) : "l"(W));', "n = atomicInc((unsigned *)W, 5);"),
}  # fmt: skip
WARPS = {
    "shfl.down": (
        'asm("shfl.sync.down.b32 %0, %1, 3, 0x1f, 0xffffffff;" : "=r"(n) : "r"(t));',
        "n = __shfl_down_sync(0xffffffff, t, 3);",
    ),
    "shfl.bfly in parts": (
        'asm("shfl.sync.bfly.b32 %0, %1, 5, 0x181f, -1;" : "=r"(n) : "r"(t));',
        "n = __shfl_xor_sync(0xffffffff, t, 5, 8);",
    ),
    "shfl.up with its predicate": (
        """n = t; asm("{ .reg .u32 r; .reg .pred p; shfl.sync.up.b32 r|p, %0, 2, 0x0, 0xffffffff;"
            "@p add.u32 r, r, %0; @p mov.u32 %0, r; }" : "+r"(n));""",
        "n = t; int r = __shfl_up_sync(0xffffffff, n, 2); if (t % 32 >= 2) n += r;",
    ),
    "shfl of a float": (
        'asm("shfl.sync.idx.b32 %0, %1, 0, 31, 0xffffffff;" : "=f"(x) : "f"(A[t]));',
        "x = __shfl_sync(0xffffffff, A[t], 0);",
    ),
    "ballot": (
        """asm("{ .reg .pred p; setp.gt.f32 p, %1, 0f00000000; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
            : "=r"(n) : "f"(A[t]));""",
        "n = __ballot_sync(0xffffffff, A[t] > 0);",
    ),
    "any": (
        """asm("{ .reg .pred p, q; setp.eq.s32 p, %1, 40; vote.sync.any.pred q, !p, 0xffffffff;"
            "selp.s32 %0, 1, 0, q; }" : "=r"(n) : "r"(t));""",
        "n = __any_sync(0xffffffff, t != 40);",
    ),
    "activemask": ('if (t % 2) asm("activemask.b32 %0;" : "=r"(n));', "if (t % 2) n = __activemask();"),
    "redux": (
        'asm("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(n) : "r"(t));',
        "n = __reduce_add_sync(0xffffffff, t);",
    ),
    "match": (
        'asm("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(n) : "r"(t % 3));',
        "n = __match_any_sync(0xffffffff, t % 3);",
    ),
    "elect": (
        """n = 0; asm("{ .reg .b32 r; .reg .pred p; elect.sync r|p, 0xfffffff0; @p mov.u32 %0, 1; }" : "+r"(n));""",
        "n = t % 32 == 4;",
    ),
    "a lane that is not there": (
        'if (t % 2) asm("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xaaaaaaaa;" : "=r"(n) : "r"(t));',
        "if (t % 2) n = __shfl_xor_sync(0xaaaaaaaa, t, 1);",
    ),
    "bar.warp.sync": (
        's[t] = t; asm volatile("bar.warp.sync 0xffffffff;"); x = s[t ^ 1];',
        "s[t] = t; __syncwarp(0xffffffff); x = s[t ^ 1];",
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
        "s[t] = t; __syncthreads(); x = s[63 - t];",
    ),
    "clock": (
        's[t] = t; asm volatile("bar.sync 0; mov.u32 %0, %%clock;" : "=r"(n)); x = s[63 - t];',
        "s[t] = t; __syncthreads(); n = clock(); x = s[63 - t];",
    ),
    "count": (
        """asm("{ .reg .pred p; setp.lt.s32 p, %1, 9; bar.red.popc.u32 %0, 0, p; }" : "=r"(n) : "r"(t));""",
        "n = __syncthreads_count(t < 9);",
    ),
    "or": (
        """asm("{ .reg .pred p, q; setp.lt.s32 p, %1, 9; bar.red.or.pred q, 4, p; selp.s32 %0, 1, 0, q; }"
            : "=r"(n) : "r"(t));""",
        "n = __syncthreads_or(t < 9);",
    ),
    "halves of the block": (
        's[t] = t; asm volatile("bar.sync %0, %1;" :: "r"(1 + t / 32), "n"(32)); x = s[t ^ 31];',
        "s[t] = t; __barrier_sync_count(1 + t / 32, 32); x = s[t ^ 31];",
    ),
    "left by some": (
        'if (t < 32) { asm volatile("bar.sync 0;"); }',
        "if (t < 32) { __syncthreads(); }",
    ),
    "nothing": (
        'asm volatile("prefetch.global.L2 [%0]; nanosleep.u32 20;" :: "l"(A)); asm("" ::: "memory"); x = 1;',
        "0; 0; x = 1;",
    ),
    "fence": (
        'W[t] = 1; asm volatile("membar.gl;" ::: "memory"); atomicAdd(W + 100, 1);',
        "W[t] = 1; __threadfence(); atomicAdd(W + 100, 1);",
    ),
}
TABLES = {"ld": LOADS, "st": STORES, "@p": GUARDED, "atom": ATOMICS, "warp": WARPS, "bar": BARRIERS}


@pytest.mark.parametrize("schedule", ["lockstep", "warps", "reversed"])
@pytest.mark.parametrize(
    ("ptx", "cuda"),
    [
        pytest.param(*pair, id=f"{word} {name}")
        for word, table in TABLES.items()
        for name, pair in table.items()
    ],
)
def test_the_same_as_in_cuda_c(ptx: str, cuda: str, schedule: str) -> None:
    first, second = run(ptx, schedule), run(cuda, schedule)
    assert told(first) == told(second)
    if "clock" not in ptx:  # which counts steps: there may be one more or fewer
        for name, expected in second.outputs.items():
            np.testing.assert_array_equal(first.outputs[name], expected, name)


def test_an_asm_is_one_step_and_its_accesses_stand_at_its_line() -> None:
    found = run('x = 1;\nasm("ld.global.v2.f32 {%0, %1}, [%2];"\n: "=f"(x), "=f"(y) : "l"(A + 2 * t));')
    (statement,) = {n for n, one in enumerate(found.statements) if one.text.startswith("asm")}
    assert (found.step_statement == statement).sum() == 1
    (site,) = [site for site in found.sites if site.statement == statement]
    assert (site.span.line, site.access, site.width) == (found.statements[statement].span.line, "read", 2)


def test_a_barrier_alone_is_a_barrier_and_nothing_else() -> None:
    found = run('asm volatile("bar.sync 0;");')
    assert [one.kind for one in found.statements if one.text.startswith("asm")] == ["barrier"]


def test_the_inputs_are_read_before_the_outputs_are_written() -> None:
    found = run('n = t; asm("add.s32 %0, %2, 1; add.s32 %1, %2, 2;" : "=r"(n), "=r"(m) : "r"(n));')
    assert found.outputs["numbers"].tolist() == [t + 1 + 3 * (t + 2) for t in range(THREADS)]


@pytest.mark.parametrize(
    ("body", "lanes"),
    [
        ("float v; {load} x = v;", True),  # the lanes that are not let through have nothing
        ("float v = 1; {load} x = v;", False),  # what they had is gone, as it may be on a GPU
        ("float v; {load} if (t < 5) x = v;", False),
    ],
)
def test_an_output_that_no_instruction_wrote(body: str, lanes: bool) -> None:
    load = """asm("{ .reg .pred p; setp.lt.s32 p, %1, 5; @p ld.global.f32 %0, [%2]; }"
        : "=f"(v) : "r"(t), "l"(A + t));"""
    found = run(body.replace("{load}", load))
    assert ("uninitialised-read" in [h.kind for h in found.hazards]) == lanes
    kept = found.outputs["out"]
    assert kept[:5].tolist() == FLOATS[:5].tolist()
    assert np.isnan(kept[5:]).all() or "if (t" in body


def test_an_output_that_is_read_first_has_no_value() -> None:
    found = run('asm("bar.sync %0; mov.u32 %0, 1;" : "=r"(n));')
    assert "uninitialised-read" in [h.kind for h in found.hazards]


def test_an_own_register_that_has_no_value() -> None:
    found = run('asm("{ .reg .s32 v; add.s32 %0, v, 1; }" : "=r"(n));')
    assert [h.kind for h in found.hazards] == ["uninitialised-read"]
    assert "uses v, which has no value yet" in found.hazards[0].message


def test_exit_ends_the_thread() -> None:
    found = run('n = 1; asm("{ .reg .pred p; setp.ge.s32 p, %0, 40; @p exit; }" :: "r"(t));')
    assert [h.kind for h in found.hazards] == ["result-never-written"] * 2
    assert found.outputs["numbers"][:40].tolist() == [1] * 40
    with pytest.raises(SourceError, match="'exit' outside of a kernel"):
        trace('__device__ void f() { asm("exit;"); }\n__global__ void k() { f(); }')


@pytest.mark.parametrize("space", ["global", "shared"])
def test_release_and_acquire_order_what_threads_do(space: str) -> None:
    """A store that releases is a fence in front of an atomic store."""
    scope = "gpu" if space == "global" else "cta"
    flag = '"l"(flags)' if space == "global" else '"r"((unsigned)__cvta_generic_to_shared(&flag))'
    source = f"""__global__ void k(int *data, unsigned *flags, int *out) {{
        __shared__ unsigned flag; if (threadIdx.x == 0) {{ flag = 0; }} __syncthreads();
        if (threadIdx.x == 0) {{
            data[0] = 5;
            asm volatile("st.release.{scope}.{space}.u32 [%0], %1;" :: {flag}, "r"(1) : "memory");
        }} else {{
            unsigned seen = 0;
            while (!seen)
                asm volatile("ld.acquire.{scope}.{space}.u32 %0, [%1];" : "=r"(seen) : {flag} : "memory");
            out[threadIdx.x] = data[0];
        }} }}"""
    given: dict[str, Any] = {
        "data": np.zeros(1, np.int32), "flags": np.zeros(1, np.uint32), "out": np.zeros(64, np.int32),
    }  # fmt: skip
    found = trace(source, given, block=(64,), schedule="warps")
    assert [h.kind for h in found.hazards] == []
    assert found.outputs["out"][1:].tolist() == [5] * 63
    plain = trace(source.replace(".release", ".relaxed"), given, block=(64,), schedule="warps")
    assert [h.kind for h in plain.hazards] == ["data-race"]


def test_predicates_and_registers_with_copies_and_matrices() -> None:
    """An instruction that is compiled from its text takes registers as others do."""
    copy = """{ .reg .pred p; .reg .u64 from, hint; setp.lt.s32 p, %2, 40; mov.u64 from, %1;
        createpolicy.fractional.L2::evict_last.b64 hint, 1.0;
        @p cp.async.ca.shared.global.L2::cache_hint [%0], [from], 4, hint;
        cp.async.commit_group; cp.async.wait_group 0; }"""
    found = run(f'asm("{" ".join(copy.split())}" :: "r"(at + 4 * t), "l"(A + 64 + t), "r"(t)); x = s[t];')
    assert found.hazards == ()
    assert found.outputs["out"].tolist() == [*FLOATS[64:104].tolist(), *FLOATS[40:64].tolist()]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ('asm("wgmma.fence.sync.aligned;");', "not supported: ptx instruction 'wgmma.fence.sync.aligned'; supported"),
        ('asm("add.cc.u32 %0, %0, 1;" : "+r"(n));', "not supported: ptx instruction 'add.cc.u32'; supported are"),
        ('asm("lop3.lut %0, %0, %0, %0, 3;" : "+r"(n));', "not supported: ptx instruction 'lop3.lut'"),
        ('asm("again: bra again;");', "label 'again'; write it in CUDA C"),
        ('asm("mov.u32 %0, %%envreg3;" : "=r"(n));', "not supported: ptx special register '%envreg3'"),
        ('asm("mov.u32 %0, %5;" : "=r"(n));', "not supported: ptx name '%5'"),
        ('asm("mov.u32 %0, other;" : "=r"(n));', "not supported: ptx name 'other'"),
        ('asm("mov.u64 %0, %1;" : "=l"(*(long long *)W) : "f"(x));', "register %1 holds float, this instruction takes"),
        ('asm("add.f64 %0, %1, %1;" : "=r"(n) : "r"(n));', "register %1 holds unsigned int, this instruction takes"),
        ('asm("add.u32 %0, %1;" : "=r"(n) : "r"(n));', "add.u32 takes 3 operands, 2 are given"),
        ('asm("add.u32 %0, %1, [%1];" : "=r"(n) : "r"(n));', "takes registers, not these operands"),
        ('asm("add.u32 %0, %0, 1;" :: "r"(n));', "writes %0, which is no output"),
        ('asm("add.u32 %0, !%0, 1;" : "+r"(n));', "!%0: only predicates are negated so"),
        ('asm("mov.u32 %0, 1;" : "=r"(x));', "this output of asm is unsigned int, not float"),
        ('asm("mov.u32 %0, %1;" : "=r"(n) : "r"(A));', "this operand of asm is unsigned int, not const float *"),
        ('asm("mov.u32 %0, %1;" : "=r"(n) : "x"(n));', 'operand "x" of asm; "h", "r", "l", "f", "d" and "n"'),
        ('asm("mov.u32 %0, %1;" : "=r"(n) : "n"(t));', "must be known when it is compiled"),
        ('asm("ld.shared.f32 %0, [%1];" : "=f"(x) : "l"(s + t));', "'s', which is shared memory; take its address"),
        ('asm("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(s + t));', "'s', which is shared memory; leave out .global"),
        ('asm("ld.param.f32 %0, [%1];" : "=f"(x) : "l"(A));', "ptx instruction 'ld.param.f32'"),
        ('asm("ld.global.v2.f32 %0, [%1];" : "=f"(x) : "l"(A));', "2 registers belong here, 1 are given"),
        ('asm("ld.global.f32 %0, %1;" : "=f"(x) : "l"(A));', "an address stands in brackets"),
        ('asm("st.global.f32 [%0], %1;" :: "l"(A), "f"(x));', "const"),
        ('asm("atom.global.add.s64 %0, [%1], %0;" : "+l"(*(long long *)W) : "l"(W));', "'atom.global.add.s64'"),
        ('asm("{ .reg .pred p; setp.eq.s32 p, 1, 1; bar.red.popc.u32 %0, 0, 32, p; }" : "=r"(n));',
         "not supported: bar.red of a part of the block"),
        ('asm("bar.sync 16;");', "a block's barriers have the numbers 0 to 15, not 16"),
        ('asm("membar.gl 3;");', "membar.gl takes 0 operands, 1 are given"),
        ('asm("prefetch.global.L3 [%0];" :: "l"(A));', "ptx instruction 'prefetch.global.L3'"),
        ('asm("ld.global.global.f32 %0, [%1];" : "=f"(x) : "l"(A));', "ptx instruction 'ld.global.global.f32'"),
        ('asm("bar.sync 1, 20;");', "a barrier waits for whole warps, not for 20 threads"),
        ('asm("ld.f32 %0, [%0];" : "+f"(x));', "%0 holds float, which is no address"),
        ('asm("ld.global.f32 %0, [%1];" : "=f"(x) : "r"(at));', "holds unsigned int, which is no address of .global"),
        ('asm("bar.sync 0");', "';' is missing before 'its end'; write it in CUDA C"),
        ('asm("bar.arrive 1, 64;");', "not supported: ptx instruction 'bar.arrive'"),
        ('asm("{ .reg .pred p; setp.eq.s32 p, 1, 1; @p bar.sync 0; }");', "write bar.sync without a guard"),
        ('asm("shfl.sync.down.b32 %0, %0, 1, 0, -1;" : "+r"(n));', "shfl.down with 0x0; give (32 - width) << 8 with"),
        ('asm("trap;");', "not supported: __trap(), which ends the grid"),
        ('asm("cvt.rz.f32.s32 %0, %1;" : "=f"(x) : "r"(n));', "ptx instruction 'cvt.rz.f32.s32'"),
        ('asm(".reg .b128 q; mov.u32 %0, 1;" : "=r"(n));', "ptx register of type .b128"),
    ],
)  # fmt: skip
def test_what_is_refused(body: str, says: str) -> None:
    with pytest.raises(SourceError, match=re.escape(says)) as caught:
        run(f"\n{body}")
    assert "test.cu:8:" in str(caught.value)


def test_a_gpu_run_is_refused() -> None:
    source = '__global__ void k(int *r) { int n;\nasm("mov.u32 %0, 1;" : "=r"(n)); r[0] = n; }'
    program = parse(source, "test.cu")
    with pytest.raises(SourceError, match=r'test.cu:2:1: not supported: asm\("mov.u32 …"\) on a GPU'):
        instrument(program, program.kernels[0], Launch(Dim3(1), Dim3(1)), {"r": Unwritten("int32", (1,))})
