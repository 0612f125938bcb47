"""PTX's barriers in shared memory: producers that copy, consumers that wait, and what goes wrong without waiting."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.simt import Unwritten
from kernels.simt.libraries.inline_ptx.barriers import without_spin
from tests.kernels.simt.programs import trace

SCHEDULES = ("lockstep", "warps", "reversed", "shuffle:3")
TILES = 5

PIPELINE = """
__device__ unsigned at(const void *p) {{ return (unsigned)__cvta_generic_to_shared(p); }}
__device__ void arrive(unsigned long long *b) {{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(at(b)) : "memory");
}}
__device__ void wait(unsigned long long *b, int parity) {{
    asm volatile("{{\\n.reg .pred over;\\nagain:\\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\\n@!over bra again;\\n}}"
                 :: "r"(at(b)), "r"(parity) : "memory");
}}
__global__ void k(const float *in, float *out) {{
    __shared__ unsigned long long full[2], empty[2];
    __shared__ float s[2][32];
    int t = threadIdx.x;
    if (t < 2) {{
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(at(&full[t])), "r"(32) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(at(&empty[t])), "r"(32) : "memory");
    }}
    __syncthreads();
    if (t >= 32) {{
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        for (int i = 0; i < {tiles}; ++i) {{
            {wait_empty}
            const float *from = in + i * 32 + t - 32;
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at(&s[i % 2][t - 32])), "l"(from));
            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(at(&full[i % 2])) : "memory");
        }}
        return;
    }}
    float sum = 0;
    for (int i = 0; i < {tiles}; ++i) {{
        {wait_full}
        sum += s[i % 2][31 - t];
        arrive(&empty[i % 2]);
    }}
    out[t] = sum;
}}"""
WAIT_EMPTY = "if (i >= 2) wait(&empty[i % 2], i / 2 + 1 & 1);"
WAIT_FULL = "wait(&full[i % 2], i / 2 & 1);"
INPUT = np.arange(TILES * 32, dtype=np.float32)


def run(schedule: str, wait_empty: str = WAIT_EMPTY, wait_full: str = WAIT_FULL) -> tuple[np.ndarray, set[str]]:
    source = PIPELINE.format(tiles=TILES, wait_empty=wait_empty, wait_full=wait_full)
    found = trace(source, {"in": INPUT, "out": Unwritten("float32", (32,))}, block=(64,), schedule=schedule)
    return found.outputs["out"], {hazard.kind for hazard in found.hazards}


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_buffers_pass_from_producers_to_consumers_and_back(schedule: str) -> None:
    out, hazards = run(schedule)
    assert hazards == set()
    assert out.tolist() == INPUT.reshape(TILES, 32).sum(axis=0)[::-1].tolist()


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_without_waiting_for_the_copies_there_is_a_race(schedule: str) -> None:
    _, hazards = run(schedule, wait_full="")
    assert "data-race" in hazards


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_producers_that_run_ahead_end_phases_that_consumers_then_miss(schedule: str) -> None:
    _, hazards = run(schedule, wait_empty="")
    assert hazards == {"barrier-divergence"}


def test_a_copy_is_written_when_a_thread_has_waited_for_its_phase() -> None:
    source = PIPELINE.format(tiles=TILES, wait_empty=WAIT_EMPTY, wait_full=WAIT_FULL)
    found = trace(source, {"in": INPUT, "out": Unwritten("float32", (32,))}, block=(64,), schedule="warps")
    order = [
        (g.array.name, g.site.access)
        for step in range(found.steps)
        for g in found.accesses(step)
        if g.array.name in ("in", "s")
    ]
    assert order[:2] == [("in", "read"), ("in", "read")]  # both buffers are requested before one is written
    assert order.count(("s", "write")) == order.count(("s", "read")) == TILES


def test_arrivals_that_count_more_than_once() -> None:
    source = """__global__ void k(int *out) {
        __shared__ unsigned long long b; __shared__ int s[64];
        unsigned at = (unsigned)__cvta_generic_to_shared(&b); int t = threadIdx.x, done; unsigned long long state;
        if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" :: "r"(at));
        __syncthreads();
        s[t] = t;
        asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1], 2;" : "=l"(state) : "r"(at));
        do asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                        : "=r"(done) : "r"(at)); while (!done);
        out[t] = s[63 - t];
        __syncthreads();
        if (t == 0) asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(at));
    }"""
    found = trace(source, {"out": Unwritten("int32", (64,))}, block=(64,))
    assert found.hazards == ()
    assert found.outputs["out"].tolist() == list(range(63, -1, -1))


@pytest.mark.parametrize(
    "loop",
    [
        "again: mbarrier.try_wait.parity.b64 p, [%0], %1; @!p bra again;",
        "again:\n mbarrier.try_wait.parity.b64 p, [%0], %1;\n @p bra.uni done;\n bra again;\n done:",
    ],
)
def test_both_forms_of_a_loop_around_a_test_are_one_wait(loop: str) -> None:
    assert without_spin(f".reg .pred p; {loop} ").strip() == ".reg .pred p; mbarrier.try_wait.parity.b64 p, [%0], %1;"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%0], 0; }", "ptx instruction 'mbarrier.test_wait.shared"),
        ("mbarrier.arrive_drop.shared.b64 _, [%0];", "ptx instruction 'mbarrier.arrive_drop"),
        (
            "{ .reg .pred p; @p mbarrier.test_wait.parity.shared.b64 p, [%0], 0; }",
            "b64 without a guard",
        ),
        ("mbarrier.init.shared.b64 [%0];", "takes 2 operands, 1 are given"),
    ],
)
def test_unsupported_forms_are_refused(text: str, message: str) -> None:
    source = f"""__global__ void k(int *out) {{
        __shared__ unsigned long long b;
        asm volatile("{text}" :: "r"((unsigned)__cvta_generic_to_shared(&b)));
    }}"""
    with pytest.raises(SourceError, match=message):
        trace(source, {"out": Unwritten("int32", (1,))}, block=(32,))
