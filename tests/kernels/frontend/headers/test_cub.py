"""The built-in cub: reductions and scans of blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.simt import Unwritten
from tests.cases import Cases
from tests.kernels.simt.programs import trace
from tests.sweeps import in_turn

CASES = Cases(__file__)

GIVEN = np.random.default_rng(1).integers(-50, 50, 128).astype(np.int32)


@pytest.mark.parametrize(
    ("call", "expected", "threads"),
    in_turn(
        [
            ("Sum(in[threadIdx.x])", lambda a: a.sum()),
            ("Reduce(in[threadIdx.x], cub::Max())", lambda a: a.max()),
            ("Reduce(in[threadIdx.x], cub::Min())", lambda a: a.min()),
            ("Reduce(in[threadIdx.x], cub::Sum())", lambda a: a.sum()),
        ],
        [32, 48, 64, 128, 20],
        first=2,
    ),
)
def test_blocks_reduce(call: str, expected: Any, threads: int) -> None:
    source = f"""
    #include <cub/cub.cuh>
    __global__ void k(const int *in, int *out) {{
        typedef cub::BlockReduce<int, {threads}> BlockReduce;
        __shared__ typename BlockReduce::TempStorage storage;
        int found = BlockReduce(storage).{call};
        if (threadIdx.x == 0) *out = found;
    }}"""
    found = trace(source, {"in": GIVEN, "out": Unwritten("int32", (1,))}, block=(threads,))
    assert found.outputs["out"].tolist() == [expected(GIVEN[:threads])]
    assert found.hazards == ()


@pytest.mark.parametrize("threads", [32, 48, 128, 20])
def test_blocks_scan(threads: int) -> None:
    source = f"""
    #include <cub/block/block_scan.cuh>
    #include <cub/block/block_reduce.cuh>
    __global__ void k(const int *in, int *before, int *total) {{
        using Scan = cub::BlockScan<int, {threads}>;
        __shared__ Scan::TempStorage one, other;
        int t = threadIdx.x, a, b, c;
        Scan(one).ExclusiveSum(in[t], a);
        Scan(other).ExclusiveSum(in[t], b, c);
        before[t] = a == b ? b : -1;
        total[t] = c;
    }}"""
    shapes = {name: Unwritten("int32", (threads,)) for name in ("before", "total")}
    found = trace(source, {"in": GIVEN, **shapes}, block=(threads,))
    sums = GIVEN[:threads].cumsum()
    assert found.outputs["before"].tolist() == (sums - GIVEN[:threads]).tolist()
    assert found.outputs["total"].tolist() == [sums[-1]] * threads
    assert found.hazards == ()


def test_storage_that_is_used_again_needs_a_barrier() -> None:
    source = CASES.source("storage_that_is_used_again_needs")
    found = trace(source, {"in": GIVEN, "out": Unwritten("int32", (1,))}, block=(64,))
    assert {hazard.kind for hazard in found.hazards} == {"data-race"}


def test_structs_are_reduced_and_scanned() -> None:
    source = CASES.source("structs_are_reduced_and_scanned")
    found = trace(source, {"out": Unwritten("float64", (1, 4))}, block=(64,))
    assert found.outputs["out"].tolist() == [[2016, 64, 128, 192]]
    assert found.hazards == ()


@pytest.mark.parametrize("name", ["WarpReduce<int>", "BlockLoad<int, 64, 4>", "WarpScan<int>"])
def test_other_templates_are_refused(name: str) -> None:
    source = f"#include <cub/cub.cuh>\n__global__ void k() {{ __shared__ typename cub::{name}::TempStorage s; }}"
    with pytest.raises(SourceError, match=f"test.cu:2:.*{name.partition('<')[0]}"):
        trace(source, {})
