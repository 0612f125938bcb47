"""Tiles wider than a warp, and tiles of tiles: barriers and collectives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace

USING = "namespace cg = cooperative_groups;\n"
T = np.arange(256)
MIXED = (T * 37 % 101).reshape(4, 64)
SCANNED = np.maximum.accumulate(MIXED, axis=1)
BEFORE = np.concatenate([np.zeros((4, 1), int), SCANNED[:, :-1] - 200], axis=1)
LESS = np.concatenate([np.zeros((8, 1), int), np.maximum.accumulate(MIXED.reshape(8, 32), axis=1)[:, :-1]], axis=1)
SCHEDULES = ("lockstep", "warps", "shuffle:3")

EXCHANGE = (
    USING
    + """
__global__ void k(int *out) {{
    __shared__ cg::block_tile_memory<256> memory;
    __shared__ int s[256];
    auto block = cg::this_thread_block(memory);
    cg::thread_block_tile<{size}> tile = cg::tiled_partition<{size}>(block);
    int t = threadIdx.x;
    s[t] = t;
    {sync}
    out[t] = s[t ^ {distance}];
}}"""
)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    ("size", "distance", "sync", "kinds"),
    [
        (64, 32, "tile.sync();", set()),
        (64, 63, "cg::sync(tile);", set()),
        (64, 64, "tile.sync();", {"data-race"}),
        (128, 64, "tile.sync();", set()),
        (256, 128, "tile.sync();", set()),
        (128, 64, "__syncwarp();", {"data-race"}),
        (128, 96, "", {"data-race"}),
        (128, 64, "if (t < 128) tile.sync(); else tile.sync();", set()),
        (128, 64, "if (t < 128) tile.sync();", {"data-race"}),
    ],
)
def test_a_barrier_orders_its_tile(size: int, distance: int, sync: str, kinds: set[str], schedule: str) -> None:
    source = EXCHANGE.format(size=size, distance=distance, sync=sync)
    found = trace(source, {"out": Unwritten("int32", (256,))}, block=(256,), schedule=schedule)
    assert {hazard.kind for hazard in found.hazards} == kinds
    if not kinds:
        assert found.outputs["out"][:256].tolist() == (T ^ distance).tolist()


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_part_of_a_tile_at_its_barrier(schedule: str) -> None:
    source = EXCHANGE.format(size=128, distance=1, sync="if (t % 128 < 40) tile.sync();")
    found = trace(source, {"out": Unwritten("int32", (256,))}, block=(256,), schedule=schedule)
    (hazard,) = (hazard for hazard in found.hazards if hazard.kind == "barrier-divergence")
    assert "40 of the 128 threads that this barrier waits for come to it" in hazard.message


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    ("rounds", "kinds"),
    [("3", set()), ("1 + (int)tile.meta_group_rank()", set()), ("1 + t % 2", {"barrier-divergence"})],
)
def test_every_tile_waits_as_often_as_it_likes(rounds: str, kinds: set[str], schedule: str) -> None:
    source = (
        USING
        + f"""
    __global__ void k(int *a) {{
        auto tile = cg::tiled_partition<64>(cg::this_thread_block());
        int t = threadIdx.x, base = t - tile.thread_rank();
        for (int i = 0; i < {rounds}; ++i) {{
            int next = a[base + (tile.thread_rank() + 33) % 64];
            tile.sync();
            a[t] = next + 1;
            tile.sync();
        }}
    }}"""
    )
    found = trace(source, {"a": np.arange(128, dtype=np.int32)}, block=(128,), schedule=schedule)
    assert {hazard.kind for hazard in found.hazards} - {"data-race"} == kinds
    if not kinds:
        assert not found.hazards
        halves = T[:64], T[64:128]
        times = (3, 3) if rounds == "3" else (1, 2)
        wanted = [np.roll(h, -33 * n % 64) + n for h, n in zip(halves, times, strict=True)]
        assert found.outputs["a"].tolist() == np.concatenate(wanted).tolist()


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("tile.size() + 1000 * tile.num_threads()", T * 0 + 64064),
        ("tile.thread_rank()", T % 64),
        ("tile.meta_group_rank() * 10 + tile.meta_group_size()", T // 64 * 10 + 4),
        ("tile.shfl(t, 40)", T // 64 * 64 + 40),
        ("tile.any(t == 100)", (T // 64 == 1) * 1),
        ("tile.all(t < 130)", (T // 64 < 2) * 1),
        ("cg::reduce(tile, t, cg::plus<int>())", (T.reshape(4, 64).sum(1))[T // 64]),
        (
            "cg::reduce(tile, (t * 37) % 101, cg::greater<int>())",
            ((T * 37 % 101).reshape(4, 64).max(1))[T // 64],
        ),
        ("cg::reduce(tile, t, larger)", T // 64 * 64 + 63),
        ("cg::inclusive_scan(tile, t, cg::plus<int>())", T.reshape(4, 64).cumsum(1).ravel()),
        ("cg::exclusive_scan(tile, t)", T.reshape(4, 64).cumsum(1).ravel() - T),
        ("cg::inclusive_scan(tile, (t * 37) % 101, cg::greater<int>())", SCANNED.ravel()),
        ("cg::inclusive_scan(tile, (t * 37) % 101, larger)", SCANNED.ravel()),
        ("cg::exclusive_scan(tile, (t * 37) % 101 - 200, larger)", BEFORE.ravel()),
        ("cg::exclusive_scan(half, (t * 37) % 101, cg::greater<int>())", LESS.ravel()),
        ("cg::invoke_one_broadcast(tile, larger, t, 70)", np.maximum(T // 64 * 64, 70)),
        ("size_of(tile, t) + size_of<16>(part, t)", T * 2 + 80),
        ("part.meta_group_rank() * 100 + part.meta_group_size()", T % 64 // 16 * 100 + 4),
        ("rank(part)", T % 16),
        ("part.shfl_xor(t, 3)", T ^ 3),
        ("half.meta_group_rank() * 10 + half.meta_group_size()", T % 64 // 32 * 10 + 2),
        ("block.barrier_arrive() + t", T),
    ],
)
def test_members_of_a_tile(expression: str, expected: Any) -> None:
    source = (
        USING
        + f"""
    __device__ int larger(int a, int b) {{ return a > b ? a : b; }}
    template <int S> __device__ int size_of(cg::thread_block_tile<S> tile, int more) {{ return S + more; }}
    __device__ unsigned rank(const cg::thread_block_tile<16> &tile) {{ return tile.thread_rank(); }}
    __global__ void k(int *out) {{
        auto block = cg::this_thread_block();
        auto tile = cg::tiled_partition<64>(block);
        auto part = cg::tiled_partition<16>(tile);
        auto half = cg::tiled_partition<32>(tile);
        int t = threadIdx.x;
        out[t] = {expression};
    }}"""
    )
    found = trace(source, {"out": Unwritten("int32", (256,))}, block=(256,))
    assert found.outputs["out"].tolist() == expected.tolist()
    assert found.hazards == ()


def test_reduce_structs_with_a_function() -> None:
    source = (
        USING
        + """
    struct Best { float value; int place; };
    __device__ Best better(Best a, Best b) { return a.value > b.value ? a : b; }
    __global__ void k(const float *in, int *out) {
        auto warp = cg::tiled_partition<32>(cg::this_thread_block());
        Best mine = { in[threadIdx.x], (int)threadIdx.x };
        Best best = cg::reduce(warp, mine, better);
        if (warp.thread_rank() == 0) out[warp.meta_group_rank()] = best.place;
    }"""
    )
    given = np.random.default_rng(3).random(64).astype(np.float32)
    found = trace(source, {"in": given, "out": Unwritten("int32", (2,))}, block=(64,))
    assert found.outputs["out"].tolist() == [int(given[:32].argmax()), 32 + int(given[32:].argmax())]
    assert found.hazards == ()


@pytest.mark.parametrize("group", ["block", "cg::tiled_partition<64>(block)", "cg::tiled_partition<8>(block)"])
def test_one_thread_is_invoked(group: str) -> None:
    source = (
        USING
        + f"""
    __device__ void add(int *a, int n) {{ atomicAdd(a, n); }}
    __global__ void k(int *count) {{
        auto block = cg::this_thread_block();
        auto group = {group};
        cg::invoke_one(group, add, count, 1);
        cg::invoke_one(group, [&] {{ atomicAdd(count, 100); }});
    }}"""
    )
    found = trace(source, {"count": np.zeros(1, np.int32)}, block=(128,))
    size = {"b": 128}.get(group[0], 64 if "64" in group else 8)
    assert found.outputs["count"].tolist() == [101 * 128 // size]


@pytest.mark.parametrize(
    ("wait", "kinds"),
    [
        ("cg::wait(tile);", set()),
        ("cg::wait_prior<0>(tile);", set()),
        ("", {"data-race"}),
        ("cg::wait_prior<1>(tile);", {"uninitialised-read"}),
    ],
)
def test_copies_of_a_wide_tile(wait: str, kinds: set[str]) -> None:
    source = (
        USING
        + f"""
    __global__ void k(const float *in, float *out) {{
        __shared__ float s[128];
        auto tile = cg::tiled_partition<64>(cg::this_thread_block());
        int first = tile.meta_group_rank() * 64;
        cg::memcpy_async(tile, s + first, 64, in + first, 64);
        {wait}
        out[threadIdx.x] = s[first + (tile.thread_rank() + 40) % 64];
    }}"""
    )
    given = np.arange(128, dtype=np.float32)
    found = trace(source, {"in": given, "out": Unwritten("float32", (128,))}, block=(128,))
    assert {hazard.kind for hazard in found.hazards} == kinds
    if not kinds:
        assert found.outputs["out"].tolist() == [*np.roll(given[:64], -40), *np.roll(given[64:], -40)]


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    ("first", "second", "kinds"),
    [
        ("__barrier_sync_count(1, 128)", "__barrier_sync_count(1, 128)", set()),
        ("__barrier_sync_count(1, 128)", "__barrier_sync_count(2, 128)", {"barrier-divergence", "data-race"}),
        ("__barrier_sync(3)", "__barrier_sync(3)", set()),
    ],
)
def test_warps_meet_at_a_number(first: str, second: str, kinds: set[str], schedule: str) -> None:
    """Half of the warps write, at one place, what the other half reads, at another."""
    source = f"""__global__ void k(int *out) {{
        __shared__ int s[64];
        int t = threadIdx.x;
        if (t < 64) {{
            for (int i = 0; i < 3; ++i) {{ s[t] = i * 100 + t; {first}; {first}; }}
        }} else {{
            for (int i = 0; i < 3; ++i) {{ {second}; out[i * 64 + t - 64] = s[127 - t]; {second}; }}
        }}
    }}"""
    found = trace(source, {"out": Unwritten("int32", (192,))}, block=(128,), schedule=schedule)
    assert {hazard.kind for hazard in found.hazards} - {"uninitialised-read"} == kinds
    if not kinds:
        assert found.outputs["out"].tolist() == [i * 100 + 63 - t for i in range(3) for t in range(64)]
