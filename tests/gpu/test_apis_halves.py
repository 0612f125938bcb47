"""half and bfloat16: all 65,536 numbers through every function of one, and many pairs through those of two."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.cases import Cases
from tests.gpu.apis import both, identical

CASES = Cases(__file__)

ALL = np.arange(65536, dtype=np.uint16)
KINDS = {"half": "float16", "__nv_bfloat16": "uint16"}
RESULTS = {
    **KINDS,
    "float": "float32",
    "int": "int32",
    "unsigned": "uint32",
    "short": "int16",
    "bool": "uint8",
    "long long": "int64",
    "unsigned short": "uint16",
    "double": "float64",
}
HEADERS = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"


def computed(kind: str, result: str, body: str, values: dict[str, Any], *, fmad: bool = True) -> Any:
    """Return what threads make of their a, b and c, ours and the GPU's; bits of bfloat16 as floats."""
    count = len(next(iter(values.values())))
    parameters = ", ".join(f"const {kind} *{name}_" for name in values)
    loads = " ".join(f"{kind} {name} = {name}_[t];" for name in values)
    source = f"""{HEADERS}__global__ void k({parameters}, {result} *out) {{
        int t = blockIdx.x * blockDim.x + threadIdx.x; {loads} {body} }}"""
    given = {f"{name}_": bits.view(KINDS[kind]) for name, bits in values.items()}
    given["out"] = np.zeros(count, RESULTS[result])
    found = both(source, given, grid=count // 256, block=256, fmad=fmad)
    return [numbers(side["out"], result) for side in found]


def numbers(values: Any, kind: str) -> Any:
    """Return floats for the bits of bfloat16."""
    return (values.astype(np.uint32) << 16).view(np.float32) if kind == "__nv_bfloat16" else values


def pairs(seed: int) -> Any:
    """A quarter of a million bit patterns."""
    return np.random.default_rng(seed).integers(0, 65536, 1 << 18, np.uint16)


ONE = ("hexp", "hrsqrt", "__hneg")
TWO = (
    "a + b",
    "a - b",
    "a * b",
    "a / b",
    "__hadd(a, b)",
    "__hsub(a, b)",
    "__hmul(a, b)",
    "__hdiv(a, b)",
    "__hmin(a, b)",
    "__hmax(a, b)",
    "a * b + a",
    "b - a * b",
    "-a",
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ONE)
def test_functions_of_one(kind: str, name: str) -> None:
    identical(*computed(kind, kind, f"out[t] = {name}(a);", {"a": ALL}))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("expression", TWO)
def test_operations(kind: str, expression: str) -> None:
    identical(*computed(kind, kind, f"out[t] = {expression};", {"a": pairs(1), "b": pairs(2)}))


@pytest.mark.parametrize("kind", KINDS)
def test_fused_operations(kind: str) -> None:
    values = {"a": pairs(1), "b": pairs(2), "c": pairs(3)}
    for expression in ("__hfma(a, b, c)", "a * b + c", "__hsub(c, a * b)"):
        identical(*computed(kind, kind, f"out[t] = {expression};", values))
    identical(*computed(kind, kind, "out[t] = a * b + c;", values, fmad=False))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("op", ["<", "<=", ">", ">=", "==", "!="])
def test_comparisons(kind: str, op: str) -> None:
    values = {"a": pairs(1), "b": np.where(pairs(3) % 4 > 0, pairs(2), pairs(1))}
    name = {"<": "__hlt", "<=": "__hle", ">": "__hgt", ">=": "__hge", "==": "__heq", "!=": "__hneu"}[op]
    identical(*computed(kind, "bool", f"out[t] = a {op} b;", values))
    identical(*computed(kind, "bool", f"out[t] = {name}(a, b);", values))


@pytest.mark.parametrize(
    ("expression", "result", "kind"),
    [
        ("__half2float(a)", "float", "half"),
        ("(float)a", "float", "half"),
        *((f"__half2int_{way}(a)", "int", "half") for way in ("rn", "rz", "rd", "ru")),
        *((f"__half2uint_{way}(a)", "unsigned", "half") for way in ("rn", "rz", "rd", "ru")),
        ("__half2short_rz(a)", "short", "half"),
        ("__half2ll_rn(a)", "long long", "half"),
        ("__half_as_ushort(a)", "unsigned short", "half"),
        ("__bfloat162float(a)", "float", "__nv_bfloat16"),
        ("__bfloat16_as_ushort(a)", "unsigned short", "__nv_bfloat16"),
    ],
)
def test_conversions_from(expression: str, result: str, kind: str) -> None:
    identical(*computed(kind, result, f"out[t] = {expression};", {"a": ALL}))


@pytest.mark.parametrize(("source", "expression", "kind"), CASES("conversions_to"))
def test_conversions_to(source: str, expression: str, kind: str) -> None:
    random, dtype = np.random.default_rng(3), np.dtype(RESULTS[source])
    values = random.integers(0, 2 ** (8 * dtype.itemsize), 1 << 18, f"u{dtype.itemsize}").view(dtype)
    if dtype.kind == "f":  # many near the numbers of half, and on the ties between two
        finite = ALL[ALL & 0x7C00 < 0x7C00].view(np.float16).astype(dtype)
        values[: 1 << 17] = np.resize(finite, 1 << 17) * (1 + random.integers(-4, 5, 1 << 17) * dtype.type(2.0**-12))
    else:
        values = values >> random.integers(0, 8 * dtype.itemsize, 1 << 18).astype(dtype)
    text = f"""{HEADERS}__global__ void k(const {source} *in, {kind} *out) {{
        int t = blockIdx.x * blockDim.x + threadIdx.x; {source} a = in[t]; out[t] = {expression}; }}"""
    ours, theirs = both(text, {"in": values, "out": np.zeros(1 << 18, KINDS[kind])}, grid=1024, block=256)
    identical(numbers(ours["out"], kind), numbers(theirs["out"], kind))


PAIRS = {"half": "half2", "__nv_bfloat16": "__nv_bfloat162"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("expression", CASES("two_at_once"))
def test_two_at_once(kind: str, expression: str) -> None:
    make = "__halves2half2" if kind == "half" else "__halves2bfloat162"
    for part in "xy":
        body = f"{PAIRS[kind]} x = {make}(a, b), y = {make}(b, c), z = {expression}; out[t] = z.{part};"
        identical(*computed(kind, kind, body, {"a": pairs(1), "b": pairs(2), "c": pairs(3)}))
