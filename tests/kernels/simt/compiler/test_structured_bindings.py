"""Structured bindings of structs and arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.simt import Unwritten, run
from tests.kernels.simt.programs import lanes

if TYPE_CHECKING:
    import numpy as np

    from kernels.trace import Trace


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        (
            "",
            "P p{t, 2}; auto [x, y] = p; auto &[u, v] = p; v = 5; r = x + 10 * y + 100 * p.y + 1000 * u;",
            [t + 520 + 1000 * t for t in range(8)],
        ),
        (
            "__device__ P made(int t) { return {t, t + 1}; }",
            "auto [x, y] = made(t); const auto [a, b](made(5)); r = x * y + b;",
            [t * (t + 1) + 6 for t in range(8)],
        ),
        (
            "",
            "int a[2] = {t, 3}; auto [x, y] = a; auto &[u, v] = a; u = 7; r = x + 10 * y + 100 * a[0];",
            [t + 730 for t in range(8)],
        ),
        ("", "for (auto [x, y] = P{0, t}; x < y; ++x) r += x;", [sum(range(t)) for t in range(8)]),
    ],
)
def test_structured_bindings(before: str, body: str, expected: list[int]) -> None:
    assert lanes(body, before=f"struct P {{ int x, y; }};\n{before}") == expected


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("P p{t, 2}; auto [x, y, z] = p;", "3 names for the 2 parts of P"),
        ("auto [x, y] = t;", "a structured binding of a value that is no plain struct or array; name its type first"),
    ],
)
def test_bindings_that_do_not_fit_are_refused(body: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        lanes(body, before="struct P { int x, y; };")


def _traced(source: str, arguments: dict[str, np.ndarray | Unwritten], template: dict[str, str]) -> Trace:
    program = parse(source, "test.cu")
    return run(program, Launch(Dim3(1), Dim3(8)), arguments, template=template)


@pytest.mark.parametrize(
    "source",
    [
        "__device__ Place find(int t) { return {t / 4, t % 4}; }\n#define FIND find(threadIdx.x)",
        "template <int N> __device__ Place find(int t) { return {t / N, t % N}; }\n#define FIND find<M>(threadIdx.x)",
        "template <class T> __device__ T find(int t) { return {t / 4, t % 4}; }\n#define FIND find<Place>(threadIdx.x)",
    ],
    ids=["function", "template", "template's type"],
)
def test_bindings_of_a_function_result_in_a_template_kernel(source: str) -> None:
    kernel = """
    template <int M> __global__ void k(int *out) { auto [row, column] = FIND; out[threadIdx.x] = 10 * row + column; }"""
    made = _traced(
        f"struct Place {{ int row, column; }};\n{source}\n{kernel}",
        {"out": Unwritten("int32", (8,))},
        {"M": "4"},
    )
    assert made.outputs["out"].tolist() == [0, 1, 2, 3, 10, 11, 12, 13]
