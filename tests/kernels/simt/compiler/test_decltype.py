"""decltype and typeof of expressions."""

from __future__ import annotations

import pytest

from kernels.errors import SourceError
from tests.kernels.simt.programs import lanes


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        ("", "decltype(t) x = t; decltype(x * 1.5f) y = x; r = sizeof(y) + y / 2 * 2;", [4 + t for t in range(8)]),
        (
            "__device__ int f(int x) { decltype(x) y = -x; return y; }",
            "decltype(threadIdx.x) u = -1; decltype(warpSize / 2) w = -1; r = f(t) + (u > 0) * 10 + (w > 0) * 100;",
            [10 - t for t in range(8)],
        ),
        (
            "",
            "short s[2] = {3, 4}; typeof(s[0] + 0l) x = s[t & 1]; decltype(&s[1]) p = s; r = x * sizeof x + *p;",
            [27, 35] * 4,
        ),
        (
            "template <class A, class B> __device__ auto add(A a, B b) -> decltype(a + b) { return a + b; }",
            "r = add(t, 0.5f) * 2;",
            [2 * t + 1 for t in range(8)],
        ),
        (
            "struct V { float x; __device__ float operator[](int i) const { return x * i; } };",
            "V v{1.5f}; decltype(v[2]) y = v[3] + t; r = y * 2;",
            [9 + 2 * t for t in range(8)],
        ),
    ],
)
def test_the_type_of_an_expression(before: str, body: str, expected: list[int]) -> None:
    assert lanes(body, before=before) == expected


def test_decltype_of_an_overloaded_template_is_refused() -> None:
    same = "template <class T> __device__ T same"
    before = f"{same}(T x) {{ return x; }}\n{same}(T *x) {{ return *x; }}"
    with pytest.raises(SourceError, match=r"decltype\(same\(t\)\); write the type, or auto"):
        lanes("decltype(same(t)) x = 1; r = x;", before=before)
