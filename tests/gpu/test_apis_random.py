"""Random numbers on the GPU are cuRAND's own there: whole and uniform ones to the bit, normal ones nearly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.gpu.apis import both, identical

N = 256
START = """#include <curand_kernel.h>
__global__ void k(const unsigned long long *seed, const unsigned long long *sequence, const unsigned long long *offset,
                  curandState *states, {kind} *out) {{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    curandState s;
    curand_init(seed[t], sequence[t], offset[t], &s);
    {body}
    states[t] = s;
}}"""


def drawn(kind: str, width: int, body: str) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Return states and numbers of N threads with different seeds, sequences and offsets: ours and the GPU's."""
    random = np.random.default_rng(5)
    start = {
        name: random.integers(0, 2**63, N, np.uint64) >> random.integers(0, 63, N, np.uint64)
        for name in ("seed", "sequence", "offset")
    }
    dtype = {"unsigned": np.uint32, "float": np.float32, "double": np.float64}[kind]
    out = {"states": np.zeros((N, 12), np.uint32), "out": np.zeros((N, width), dtype)}
    ours, theirs = both(START.format(kind=kind, body=body), {**start, **out}, grid=N // 32)
    return (ours["states"][:, :6], theirs["states"][:, :6]), (ours["out"], theirs["out"])


WHOLE = "for (int i = 0; i < 6; i++) out[6 * t + i] = curand(&s);"


@pytest.mark.parametrize(
    ("kind", "width", "body"),
    [
        ("unsigned", 6, WHOLE),
        ("float", 5, "for (int i = 0; i < 5; i++) out[5 * t + i] = curand_uniform(&s);"),
        ("double", 5, "for (int i = 0; i < 5; i++) out[5 * t + i] = curand_uniform_double(&s);"),
    ],
)
def test_whole_and_uniform_numbers(kind: str, width: int, body: str) -> None:
    states, numbers = drawn(kind, width, body)
    identical(*states)
    identical(*numbers)


@pytest.mark.parametrize(
    ("kind", "width", "body", "most"),
    [
        ("float", 3, "for (int i = 0; i < 3; i++) out[3 * t + i] = curand_normal(&s);", 1e-5),
        ("double", 3, "for (int i = 0; i < 3; i++) out[3 * t + i] = curand_normal_double(&s);", 1e-14),
    ],
)
def test_normal_numbers_differ_in_the_last_digits(kind: str, width: int, body: str, most: float) -> None:
    states, (ours, theirs) = drawn(kind, width, body)
    identical(*states)
    assert np.abs(ours - theirs).max() <= most
