"""Inline PTX as a statement: its step, its operands, and what it leaves behind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.kernels.simt.libraries.inline_ptx.assembly import FLOATS, THREADS, run
from tests.kernels.simt.programs import trace


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


def test_an_own_register_may_have_the_name_of_a_variable() -> None:
    body = """unsigned place; void *where = s + 2 * t;
    asm("{ .reg .u64 place; cvta.to.shared.u64 place, %1; cvt.u32.u64 %0, place; }" : "=r"(place) : "l"(where));
    asm("{ .reg .s32 n, m; mov.s32 m, %1; add.s32 n, m, 5; mov.s32 %0, n; }" : "=r"(n) : "r"(t));
    asm("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(place)); m = 1;"""
    found = run(body)
    assert found.hazards == ()
    assert found.outputs["out"].tolist() == FLOATS[0:128:2].tolist()
    assert found.outputs["numbers"].tolist() == [t + 8 for t in range(64)]


def test_an_own_register_that_has_no_value() -> None:
    found = run('asm("{ .reg .s32 v; add.s32 %0, v, 1; }" : "=r"(n));')
    assert [h.kind for h in found.hazards] == ["uninitialised-read"]
    assert "uses v, which has no value yet" in found.hazards[0].message


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
        "data": np.zeros(1, np.int32),
        "flags": np.zeros(1, np.uint32),
        "out": np.zeros(64, np.int32),
    }
    found = trace(source, given, block=(64,), schedule="warps")
    assert [h.kind for h in found.hazards] == []
    assert found.outputs["out"][1:].tolist() == [5] * 63
    plain = trace(source.replace(".release", ".relaxed"), given, block=(64,), schedule="warps")
    assert [h.kind for h in plain.hazards] == ["data-race"]


def test_predicates_and_registers_with_copies_and_matrices() -> None:
    """An instruction that is compiled from its text takes registers as others do."""
    copy = """{ .reg .pred p; .reg .u64 from; setp.lt.s32 p, %2, 40; mov.u64 from, %1;
        @p cp.async.ca.shared.global [%0], [from], 4;
        cp.async.commit_group; cp.async.wait_group 0; }"""
    found = run(f'asm("{" ".join(copy.split())}" :: "r"(at + 4 * t), "l"(A + 64 + t), "r"(t)); x = s[t];')
    assert found.hazards == ()
    assert found.outputs["out"].tolist() == [*FLOATS[64:104].tolist(), *FLOATS[40:64].tolist()]
