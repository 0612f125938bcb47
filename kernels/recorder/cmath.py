"""Declarations of <cmath> that NVRTC lacks: overloads for integers, which return double, and INFINITY and NAN."""

from __future__ import annotations

from typing import Final

_WHOLE: Final = (
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
)

_ONE: Final = (
    "sqrt",
    "cbrt",
    "rsqrt",
    "exp",
    "exp2",
    "exp10",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "floor",
    "ceil",
    "round",
    "trunc",
    "rint",
    "fabs",
    "erf",
    "erfc",
)
"""Functions of one argument."""

_TWO: Final = ("pow", "fmax", "fmin", "fmod", "atan2", "hypot")

_DOUBLE: Final = "typename ts_whole<T>::type"
"""double for integers; a dependent type, so that other types only fail where the overload is used."""
_HEAD: Final = f"template <typename T> __device__ __forceinline__ {_DOUBLE}"

CMATH: Final = "".join(
    (
        "template <typename T> struct ts_whole {};\n",
        *(f"template <> struct ts_whole<{kind}> {{ typedef double type; }};\n" for kind in _WHOLE),
        *(f"{_HEAD} {name}(T x) {{ return {name}(({_DOUBLE})x); }}\n" for name in _ONE),
        *(
            f"template <typename T, typename U, typename V = {_DOUBLE}> __device__ __forceinline__ "
            f"typename ts_whole<U>::type {name}(T x, U y) {{ return {name}((V)x, (V)y); }}\n"
            for name in _TWO
        ),
        "#ifndef INFINITY\n#define INFINITY (1.0f / 0.0f)\n#endif\n",
        "#ifndef NAN\n#define NAN (0.0f / 0.0f)\n#endif\n",
    )
)
