"""atomicAdd of vectors: each member is added to, and rounded, on its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace

SOURCE = """#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void k({kind} *sum, {kind} *old) {{
    int t = threadIdx.x;
    old[t] = atomicAdd(&sum[t % 2], {value});
}}"""


def bfloat(values: Any) -> Any:
    """Return the bits of small whole numbers."""
    return (np.asarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)


@pytest.mark.parametrize("schedule", ["lockstep", "reversed"])
@pytest.mark.parametrize(
    ("kind", "value", "start", "expected"),
    [
        ("half2", "__floats2half2_rn(t, 2 * t)", np.zeros((2, 2), np.float16), [[12, 24], [16, 32]]),
        ("half2", "__floats2half2_rn(1, 0)", np.full((2, 2), 2048, np.float16), [[2048, 2048]] * 2),
        ("float2", "make_float2(t, 0.5f)", np.ones((2, 2), np.float32), [[13, 3], [17, 3]]),
        ("__nv_bfloat162", "__floats2bfloat162_rn(t, 1)", bfloat([[0, 0]] * 2), bfloat([[12, 4], [16, 4]]).tolist()),
        ("__nv_bfloat16", "__float2bfloat16(t)", bfloat([1, 256]), bfloat([13, 272]).tolist()),
    ],
)
def test_sums(kind: str, value: str, start: Any, expected: Any, schedule: str) -> None:
    shape = (8, *start.shape[1:])
    found = trace(
        SOURCE.format(kind=kind, value=value),
        {"sum": start, "old": Unwritten(start.dtype, shape)},
        schedule=schedule,
    )
    assert found.outputs["sum"].tolist() == expected
    assert found.outputs["old"][:2].tolist() == start.tolist()
    assert found.hazards == ()


@pytest.mark.parametrize("name", ["atomicAnd", "atomicOr", "atomicXor"])
def test_signed_64_bit_words(name: str) -> None:
    source = f"__global__ void k(long long *a) {{ {name}(a, ~(1ll << (40 + threadIdx.x))); }}"
    numpy = {"And": np.bitwise_and, "Or": np.bitwise_or, "Xor": np.bitwise_xor}[name[6:]]
    found = trace(source, {"a": np.array([-1], np.int64)})
    assert found.outputs["a"].tolist() == [numpy.reduce([-1, *(~(1 << (40 + t)) for t in range(8))])]


def test_other_vectors_are_refused() -> None:
    with pytest.raises(SourceError, match="atomicAdd does not take int2"):
        trace("__global__ void k(int2 *a) { atomicAdd(a, *a); }", {"a": np.zeros((1, 2), np.int32)})
