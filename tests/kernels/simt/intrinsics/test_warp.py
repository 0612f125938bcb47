"""Shuffles, votes, matches and reductions, against plain Python, warp by warp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.trace import Trace

FULL = "0xffffffff"
SCHEDULES = ("lockstep", "warps", "reversed", "shuffle:3")
TYPES = {"int": "int32", "unsigned": "uint32", "long long": "int64", "float": "float32", "double": "float64"}


def run(body: str, kind: str = "int", threads: int = 64, schedule: str = "lockstep", grid: int = 2) -> Trace:
    """Each thread leaves `r` in out; `t` is its number in the block, `v` a value of its own."""
    source = f"""__global__ void k({kind} *out) {{
        int t = threadIdx.x + threadIdx.y * blockDim.x;
        int g = blockIdx.x * blockDim.x * blockDim.y + t;
        {kind} v = ({kind})(g * 7 + 3);
        {kind} r = 0;
        {body}
        out[g] = r;
    }}"""
    out = Unwritten(TYPES[kind], (grid * threads,))
    return trace(source, {"out": out}, grid=(grid,), block=(threads // 8, 8), schedule=schedule)


def values(kind: str, threads: int = 64, grid: int = 2) -> list[list[Any]]:
    """`v` of each lane, warp by warp."""
    dtype, rows = np.dtype(TYPES[kind]), []
    for block in range(grid):
        own = [dtype.type((block * threads + t) * 7 + 3).item() for t in range(threads)]
        rows += [own[first : first + 32] for first in range(0, threads, 32)]
    return rows


def expect(found: Trace, expected: list[list[Any]]) -> None:
    assert found.hazards == ()
    assert found.outputs["out"].tolist() == [value for row in expected for value in row]


def source_lane(way: str, lane: int, by: int, width: int) -> int:
    """Whose value a lane takes, as the CUDA C++ Programming Guide words it, section by section."""
    first, place = lane // width * width, lane % width
    if way == "":
        return first + by % width
    if way == "_xor":  # may reach into earlier sections, never into later ones
        return lane ^ by if (lane ^ by) < first + width else lane
    other = place - by if way == "_up" else place + by
    return first + other if 0 <= other < width else lane


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("way", ["", "_up", "_down", "_xor"])
@pytest.mark.parametrize(("by", "width"), [(1, 32), (5, 32), (16, 32), (3, 8), (9, 8), (31, 32), (0, 1)])
def test_shuffles_take_the_value_of_another_lane(way: str, by: int, width: int, schedule: str) -> None:
    found = run(f"r = __shfl{way}_sync({FULL}, v, {by}, {width});", schedule=schedule)
    lanes = [source_lane(way, lane, by, width) for lane in range(32)]
    expect(found, [[row[lane] for lane in lanes] for row in values("int")])


@pytest.mark.parametrize("kind", TYPES)
def test_shuffles_of_every_type(kind: str) -> None:
    found = run(f"r = __shfl_down_sync({FULL}, v, 4);", kind)
    expect(found, [row[4:] + row[28:] for row in values(kind)])


def test_each_lane_may_choose_whom_it_reads() -> None:
    found = run(f"r = __shfl_sync({FULL}, v, (t * 5 + 2) % 32);")
    expect(found, [[row[(lane * 5 + 2) % 32] for lane in range(32)] for row in values("int")])


def test_shuffles_without_mask() -> None:
    expect(
        run("r = __shfl_up(v, 1) + __shfl(v, 0);"),
        [[row[max(lane - 1, 0)] + row[0] if lane else row[0] * 2 for lane in range(32)] for row in values("int")],
    )


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_warp_adds_its_values(schedule: str) -> None:
    body = f"for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync({FULL}, v, d); r = v;"
    expect(run(body, schedule=schedule), [[sum(row)] * 32 for row in values("int")])


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_half_a_warp_adds_its_values(schedule: str) -> None:
    body = "if (t % 32 < 16) { for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(0xffff, v, d, 16); r = v; }"
    found = run(body, schedule=schedule)
    assert found.hazards == ()
    assert found.outputs["out"][::32].tolist() == [sum(row[:16]) for row in values("int")]


def word(chosen: list[bool]) -> int:
    """Bits of the lanes chosen."""
    return sum(1 << lane for lane, bit in enumerate(chosen) if bit)


VOTES: list[tuple[str, Callable[[list[int]], list[int]]]] = [
    (f"__ballot_sync({FULL}, v % 3 == 0)", lambda row: [word([v % 3 == 0 for v in row])] * 32),
    ("__ballot_sync(0xffff, v % 3 == 0)", lambda row: [word([v % 3 == 0 for v in row[:16]])] * 32),
    (f"__ballot_sync({FULL}, 1)", lambda row: [2**32 - 1] * 32),
    (f"__ballot_sync({FULL}, 0)", lambda row: [0] * 32),
    (f"__any_sync({FULL}, v == 3)", lambda row: [int(3 in row)] * 32),
    (f"__all_sync({FULL}, v > 3)", lambda row: [int(min(row) > 3)] * 32),
    ("__any(v == 3) + 2 * __all(v > 3)", lambda row: [int(3 in row) + 2 * int(min(row) > 3)] * 32),
    ("__ballot(v & 1)", lambda row: [word([v & 1 == 1 for v in row])] * 32),
    ("__activemask()", lambda row: [2**32 - 1] * 32),
    (f"__match_any_sync({FULL}, v % 5)", lambda row: [word([w % 5 == v % 5 for w in row]) for v in row]),
    (f"__reduce_add_sync({FULL}, v)", lambda row: [sum(row)] * 32),
    (f"__reduce_min_sync({FULL}, v)", lambda row: [min(row)] * 32),
    (f"__reduce_max_sync({FULL}, v)", lambda row: [max(row)] * 32),
    (f"__reduce_and_sync({FULL}, v | 8)", lambda row: [int(np.bitwise_and.reduce(np.array(row) | 8))] * 32),
    (f"__reduce_or_sync({FULL}, v)", lambda row: [int(np.bitwise_or.reduce(row))] * 32),
    (f"__reduce_xor_sync({FULL}, v)", lambda row: [int(np.bitwise_xor.reduce(row))] * 32),
    ("__reduce_add_sync(0x55555555u << (t & 1), v)", lambda row: [sum(row[lane % 2 :: 2]) for lane in range(32)]),
]


@pytest.mark.parametrize("schedule", ["lockstep", "shuffle:3"])
@pytest.mark.parametrize(("expression", "expected"), VOTES)
def test_votes(expression: str, expected: Callable[[list[int]], list[int]], schedule: str) -> None:
    guard = "if (t % 32 < 16) " if "(0xffff," in expression else ""
    found = run(f"{guard}r = {expression};", "unsigned", schedule=schedule)
    assert found.hazards == ()
    rows = [expected(row) for row in values("unsigned")]
    if guard:
        rows = [row[:16] + [0] * 16 for row in rows]
    expect(found, rows)


def test_all_lanes_match_or_none_does() -> None:
    body = f"int same; unsigned all = __match_all_sync({FULL}, t < 32 ? 7 : v, &same); r = same ? all : same + 5;"
    expect(run(body, "unsigned", grid=1), [[2**32 - 1] * 32, [5] * 32])


def test_only_the_active_lanes_vote() -> None:
    found = run("if (t % 2) r = __activemask(); else r = __ballot_sync(__activemask(), t % 4 == 0);", "unsigned")
    odd, fourth = word([lane % 2 == 1 for lane in range(32)]), word([lane % 4 == 0 for lane in range(32)])
    expect(found, [[odd if lane % 2 else fourth for lane in range(32)]] * 4)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_last_warp_may_be_short(schedule: str) -> None:
    found = run(f"r = __ballot_sync({FULL}, t >= 0);", "unsigned", threads=40, schedule=schedule)
    expect(found, [[2**32 - 1] * 32, [255] * 8] * 2)


@pytest.mark.parametrize(
    ("body", "kind", "lanes", "count", "says"),
    [
        (
            f"if (t % 32 < 16) r = __shfl_down_sync({FULL}, v, 8);",
            "inactive-shuffle",
            (8, 16),
            32,
            "lane 16 of its warp, but it does not make this call",
        ),
        (f"if (t == 20) return; r = __shfl_sync({FULL}, v, 20);", "inactive-shuffle", (0, 20), 62, "it has returned"),
        ("r = __shfl_xor_sync(0xffff, v, 16);", "inactive-shuffle", (0, 16), 64, "name it in the mask"),
        ("r = __ballot_sync(1, t);", "warp-mask", (1,), 124, "does not name lane 1, its own"),
        (f"if (t % 32 < 5) r = __any_sync({FULL}, t);", "warp-mask", (0, 5), 20, "names lane 5 of its warp"),
        (f"if (t % 32 < 4) r = __shfl_xor_sync({FULL}, v, 1);", "warp-mask", (0, 4), 16, "took another way"),
        ("if (t & 1) __syncwarp();", "warp-mask", (1, 0), 64, "move the call out of the branch"),
    ],
)
def test_hazards_of_lanes_that_are_not_there(
    body: str, kind: str, lanes: tuple[int, ...], count: int, says: str
) -> None:
    (hazard,) = [h for h in run(body).hazards if h.kind != "result-never-written"]
    threads = [side.thread.x + 8 * side.thread.y for side in hazard.accesses]
    assert (hazard.kind, tuple(threads), hazard.line, hazard.count) == (kind, lanes, 6, count)
    assert says in hazard.message


def test_a_mask_may_name_lanes_that_have_returned() -> None:
    found = run(f"if (t >= 40) {{ out[g] = 0; return; }} r = __ballot_sync({FULL}, 1);", "unsigned")
    expect(found, [[2**32 - 1] * 32, [255] * 8 + [0] * 24] * 2)


def test_syncwarp_and_fences_are_statements_of_their_own_kind() -> None:
    body = "__syncwarp(); __syncwarp(0xffffffff); __threadfence(); __threadfence_block(); __threadfence_system();"
    found = run(body)
    kinds = [found.statements[n].kind for n in found.step_statement.tolist()]
    assert [kind for kind in kinds if kind in ("warp-barrier", "fence")] == ["warp-barrier"] * 2 + ["fence"] * 3
    assert found.hazards == ()
