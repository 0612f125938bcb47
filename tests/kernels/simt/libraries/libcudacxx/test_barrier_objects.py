"""Barriers as objects: arriving and waiting apart, copies that end a phase, pipelines of blocks."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.recorder.instrument import instrument
from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace
from tests.sweeps import exhaustive

HEADERS = """#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_awbarrier_primitives.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;
"""
SCHEDULES = ("lockstep", "warps", "reversed", "shuffle:5")
TWO_SCHEDULES = ("lockstep", "reversed", *exhaustive("warps", "shuffle:5"))

APART = (
    HEADERS
    + """
__global__ void k(int *out) {{
    __shared__ barrier bar;
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t == 0) init(&bar, {count});
    __syncthreads();
    s[t] = t;
    {arrive}
    {between}
    {wait}
    out[t] = s[63 - t];
}}"""
)


@pytest.mark.parametrize("schedule", TWO_SCHEDULES)
@pytest.mark.parametrize(
    ("count", "arrive", "between", "wait", "kinds"),
    [
        (64, "auto token = bar.arrive();", "", "bar.wait(std::move(token));", set()),
        (
            64,
            "barrier::arrival_token token = bar.arrive();",
            "out[t] = 7;",
            "bar.wait(token);",
            set(),
        ),
        (64, "", "", "bar.wait(bar.arrive());", set()),
        (64, "", "", "bar.arrive_and_wait();", set()),
        (128, "", "", "bar.wait(bar.arrive(2));", set()),
        (64, "auto token = bar.arrive();", "out[t] = s[63 - t];", "bar.wait(token);", {"data-race"}),
        (64, "bar.arrive();", "", "", {"data-race"}),
        (64, "auto token = bar.arrive();", "s[t] = t + 1;", "bar.wait(token);", {"data-race"}),
        (32, "auto token = bar.arrive();", "", "bar.wait(token);", {"data-race"}),
        (65, "auto token = bar.arrive();", "", "bar.wait(token);", {"barrier-divergence"}),
    ],
)
def test_arrive_and_wait(count: int, arrive: str, between: str, wait: str, kinds: set[str], schedule: str) -> None:
    source = APART.format(count=count, arrive=arrive, between=between, wait=wait)
    found = trace(source, {"out": Unwritten("int32", (64,))}, block=(64,), schedule=schedule)
    assert {hazard.kind for hazard in found.hazards} == kinds
    if not kinds:
        assert found.outputs["out"].tolist() == list(range(63, -1, -1))


PRODUCERS = (
    HEADERS
    + """
__device__ void produce(barrier ready[], barrier filled[], float *buffer, const float *in, int rounds) {{
    for (int i = 0; i < rounds; ++i) {{
        {ready};
        buffer[i % 2 * 32 + threadIdx.x] = in[i * 32 + threadIdx.x];
        barrier::arrival_token token = filled[i % 2].arrive();
    }}
}}
__device__ void consume(barrier ready[], barrier filled[], float *buffer, float *out, int rounds) {{
    barrier::arrival_token first = ready[0].arrive();
    barrier::arrival_token second = ready[1].arrive();
    for (int i = 0; i < rounds; ++i) {{
        {filled};
        for (int t = threadIdx.x - 32; t < 32; t += 64) out[i * 32 + 31 - t] = buffer[i % 2 * 32 + t];
        barrier::arrival_token token = ready[i % 2].arrive();
    }}
}}
__global__ void k(const float *in, float *out, int rounds) {{
    __shared__ float buffer[64];
    __shared__ barrier bar[4];
    auto block = cg::this_thread_block();
    if (block.thread_rank() < 4) init(bar + block.thread_rank(), block.size());
    block.sync();
    if (block.thread_rank() < warpSize) produce(bar, bar + 2, buffer, in, rounds);
    else consume(bar, bar + 2, buffer, out, rounds);
}}"""
)


BOTH_WAIT = "ready[i % 2].arrive_and_wait()", "filled[i % 2].arrive_and_wait()"


@pytest.mark.parametrize(
    ("ready", "filled", "schedule", "kinds"),
    [
        *((*BOTH_WAIT, schedule, set()) for schedule in SCHEDULES),
        ("ready[i % 2].arrive()", "filled[i % 2].arrive_and_wait()", "lockstep", {"data-race"}),
        ("ready[i % 2].arrive_and_wait()", "filled[i % 2].arrive()", "lockstep", {"data-race"}),
    ],
)
def test_producers_and_consumers(ready: str, filled: str, schedule: str, kinds: set[str]) -> None:
    given = np.arange(160, dtype=np.float32)
    found = trace(
        PRODUCERS.format(ready=ready, filled=filled),
        {"in": given, "out": Unwritten("float32", (160,)), "rounds": 5},
        grid=(1,),
        block=(96,),
        schedule=schedule,
    )
    assert kinds <= {hazard.kind for hazard in found.hazards if hazard.array == "buffer"}
    if not kinds:
        assert found.hazards == ()
        assert found.outputs["out"].tolist() == given.reshape(5, 32)[:, ::-1].ravel().tolist()


COPIES = (
    HEADERS
    + """
__global__ void k(const int *in, int *out) {{
    __shared__ barrier bar;
    __shared__ int s[2][64];
    auto block = cg::this_thread_block();
    int t = threadIdx.x;
    if (t == 0) init(&bar, 64);
    block.sync();
    for (int i = 0; i < 4; ++i) {{
        {copy}
        {wait}
        out[i * 64 + t] = s[i % 2][63 - t];
        {after}
    }}
}}"""
)
WHOLE = "cuda::memcpy_async(block, s[i % 2], in + 64 * i, cuda::aligned_size_t<16>(256), bar);"
EACH = "cuda::memcpy_async(&s[i % 2][t], in + 64 * i + t, sizeof(int), bar);"


@pytest.mark.parametrize("schedule", TWO_SCHEDULES)
@pytest.mark.parametrize(
    ("copy", "wait", "after", "kinds"),
    [
        (WHOLE, "bar.arrive_and_wait();", "block.sync();", set()),
        (EACH, "bar.arrive_and_wait();", "block.sync();", set()),
        (EACH, "auto token = bar.arrive(); bar.wait(token);", "bar.arrive_and_wait();", set()),
        (WHOLE, "bar.arrive_and_wait();", "", set()),
        (WHOLE, "bar.arrive();", "block.sync();", {"data-race"}),
        (EACH, "block.sync();", "bar.arrive_and_wait();", {"data-race"}),
    ],
)
def test_copies_bound_to_a_barrier(copy: str, wait: str, after: str, kinds: set[str], schedule: str) -> None:
    given = np.arange(256, dtype=np.int32)
    found = trace(
        COPIES.format(copy=copy, wait=wait, after=after),
        {"in": given, "out": Unwritten("int32", (256,))},
        block=(64,),
        schedule=schedule,
    )
    assert {hazard.kind for hazard in found.hazards} == kinds
    if not kinds:
        assert found.outputs["out"].tolist() == given.reshape(4, 64)[:, ::-1].ravel().tolist()


PIPELINE = (
    HEADERS
    + """
template <int STAGES> __global__ void k(const int *in, int *out, int batches) {{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    __shared__ int s[STAGES][64];
    auto block = cg::this_thread_block();
    int t = block.thread_rank();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int i = 0, j = 0; i < batches; ++i) {{
        for (; j < batches && j < i + STAGES; ++j) {{
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[j % STAGES], in + 64 * j, sizeof(int) * block.size(), pipe);
            pipe.producer_commit();
        }}
        {wait}
        out[i * 64 + t] = s[i % STAGES][63 - t];
        {release}
    }}
}}"""
)


@pytest.mark.parametrize("schedule", TWO_SCHEDULES)
@pytest.mark.parametrize(
    ("wait", "release", "kinds"),
    [
        ("pipe.consumer_wait();", "pipe.consumer_release();", set()),
        ("", "pipe.consumer_release();", {"uninitialised-read"}),
        ("pipe.consumer_wait();", "", {"barrier-divergence"}),
        ("pipe.consumer_wait(); pipe.consumer_release();", "", {"data-race"}),
    ],
)
def test_pipeline_of_a_block(wait: str, release: str, kinds: set[str], schedule: str) -> None:
    given = np.arange(6 * 64, dtype=np.int32)
    found = trace(
        PIPELINE.format(wait=wait, release=release).replace("template <int STAGES>", "#define STAGES 2\n"),
        {"in": given, "out": Unwritten("int32", (6 * 64,)), "batches": 6},
        block=(64,),
        schedule=schedule,
    )
    assert kinds <= {hazard.kind for hazard in found.hazards}
    if not kinds:
        assert found.hazards == ()
        assert found.outputs["out"].tolist() == given.reshape(6, 64)[:, ::-1].ravel().tolist()


PARTED = (
    HEADERS
    + """
__global__ void k(const int *in, int *out, int batches) {{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int s[2][32];
    auto block = cg::this_thread_block();
    int t = block.thread_rank();
    auto pipe = cuda::make_pipeline(block, &state, {role});
    if (t < 32) {{
        for (int i = 0; i < batches; ++i) {{
            pipe.producer_acquire();
            cuda::memcpy_async(&s[i % 2][t], in + 32 * i + t, sizeof(int), pipe);
            pipe.producer_commit();
        }}
    }} else {{
        for (int i = 0; i < batches; ++i) {{
            pipe.consumer_wait();
            out[i * 32 + t - 32] = s[i % 2][63 - t];
            pipe.consumer_release();
        }}
    }}
}}"""
)


@pytest.mark.parametrize("schedule", TWO_SCHEDULES)
@pytest.mark.parametrize("role", ["32", "t < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer"])
def test_pipeline_with_roles(role: str, schedule: str) -> None:
    given = np.arange(5 * 32, dtype=np.int32)
    found = trace(
        PARTED.format(role=role),
        {"in": given, "out": Unwritten("int32", (5 * 32,)), "batches": 5},
        block=(64,),
        schedule=schedule,
    )
    assert found.hazards == ()
    assert found.outputs["out"].tolist() == given.reshape(5, 32)[:, ::-1].ravel().tolist()


def test_barriers_lie_in_shared_memory() -> None:
    source = HEADERS + "__global__ void k(barrier *bar) {\nbar->arrive();\n}"
    with pytest.raises(SourceError, match="barrier outside of shared memory; declare it __shared__"):
        trace(source, {"bar": np.zeros(1, np.uint64)})


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("__shared__ barrier bar; bar.arrive();", "a barrier of part of a block"),
        ("__barrier_sync_count(1, 64);", "a barrier of part of a block"),
        ("if (out[0]) goto end; out[1] = 1; end: ;", "goto"),
    ],
)
def test_kernels_that_are_not_recorded_on_a_gpu(body: str, what: str) -> None:
    program = parse(HEADERS + f"__global__ void k(int *out) {{ {body} }}", "test.cu")
    given = {"out": np.zeros(2, np.int32)}
    with pytest.raises(SourceError, match=f"{what} cannot be recorded on a GPU: trace the kernel without --on-gpu"):
        instrument(program, program.kernels[0], Launch(Dim3(1), Dim3(64)), given)
