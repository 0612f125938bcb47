"""Collectives of lanes, groups and blocks, and cub's results, equal the GPU's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.cases import Cases
from tests.gpu.apis import both, identical

CASES = Cases(__file__)

N = 128
GROUPS = """#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
"""
DTYPES = {
    "int": np.int32,
    "unsigned": np.uint32,
    "long long": np.int64,
    "float": np.float32,
    "double": np.float64,
    "unsigned long long": np.uint64,
}


def same(body: str, kind: str = "int", *, before: str = "", small: bool = True, result: str = "") -> None:
    """Compare r of N threads in blocks of 64, each with a v and its number t in the block."""
    random, dtype = np.random.default_rng(11), np.dtype(DTYPES[kind])
    values = random.integers(0, 40 if small else 2**31 - 1, N).astype(dtype)
    if dtype.kind == "f" and not small:
        values = random.standard_normal(N).astype(dtype)
    result = result or kind
    source = f"""{before}__global__ void k(const {kind} *in, {result} *out) {{
        int t = threadIdx.x; {kind} v = in[blockIdx.x * 64 + t]; {result} r = 0; {body}
        out[blockIdx.x * 64 + t] = r; }}"""
    ours, theirs = both(source, {"in": values, "out": np.zeros(N, DTYPES[result])}, grid=N // 64, block=64)
    identical(ours["out"], theirs["out"])


@pytest.mark.parametrize("kind", DTYPES)
@pytest.mark.parametrize("way", ["", "_up", "_down", "_xor"])
def test_shuffles(kind: str, way: str) -> None:
    for by, width in ((1, 32), (5, 32), (3, 8), (9, 16), (31, 32), (40, 32), ("t & 15", 8), (7, 2)):
        same(f"r = __shfl{way}_sync(0xffffffff, v, {by}, {width});", kind, small=False)


@pytest.mark.parametrize("kind", ["int", "unsigned", "long long", "float", "double"])
def test_matches(kind: str) -> None:
    same("r = __match_any_sync(0xffffffff, v);", kind, result="unsigned")
    same(
        "int p = 5; r = __match_all_sync(0xffffffff, t < 32 ? v : v - v, &p); r = r ^ p << 8;",
        kind,
        result="unsigned",
    )
    same("if (t % 3) r = __match_any_sync(__activemask(), v);", kind, result="unsigned")


@pytest.mark.parametrize("name", ["add", "min", "max", "and", "or", "xor"])
def test_reductions_of_a_warp(name: str) -> None:
    for kind in ("int", "unsigned"):
        if kind == "unsigned" or name in ("add", "min", "max"):
            same(f"r = __reduce_{name}_sync(0xffffffff, v * 77777 - 5);", kind, small=False)
            same(f"if (t % 32 < 19) r = __reduce_{name}_sync(0x7ffff, v);", kind)


VOTES = (
    "__ballot_sync(0xffffffff, v & 4)",
    "__any_sync(0xffffffff, v > 38)",
    "__all_sync(0xffffffff, v < 39)",
    "__syncthreads_count(v & 2)",
    "__syncthreads_or(v == 3)",
    "__syncthreads_and(v < 40)",
    "__activemask()",
)


def test_votes() -> None:
    for expression in VOTES:
        same(f"r = {expression};", "unsigned")


OF_TILES = (
    "tile.thread_rank() * 100 + tile.meta_group_rank() * 10 + tile.size()",
    "tile.meta_group_size()",
    "tile.shfl(v, 1)",
    "tile.shfl_up(v, 1)",
    "tile.shfl_down(v, 3)",
    "tile.shfl_xor(v, 1)",
    "tile.any(v == 3)",
    "tile.all(v > 2)",
    "(int)tile.ballot(v & 1)",
    "cg::reduce(tile, v, cg::plus<int>())",
    "cg::reduce(tile, v, cg::less<int>())",
    "cg::reduce(tile, v, cg::greater<int>())",
    "cg::inclusive_scan(tile, v)",
    "cg::inclusive_scan(tile, v, cg::plus<int>())",
)


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 32])
def test_tiles(size: int) -> None:
    make = f"auto tile = cg::tiled_partition<{size}>(cg::this_thread_block());"
    for expression in OF_TILES:
        if size > 2 or "shfl" not in expression:
            same(f"{make} r = {expression};", before=GROUPS)


@pytest.mark.parametrize("size", [2, 8, 32])
@pytest.mark.parametrize("kind", ["float", "double"])
def test_the_order_of_sums_in_a_tile(size: int, kind: str) -> None:
    make = f"auto tile = cg::tiled_partition<{size}>(cg::this_thread_block());"
    for call in (
        f"reduce(tile, v, cg::plus<{kind}>())",
        "inclusive_scan(tile, v)",
    ):
        same(f"{make} r = cg::{call};", kind, before=GROUPS, small=False)


def test_blocks_and_grids() -> None:
    for expression in (
        "b.thread_rank() * 1000 + b.size() + b.group_index().x * 7 + b.thread_index().x",
        "cg::this_grid().thread_rank() * 3 + cg::this_grid().size()",
    ):
        same(f"auto b = cg::this_thread_block(); b.sync(); r = {expression};", before=GROUPS)


CUB = """#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
struct Largest { template <typename T> __device__ T operator()(T a, T b) const { return b > a ? b : a; } };
"""


@pytest.mark.parametrize("kind", ["int", "float"])
def test_cub(kind: str) -> None:
    reduce, scan = f"cub::BlockReduce<{kind}, 64>", f"cub::BlockScan<{kind}, 64>"
    for call in ("Sum(v)", "Reduce(v, Largest())"):
        body = f"__shared__ typename {reduce}::TempStorage s; {kind} found = {reduce}(s).{call}; if (t == 0) r = found;"
        same(body, kind, before=CUB)
    for call in ("ExclusiveSum(v, r)", "ExclusiveSum(v, r, all)"):
        body = f"__shared__ typename {scan}::TempStorage s; {kind} all = 0; {scan}(s).{call}; r += 100 * all;"
        same(body, kind, before=CUB)


ATOMICS = "#include <cuda/atomic>\n"
SCOPES = ("system", "device", "block")


def counted(body: str, kind: str, *, before: str = ATOMICS) -> tuple[Any, Any]:
    """Compare what 8 cells hold after N threads have each had a v; returns what each thread got."""
    dtype = DTYPES[kind]
    values = np.random.default_rng(12).integers(1, 1000, N).astype(dtype)
    source = f"""{before}__global__ void k(const {kind} *in, {kind} *cells, {kind} *out) {{
        int t = blockIdx.x * blockDim.x + threadIdx.x; {kind} v = in[t], r = 0; {body} out[t] = r; }}"""
    given = {"in": values, "cells": np.full(8, 5, dtype), "out": np.zeros(N, dtype)}
    ours, theirs = both(source, given, grid=N // 64, block=64)
    identical(ours["cells"], theirs["cells"])
    return ours["out"], theirs["out"]


@pytest.mark.parametrize("kind", ["int", "unsigned", "long long", "unsigned long long"])
@pytest.mark.parametrize("scope", SCOPES)
def test_atomic_references(kind: str, scope: str) -> None:
    made = f"cuda::atomic_ref<{kind}, cuda::thread_scope_{scope}> a(cells[t / 64 * 4 + t % 4]);"
    for call in (
        "a.fetch_add(v)",
        "a.fetch_sub(v, cuda::memory_order_relaxed)",
        "a.fetch_and(v, cuda::std::memory_order_acq_rel)",
        "a.fetch_or(v)",
        "a.fetch_xor(v)",
        "a += v",
        "a.store(7, cuda::memory_order_release)",
    ):
        counted(f"{made} {call};", kind)
    # Alone with its cell, each thread gets what was there.
    alone = f"cuda::atomic_ref<{kind}, cuda::thread_scope_{scope}> a(cells[t]); if (t < 8)"
    for call in ("a.exchange(v)", "a.fetch_add(v)", "a.load()", "a++", "++a"):
        identical(*counted(f"{alone} r = {call};", kind))


def test_floating_atomic_references() -> None:
    for kind in ("float", "double"):
        made = f"cuda::atomic_ref<{kind}, cuda::thread_scope_device> a(cells[t % 8]);"
        counted(f"{made} a.fetch_add(v);", kind)


def test_atomic_objects() -> None:
    source = ATOMICS + CASES.source("atomic_objects")
    values = np.random.default_rng(13).integers(0, 1000, N).astype(np.uint32)
    ours, theirs = both(source, {"in": values, "out": np.zeros(N, np.uint32)}, grid=N // 64, block=64)
    identical(ours["out"], theirs["out"])


@pytest.mark.parametrize("suffix", ["", "_block", "_system"])
def test_atomic_functions(suffix: str) -> None:
    for kind in ("int", "unsigned", "unsigned long long"):
        for name in ("Add", "Sub", "Min", "Max", "Exch", "And", "Or", "Xor"):
            if not (name == "Sub" and "long" in kind):
                value = "v" if name != "Exch" else "9"
                counted(f"atomic{name}{suffix}(&cells[t / 64 * 4 + t % 4], {value});", kind)
        alone = "if (t < 8) r = atomicCAS{0}(&cells[t], 5 + v % 2, v);"
        identical(*counted(alone.format(suffix), kind))
    for name in ("Inc", "Dec"):
        counted(f"atomic{name}{suffix}(&cells[t / 64 * 4 + t % 4], 11u);", "unsigned")
