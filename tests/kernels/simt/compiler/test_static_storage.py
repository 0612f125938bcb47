"""Variables with static storage: `static` and `__device__` variables inside of functions."""

from __future__ import annotations

import pytest

from kernels.errors import SourceError
from kernels.simt import Unwritten
from tests.kernels.simt.programs import THREADS, trace


def test_a_table_in_constant_memory_may_stand_in_the_kernel() -> None:
    source = """
    __global__ void k(int *out) {
        static __constant__ int table[] = {3, 1, 4};
        static __shared__ int shared[8];
        __shared__ static int other[8];
        shared[threadIdx.x] = other[threadIdx.x] = table[threadIdx.x % 3];
        out[threadIdx.x] = shared[threadIdx.x] + other[threadIdx.x];
    }"""
    found = trace(source, {"out": Unwritten("int32", (THREADS,))})
    assert found.outputs["out"].tolist() == [2 * [3, 1, 4][t % 3] for t in range(THREADS)]
    assert {a.name: a.space for a in found.arrays}["k_table"] == "constant"


_MAKE = """struct Table { int v[8]; };
constexpr Table make() { Table t{}; for (int i = 0; i < 8; ++i) t.v[i] = i * i; return t; }
"""


@pytest.mark.parametrize("words", ["__constant__ Table", "constexpr Table", "const Table"])
def test_a_struct_that_a_constexpr_function_returns_is_refused_by_name(words: str) -> None:
    call = len(f"{words} T = m")
    source = f"{_MAKE}{words} T = make();\n__global__ void k(int *out) {{ out[threadIdx.x] = T.v[threadIdx.x]; }}"
    with pytest.raises(SourceError) as caught:
        trace(source, {"out": Unwritten("int32", (THREADS,))})
    assert caught.value.reason == (
        f"'T' was left out: test.cu:3:{call}: the value of 'T' is not known before the launch: make returns Table, "
        "and only functions that return numbers are computed before the launch; declare 'T' in the kernel, or as "
        "__constant__ with its values in braces"
    )
