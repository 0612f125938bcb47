"""Random numbers on the GPU are cuRAND's own there: whole and uniform ones to the bit, normal ones nearly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.gpu.apis import both, identical

N = 256
STATES = {"curandState": (6, 12), "curandStatePhilox4_32_10_t": (11, 16), "curandStateMRG32k3a_t": (6, 12)}
"""Words that numbers come from, and words of the whole."""

START = """#include <curand_kernel.h>
__global__ void k(const unsigned long long *seed, const unsigned long long *sequence, const unsigned long long *offset,
                  {state} *states, {kind} *out) {{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    {state} s;
    curand_init(seed[t], sequence[t], offset[t], &s);
    {body}
    states[t] = s;
}}"""


def drawn(state: str, kind: str, width: int, body: str) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """What N threads of other seeds, sequences and offsets leave: states and numbers, ours and the GPU's."""
    random = np.random.default_rng(5)
    start = {
        name: random.integers(0, 2**63, N, np.uint64) >> random.integers(0, 63, N, np.uint64)
        for name in ("seed", "sequence", "offset")
    }
    if "MRG" in state:
        start["sequence"] &= np.uint64(2**51 - 1)  # there are no more
    dtype = {"unsigned": np.uint32, "float": np.float32, "double": np.float64}[kind]
    out = {"states": np.zeros((N, STATES[state][1]), np.uint32), "out": np.zeros((N, width), dtype)}
    ours, theirs = both(START.format(state=state, kind=kind, body=body), {**start, **out}, grid=N // 32)
    core = STATES[state][0]
    return (ours["states"][:, :core], theirs["states"][:, :core]), (ours["out"], theirs["out"])


WHOLE = "for (int i = 0; i < 6; i++) out[6 * t + i] = curand(&s);"


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize(
    ("kind", "width", "body"),
    [
        ("unsigned", 6, WHOLE),
        ("unsigned", 6, f"skipahead(seed[t] >> 3, &s); {WHOLE}"),
        ("unsigned", 6, f"SKIP(offset[t] >> 12, &s); {WHOLE}"),
        ("float", 5, "for (int i = 0; i < 5; i++) out[5 * t + i] = curand_uniform(&s);"),
        ("double", 5, "for (int i = 0; i < 5; i++) out[5 * t + i] = curand_uniform_double(&s);"),
    ],
)
def test_whole_and_uniform_numbers(state: str, kind: str, width: int, body: str) -> None:
    name = "skipahead_subsequence" if "MRG" in state else "skipahead_sequence"
    states, numbers = drawn(state, kind, width, body.replace("SKIP", name))
    identical(*states)
    identical(*numbers)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("unsigned", "uint4 v = curand4(&s);"),
        ("float", "curand(&s); float4 v = curand_uniform4(&s);"),
        ("double", "double2 v2 = curand_uniform2_double(&s); double4 v = make_double4(v2.x, v2.y, 0, 0);"),
    ],
)
def test_several_of_philox(kind: str, body: str) -> None:
    store = "out[4 * t] = v.x; out[4 * t + 1] = v.y; out[4 * t + 2] = v.z; out[4 * t + 3] = v.w;"
    states, numbers = drawn("curandStatePhilox4_32_10_t", kind, 4, body + store)
    identical(*states)
    identical(*numbers)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize(
    ("kind", "width", "body", "most"),
    [
        ("float", 3, "for (int i = 0; i < 3; i++) out[3 * t + i] = curand_normal(&s);", 1e-5),
        ("float", 2, "float2 v = curand_normal2(&s); out[2 * t] = v.x; out[2 * t + 1] = v.y;", 1e-5),
        (
            "float",
            4,
            "float4 v = curand_normal4(&s); out[4 * t] = v.x; out[4 * t + 1] = v.y; out[4 * t + 2] = v.z;"
            "out[4 * t + 3] = v.w;",
            1e-5,
        ),
        ("double", 3, "for (int i = 0; i < 3; i++) out[3 * t + i] = curand_normal_double(&s);", 1e-14),
        ("double", 2, "double2 v = curand_normal2_double(&s); out[2 * t] = v.x; out[2 * t + 1] = v.y;", 1e-14),
    ],
)
def test_normal_numbers_differ_in_the_last_digits(state: str, kind: str, width: int, body: str, most: float) -> None:
    if "normal4" in body and "Philox" not in state:
        return
    states, (ours, theirs) = drawn(state, kind, width, body)
    identical(*states)
    assert np.abs(ours - theirs).max() <= most
