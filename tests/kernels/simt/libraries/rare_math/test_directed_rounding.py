"""Rounding down, up and towards zero, compared with exact fractions; and products of bytes."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace

EXACT: dict[str, Any] = {
    "add": lambda a, b, c: a + b,
    "sub": lambda a, b, c: a - b,
    "mul": lambda a, b, c: a * b,
    "div": lambda a, b, c: a / b,
    "rcp": lambda a, b, c: 1 / a,
    "fma": lambda a, b, c: a * b + c,
}
COUNTS = {"add": 2, "sub": 2, "mul": 2, "div": 2, "rcp": 1, "fma": 3, "sqrt": 1}


def intrinsic(name: str, kind: str, mode: str) -> str:
    if name == "fma":
        return f"__fmaf_{mode}" if kind == "float" else f"__fma_{mode}"
    return f"__{kind[0]}{name}_{mode}"


def run(call: str, kind: str, *columns: Any) -> list[float]:
    dtype = {"float": "float32", "double": "float64"}[kind]
    names = "abc"[: len(columns)]
    parameters = ", ".join(f"const {kind} *{name}" for name in names)
    values = ", ".join(f"{name}[threadIdx.x]" for name in names)
    source = f"__global__ void k({parameters}, {kind} *r) {{ r[threadIdx.x] = {call}({values}); }}"
    given: dict[str, Any] = {n: np.array(column, dtype) for n, column in zip(names, columns, strict=True)}
    found = trace(source, {**given, "r": Unwritten(dtype, (len(columns[0]),))}, block=(len(columns[0]),))
    assert found.hazards == ()
    return list(found.outputs["r"].tolist())


@pytest.mark.parametrize("mode", ["rd", "ru", "rz"])
@pytest.mark.parametrize("kind", ["float", "double"])
@pytest.mark.parametrize("name", list(COUNTS))
def test_the_neighbour_on_the_right_side(name: str, kind: str, mode: str) -> None:
    random = np.random.default_rng(3)
    number = np.float32 if kind == "float" else np.float64
    columns = [
        np.asarray(random.normal(size=64) * 2.0 ** random.integers(-30, 30, 64), number) for _ in range(COUNTS[name])
    ]
    if name == "sqrt":
        columns = [np.abs(columns[0])]
    results = run(intrinsic(name, kind, mode), kind, *columns)
    for lane, result in enumerate(results):
        values = [Fraction(float(column[lane])) for column in columns]
        up, down = (Fraction(float(np.nextafter(number(result), number(end)))) for end in (np.inf, -np.inf))
        got = Fraction(result)
        if name == "sqrt":
            got, up, down, exact = got**2, up**2, down**2, values[0]
        else:
            exact = EXACT[name](*values, *[None] * (3 - len(values)))
        below = mode == "rd" or (mode == "rz" and exact > 0)
        assert (got <= exact < up) if below else (down < exact <= got)


@pytest.mark.parametrize(
    ("call", "kind", "values", "expected"),
    [
        ("__fadd_rd", "float", (1.0, -1.0), -0.0),
        ("__fadd_ru", "float", (1.0, -1.0), 0.0),
        ("__fadd_rd", "float", (0.0, 0.0), 0.0),
        ("__fmul_rd", "float", (3e38, 10.0), 3.4028234663852886e38),
        ("__fmul_ru", "float", (3e38, 10.0), math.inf),
        ("__fmul_rz", "float", (-3e38, 10.0), -3.4028234663852886e38),
        ("__fmul_ru", "float", (1e-45, 0.5), 1.401298464324817e-45),
        ("__fmul_rd", "float", (1e-45, 0.5), 0.0),
        ("__fdiv_rd", "float", (1.0, 0.0), math.inf),
        ("__dadd_ru", "double", (1.0, 1e-300), 1 + 2**-52),
        ("__dadd_rz", "double", (-1.0, -1e-300), -1.0),
        ("__fmul_rz", "float", (1e-30, 1e-30), 0.0),
        ("__dmul_rz", "double", (-1e-300, 1e-300), -0.0),
        ("__fma_rz", "double", (-1.0, 0.0, -0.0), -0.0),
        ("__fma_rn", "double", (1.0, 0.0, -0.0), 0.0),
    ],
)
def test_edges(call: str, kind: str, values: tuple[float, ...], expected: float) -> None:
    (result,) = run(call, kind, *([value] for value in values))
    assert (result, math.copysign(1, result)) == (expected, math.copysign(1, expected))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("__dp4a(0x01020304, 0x01010101, 5)", 15),
        ("__dp4a((int)0xff01ff01, 0x02020202, 0)", 0),
        ("__dp4a(0xff01ff01u, 0x02020202u, 0u)", 1024),
        ("__dp4a(make_char4(1, -2, 3, t), make_char4(4, 5, -6, 7), 100)", [76 + 7 * t for t in range(8)]),
        ("__dp4a(make_uchar4(255, 255, 255, 255), make_uchar4(255, 0, 0, 255), 1u)", 2 * 255 * 255 + 1),
        ("__dp2a_lo(0x0003fffe, 0x04030201, t)", [3 * 2 - 2 + t for t in range(8)]),
        ("__dp2a_hi(0x0003fffe, 0x04030201, t)", [3 * 4 - 2 * 3 + t for t in range(8)]),
        ("__dp4a(0x7f7f7f7f, 0x7f7f7f7f, 0x7fffffff)", -2147483648 + 4 * 127 * 127 - 1),
    ],
)
def test_products_of_bytes(expression: str, expected: Any) -> None:
    source = f"__global__ void k(int *r) {{ int t = threadIdx.x; r[t] = {expression}; }}"
    found = trace(source, {"r": Unwritten("int32", (8,))})
    assert found.outputs["r"].tolist() == (expected if isinstance(expected, list) else [expected] * 8)
