"""The vectors of `helper_math.h`, which is built in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

from kernels.frontend import parse
from kernels.frontend.headers.provided import HELPER_MATH as NAMES
from tests.kernels.simt.programs import THREADS, lanes, trace
from tests.sweeps import in_turn

if TYPE_CHECKING:
    from collections.abc import Callable

BEFORE = f"#include <{NAMES[0]}>\n"


VALUES: Final[dict[str, Callable[[int], float]]] = {
    "dot(make_float3(t, 1, 2), make_float3(3.0f))": lambda t: 3 * t + 9,
    "length(make_float2(3.0f * t, 4.0f * t))": lambda t: 5 * t,
    "(make_float4(t) * 2.0f + make_float4(1, 2, 3, 4) / 2).w": lambda t: 2 * t + 2,
    "(2 * make_float3(make_float2(t, t + 1), 5.0f) - 1).y": lambda t: 2 * t + 1,
    "(-make_float4(make_float3(1, 2, t), 1.0f)).z": lambda t: -t,
    "cross(make_float3(1, 0, 0), make_float3(0, t, 0)).z": lambda t: t,
    "lerp(make_float2(0.0f), make_float2(2.0f * t), 0.5f).x": lambda t: t,
    "clamp(make_float3(t), 1.0f, 3.0f).x + clamp(t, 2, 4)": lambda t: min(max(t, 1), 3) + min(max(t, 2), 4),
    "(make_int2(t, 3) * 2 + make_int2(1)).x - (int)make_uint3(make_float3(2.5f)).z": lambda t: 2 * t - 1,
    "make_float3(make_float4(1, 2, 3, 4)).z + t": lambda t: 3 + t,
    "fmaxf(make_float2(t, 0), make_float2(3.0f)).x": lambda t: max(t, 3),
    "normalize(make_float3(t + 1.0f, 0, 0)).x": lambda _: 1,
    "reflect(make_float3(1, -1, 0), make_float3(0, 1, 0)).y + fabs(make_float2(-t, 0)).x": lambda t: 1 + t,
    "smoothstep(0.0f, 8.0f, (float)t)": lambda t: (t / 8) ** 2 * (3 - t / 4),
}


def test_values() -> None:
    """In one kernel, since reading the header takes most of the time."""
    stores = " ".join(f"out[{THREADS * number} + t] = {value};" for number, value in enumerate(VALUES))
    source = f"{BEFORE}__global__ void k(float *out) {{ int t = threadIdx.x; {stores} }}"
    found = trace(source, {"out": np.zeros(THREADS * len(VALUES), np.float32)}, block=(THREADS,)).outputs["out"]
    for values, (value, expected) in zip(found.reshape(-1, THREADS), VALUES.items(), strict=True):
        wanted = np.array([expected(t) for t in range(THREADS)], np.float32)
        np.testing.assert_allclose(values.astype(np.float32), wanted, rtol=1e-6, err_msg=value)


def test_changes() -> None:
    body = "float3 v = make_float3(1.0f); v += make_float3(t); v *= 2.0f; v -= 1.0f; v /= make_float3(1, 2, 4);"
    assert lanes(f"{body} r = v.z;", "float", BEFORE) == [(2 * (1 + t) - 1) / 4 for t in range(THREADS)]


@pytest.mark.parametrize(("form", "name"), in_turn(["<{}>", '"{}"', '"../inc/{}"'], NAMES, str))
def test_the_header_is_built_in(form: str, name: str) -> None:
    program = parse(f"#include {form.format(name)}\n", "k.cu")
    assert any(f.name == "cross" for f in program.functions)
    assert program.missing == ()


def test_long_sums_and_deep_calls_are_compiled_once() -> None:
    calls = "twice(" * 40 + "make_float3(1.0f)" + ")" * 40
    before = f"{BEFORE}__device__ float3 twice(float3 v) {{ return v + v; }}\n"
    body = f"float3 v = make_float3(t); r = ({' + '.join(['v'] * 60)}).x + ({calls}).y * 0;"
    assert lanes(body, "float", before) == [60 * t for t in range(THREADS)]
