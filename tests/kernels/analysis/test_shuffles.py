"""Sources of shuffles, against the values that the run has recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.analysis import playlist
from kernels.analysis.values.registers import last_assignment
from kernels.analysis.values.shuffles import shuffles_at
from kernels.narration.narrate import describe
from tests.cases import Cases
from tests.kernels.analysis.traces import catalogue, source, step_of

if TYPE_CHECKING:
    from kernels.analysis.values.shuffles import Shuffle
    from kernels.trace import Trace

CASES = Cases(__file__)

SCHEDULES = ("lockstep", "warps", "reversed")
FULL = "0xffffffff"


def of_body(body: str, threads: int = 64, schedule: str = "lockstep") -> Trace:
    text = f"""#include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        __global__ void k(int *a) {{
            int t = threadIdx.x;
            int v = a[blockIdx.x * {threads} + t], r = 0;
            {body}
            a[blockIdx.x * {threads} + t] = r; }}"""
    return source(text, "2", f"{threads}", f"a=i32[{2 * threads}]:iota", schedule=schedule)


def register(trace: Trace, name: str, step: int, lanes: np.ndarray) -> list[int]:
    number = next(n for n, r in enumerate(trace.registers) if r.name == name)
    found: list[int] = last_assignment(trace, number, step, lanes.astype(np.int32)).values.tolist()
    return found


def shuffles_of(trace: Trace, block: int) -> list[tuple[int, Shuffle]]:
    steps = trace.block_steps(block).tolist()
    return [(step, shuffle) for step in steps for shuffle in shuffles_at(trace, step, block)]


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("call", CASES("calls"))
def test_each_lane_gets_the_value_that_its_source_had(call: str, schedule: str) -> None:
    tile = "auto w = cg::tiled_partition<16>(cg::this_thread_block());" if "cg::" in call else ""
    call = call.replace("cg::tiled_partition<16>(cg::this_thread_block())", "w")
    trace = of_body(f"{tile} for (int d = 16; d > 0; d /= 2) r += {call};", schedule=schedule)
    for block in (0, 1):
        found = shuffles_of(trace, block)
        assert sum(len(shuffle.lanes) for _, shuffle in found) == 5 * 64
        for step, shuffle in found:
            before, after = (register(trace, "r", at, shuffle.lanes) for at in (step - 1, step))
            read = register(trace, "v", step - 1, shuffle.sources)
            assert [a + b for a, b in zip(before, read, strict=True)] == after
            assert not shuffle.undefined.any()


def test_lanes_in_another_branch_are_no_sources() -> None:
    trace = of_body("if (t % 32 < 16) r = __shfl_down_sync(0xffff, v, 1);", 32)
    ((_, shuffle),) = shuffles_of(trace, 0)
    assert shuffle.lanes.tolist() == list(range(16))
    assert shuffle.sources.tolist() == list(range(1, 17))
    assert shuffle.lanes[shuffle.undefined].tolist() == [15]
    assert {hazard.kind for hazard in trace.hazards} == {"inactive-shuffle"}


def test_a_lane_that_the_mask_does_not_name_is_no_source() -> None:
    ((_, shuffle),) = shuffles_of(of_body("r = __shfl_sync(0xff, v, t < 8 ? 0 : 9);", 32), 0)
    assert shuffle.lanes[shuffle.undefined].tolist() == list(range(8, 32))


def test_only_the_lanes_that_evaluate_the_call_take_part() -> None:
    ((_, shuffle),) = shuffles_of(of_body("r = t < 16 ? __shfl_xor_sync(0xffff, v, 1) : 3;", 32), 0)
    assert shuffle.lanes.tolist() == list(range(16))
    assert shuffle.sources.tolist() == [lane ^ 1 for lane in range(16)]


def test_lanes_that_arrive_one_by_one_have_their_sources() -> None:
    trace = of_body("if (t % 2) r = __shfl_xor_sync(~0u, v, 1); else r = __shfl_xor_sync(~0u, v, 1);", 32)
    assert trace.hazards == ()
    found = shuffles_of(trace, 0)
    sources = {
        int(lane): int(s) for _, shuffle in found for lane, s in zip(shuffle.lanes, shuffle.sources, strict=True)
    }
    assert sources == {lane: lane ^ 1 for lane in range(32)}
    assert not any(shuffle.undefined.any() for _, shuffle in found)


def test_a_distance_that_is_read_from_memory_is_left_out() -> None:
    assert shuffles_of(of_body(f"r = __shfl_sync({FULL}, v, a[t]);", 32), 0) == []


def test_operands_may_count_bits() -> None:
    trace = catalogue("kmeans_update_warp")
    found = shuffles_of(trace, 0)
    assert found
    for step, shuffle in found:
        assert register(trace, "x", step - 1, shuffle.sources) == register(trace, "other", step, shuffle.lanes)


def test_shuffles_are_steps_of_the_playlist() -> None:
    trace = of_body(f"for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync({FULL}, v, d); r = v;", 32)
    shown = [trace.statement(frame.step).text for frame in playlist(trace, "memory").frames if frame.block == 0]
    assert [text.partition("[")[0] for text in shown] == [
        "int v = a",
        *[f"v += __shfl_down_sync({FULL}, v, d);"] * 5,
        "a",
    ]


@pytest.mark.parametrize(("body", "threads", "caption"), CASES("captions"))
def test_the_caption_names_the_lane_that_is_read(body: str, threads: int, caption: str) -> None:
    trace = of_body(body, threads)
    step = step_of(trace, body.partition(") ")[2] if body.startswith("if") else body)
    assert describe(trace, step, 0).text == f"Block 0, {caption}"
