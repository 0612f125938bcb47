"""Addresses as integers: reinterpret_cast there and back, and generic to shared conversion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from kernels.simt import Argument


def test_an_address_is_an_unsigned_number_and_a_pointer_again() -> None:
    made = trace(
        """
        #include <cstdint>
        __global__ void k(const signed char *bytes, int *out, size_t row) {
            const size_t first = static_cast<size_t>(threadIdx.x) * row;
            const uintptr_t raw = reinterpret_cast<uintptr_t>(bytes) + first * sizeof(int);
            const signed char *at = reinterpret_cast<const signed char *>(raw);
            out[threadIdx.x] = (raw & 3) == 0 ? *reinterpret_cast<const int *>(at) : -1;
        }""",
        {"bytes": np.arange(32, dtype=np.int8), "out": Unwritten("int32", (8,)), "row": 1},
    )
    assert made.hazards == ()
    assert made.outputs["out"].tolist() == np.arange(32, dtype=np.int8).view(np.int32).tolist()


COPY = """
__global__ void k(const float *in, float *out, float *elsewhere) {{
    constexpr int bytes = 16, parts = 4;
    __shared__ float first[8], s[32];
    first[threadIdx.x] = 0;
    union {{ float *x; float4 *x4; }} tile;
    tile.x = {pointer};
    int to = __cvta_generic_to_shared(tile.x) + threadIdx.x * bytes;
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" :: "r"(to), "l"(in + 4 * threadIdx.x), "n"(bytes));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group %0;" :: "n"(parts / 4 - 1));
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x] + first[0];
}}"""


def test_a_pointer_of_a_union_is_an_address_in_shared_memory() -> None:
    numbers = np.arange(32, dtype=np.float32)
    arguments: dict[str, Argument] = {
        "in": numbers,
        "out": Unwritten("float32", (8,)),
        "elsewhere": np.zeros(8, np.float32),
    }
    made = trace(COPY.format(pointer="s"), arguments)
    assert made.hazards == ()
    assert made.outputs["out"].tolist() == numbers[:8].tolist()
    with pytest.raises(SourceError, match="__cvta_generic_to_shared needs a pointer into shared memory"):
        trace(COPY.format(pointer="threadIdx.x > 3 ? elsewhere : s"), arguments)
