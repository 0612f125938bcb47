"""Text of the header `helper_math.h`: operators and functions of vectors, as in CUDA's samples.

It is used where a program includes that header without providing it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NAMES: Final = ("helper_math.h", "cutil_math.h")
"""Names of the header: the current one, and the one before CUDA 5."""

_AXES: Final = "xyzw"
_HEAD: Final = "inline __host__ __device__"
_SCALARS: Final = {"float": "float", "int": "int", "uint": "unsigned int"}
_COMMON: Final = """
inline __host__ __device__ float lerp(float a, float b, float t) { return a + t * (b - a); }
inline __host__ __device__ float clamp(float f, float a, float b) { return fmaxf(a, fminf(f, b)); }
inline __host__ __device__ int clamp(int f, int a, int b) { return max(a, min(f, b)); }
inline __host__ __device__ unsigned int clamp(unsigned int f, unsigned int a, unsigned int b) {
    return max(a, min(f, b));
}
inline __host__ __device__ float fracf(float v) { return v - floorf(v); }
inline __host__ __device__ float smoothstep(float a, float b, float x) {
    float y = clamp((x - a) / (b - a), 0.0f, 1.0f); return y * y * (3.0f - 2.0f * y);
}
inline __host__ __device__ float3 cross(float3 a, float3 b) {
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
"""


@cache
def helper_math() -> str:
    """Return the header's text."""
    lines = ["#pragma once"]
    for base, scalar in _SCALARS.items():
        for count in (2, 3, 4):
            lines += _makers(base, scalar, count)
    for base, scalar in _SCALARS.items():
        for count in (2, 3, 4):
            lines += _operators(base, scalar, count)
    lines.append(_COMMON)
    for base, scalar in _SCALARS.items():
        for count in (2, 3, 4):
            lines += _functions(base, scalar, count)
    return "\n".join(lines) + "\n"


def _each(count: int, term: Callable[[str], str]) -> str:
    return ", ".join(term(axis) for axis in _AXES[:count])


def _maker(base: str, count: int, parameters: str, values: str) -> str:
    kind = f"{base}{count}"
    return f"{_HEAD} {kind} make_{kind}({parameters}) {{ return make_{kind}({values}); }}"


def _makers(base: str, scalar: str, count: int) -> Iterator[str]:
    """Yield `make_float4` of one number, of a shorter vector and the rest, of a longer one, of another base."""
    zero = "0.0f" if base == "float" else "0"
    yield _maker(base, count, f"{scalar} s", _each(count, lambda _: "s"))
    if count > 2:
        shorter = _each(count - 1, lambda axis: f"a.{axis}")
        last = _AXES[count - 1]
        yield _maker(base, count, f"{base}{count - 1} a", f"{shorter}, {zero}")
        yield _maker(base, count, f"{base}{count - 1} a, {scalar} {last}", f"{shorter}, {last}")
    if count < 4:
        yield _maker(base, count, f"{base}{count + 1} a", _each(count, lambda axis: f"a.{axis}"))
    for other in _SCALARS:
        if other != base:
            values = _each(count, lambda axis: f"({scalar})a.{axis}")
            yield _maker(base, count, f"{other}{count} a", values)


def _operators(base: str, scalar: str, count: int) -> Iterator[str]:
    kind = f"{base}{count}"
    if base != "uint":
        yield _returning(kind, "operator-", f"{kind} a", _each(count, lambda axis: f"-a.{axis}"))
    for op in "+-*/" if base == "float" else "+-*":
        both = _each(count, lambda axis: f"a.{axis} {op} b.{axis}")  # noqa: B023
        right = _each(count, lambda axis: f"a.{axis} {op} b")  # noqa: B023
        left = _each(count, lambda axis: f"b {op} a.{axis}")  # noqa: B023
        yield _returning(kind, f"operator{op}", f"{kind} a, {kind} b", both)
        yield _returning(kind, f"operator{op}", f"{kind} a, {scalar} b", right)
        yield _returning(kind, f"operator{op}", f"{scalar} b, {kind} a", left)
        for other, term in ((kind, ".{}"), (scalar, "")):
            changes = "; ".join(f"a.{axis} {op}= b{term.format(axis)}" for axis in _AXES[:count])
            yield f"{_HEAD} void operator{op}=({kind} &a, {other} b) {{ {changes}; }}"


def _returning(kind: str, name: str, parameters: str, values: str) -> str:
    return f"{_HEAD} {kind} {name}({parameters}) {{ return make_{kind}({values}); }}"


def _functions(base: str, scalar: str, count: int) -> Iterator[str]:
    kind = f"{base}{count}"
    least, most = ("fminf", "fmaxf") if base == "float" else ("min", "max")
    for name in (least, most):
        values = _each(count, lambda axis: f"{name}(a.{axis}, b.{axis})")  # noqa: B023
        yield _returning(kind, name, f"{kind} a, {kind} b", values)
    clamped = _each(count, lambda axis: f"clamp(v.{axis}, a, b)")
    yield _returning(kind, "clamp", f"{kind} v, {scalar} a, {scalar} b", clamped)
    clamped = _each(count, lambda axis: f"clamp(v.{axis}, a.{axis}, b.{axis})")
    yield _returning(kind, "clamp", f"{kind} v, {kind} a, {kind} b", clamped)
    products = " + ".join(f"a.{axis} * b.{axis}" for axis in _AXES[:count])
    yield f"{_HEAD} {scalar} dot({kind} a, {kind} b) {{ return {products}; }}"
    if base == "int":
        yield _returning(kind, "abs", f"{kind} v", _each(count, lambda axis: f"abs(v.{axis})"))
    if base == "float":
        yield from _of_floats(kind, count)


def _of_floats(kind: str, count: int) -> Iterator[str]:
    yield f"{_HEAD} {kind} lerp({kind} a, {kind} b, float t) {{ return a + t * (b - a); }}"
    yield f"{_HEAD} float length({kind} v) {{ return sqrtf(dot(v, v)); }}"
    yield f"{_HEAD} {kind} normalize({kind} v) {{ return v * rsqrtf(dot(v, v)); }}"
    yield f"{_HEAD} {kind} reflect({kind} i, {kind} n) {{ return i - 2.0f * n * dot(n, i); }}"
    for name in ("floorf", "fracf"):
        yield _returning(kind, name, f"{kind} v", _each(count, lambda axis: f"{name}(v.{axis})"))  # noqa: B023
    yield _returning(kind, "fabs", f"{kind} v", _each(count, lambda axis: f"fabsf(v.{axis})"))
    remainders = _each(count, lambda axis: f"fmodf(a.{axis}, b.{axis})")
    yield _returning(kind, "fmodf", f"{kind} a, {kind} b", remainders)
    yield (
        f"{_HEAD} {kind} smoothstep({kind} a, {kind} b, {kind} x) "
        f"{{ {kind} y = clamp((x - a) / (b - a), 0.0f, 1.0f); "
        f"return y * y * (make_{kind}(3.0f) - make_{kind}(2.0f) * y); }}"
    )
