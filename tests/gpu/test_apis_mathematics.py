"""Distances between the simulator's mathematics and the GPU's; half and bfloat16 to the bit."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from kernels.simt.intrinsics.mathematics import EXACT, FLOAT_ONLY, ROUNDED
from tests.cases import Cases
from tests.gpu.apis import bits, both, identical

CASES = Cases(__file__)

N: Final = 1 << 20
TABLE: Final = Path(__file__).parents[2] / "docs" / "language" / "numbers.md"
DTYPES: Final = {"float": np.float32, "double": np.float64}

RANGES: Final = CASES.mapping("ranges")
"""The interesting range of each function, else -100 to 100. Half of the numbers are from it, half have any bits."""

OPERANDS: Final = {name: count for name, (count, _) in ROUNDED.items()}

FAST: Final = CASES.mapping("fast")
"""The fast ones, and where they are compared."""


def given(name: str, kind: str, count: int) -> dict[str, Any]:
    """Return the operands."""
    dtype = np.dtype(DTYPES[kind])
    found = {}
    for seed, letter in enumerate("abcd"[:count]):
        random = np.random.default_rng(seed + 17)
        values = random.integers(0, 2 ** (8 * dtype.itemsize), N, f"u{dtype.itemsize}").view(dtype)
        low, high = RANGES.get(name, (-100, 100))
        values[::2] = random.uniform(low, high, N // 2)
        found[letter] = values
    return found


def results(call: str, kind: str, values: dict[str, Any]) -> tuple[Any, Any]:
    """Return what the simulator and the GPU make of N operands."""
    parameters = ", ".join(f"const {kind} *{letter}_" for letter in values)
    arguments = ", ".join(f"{letter}_[t]" for letter in values)
    source = f"""__global__ void k({parameters}, {kind} *out) {{
        int t = blockIdx.x * blockDim.x + threadIdx.x; out[t] = {call}({arguments}); }}"""
    arrays = {f"{letter}_": numbers for letter, numbers in values.items()}
    ours, theirs = both(source, {**arrays, "out": np.zeros(N, DTYPES[kind])}, grid=N // 256, block=256)
    return ours["out"], theirs["out"]


def apart(name: str, kind: str) -> float:
    """Return the most steps between our results and the GPU's; infinitely many where only one is a number."""
    call = f"{name}f" if kind == "float" else name
    ours, theirs = results(call, kind, given(name, kind, OPERANDS.get(name) or EXACT[name][0]))
    differ = (ours != theirs) & ~(np.isnan(ours) & np.isnan(theirs))
    if not differ.any():
        return 0
    ours, theirs = ours[differ], theirs[differ]
    steps = np.abs(bits(ours).astype(object) - bits(theirs).astype(object)).astype(float)
    return float(np.where(np.isnan(ours) | np.isnan(theirs), np.inf, steps).max())


def off(name: str) -> float:
    """Return how far a fast function's results lie from ours, relative to those that are larger than 1."""
    low, high = FAST[name]
    values = {
        letter: np.random.default_rng(seed).uniform(low, high, N).astype(np.float32)
        for seed, letter in enumerate("ab"[: FLOAT_ONLY[name][0]])
    }
    ours, theirs = (side.astype(float) for side in results(name, "float", values))
    return float((np.abs(ours - theirs) / np.maximum(np.abs(ours), 1)).max())


def stated() -> dict[str, tuple[str, str]]:
    """Return what the table says: by function, of float and of double."""
    text = re.sub(r"\s*\n(?!\|)", " ", TABLE.read_text(encoding="utf-8"))
    rows = re.findall(r"^\| (`[^|]*`) \| (\S+) \| (\S+) \|", text, re.MULTILINE)
    return {name: (single, double) for names, single, double in rows for name in re.findall(r"`(\w+)`", names)}


@pytest.mark.parametrize("kind", DTYPES)
@pytest.mark.parametrize("name", OPERANDS)
def test_the_last_bits(name: str, kind: str) -> None:
    assert apart(name, kind) <= float(stated()[name][kind == "double"])


@pytest.mark.parametrize("kind", DTYPES)
@pytest.mark.parametrize("name", EXACT)
def test_equal(name: str, kind: str) -> None:
    if name != "fdivide" or kind == "float":
        assert apart(name, kind) == 0


@pytest.mark.parametrize("name", FAST)
def test_the_fast_ones(name: str) -> None:
    assert off(name) <= float(stated()[name][0])


def test_parts_of_numbers() -> None:
    source = CASES.source("parts_of_numbers")
    values = np.random.default_rng(5).integers(0, 2**32, N, np.uint32).view(np.float32)
    outputs = {"out": np.zeros(3 * N, np.float32), "classes": np.zeros(N, np.int32)}
    ours, theirs = both(source, {"a": values, **outputs}, grid=N // 256, block=256)
    identical(ours["out"], theirs["out"])
    identical(ours["classes"], theirs["classes"])


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


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ONE)
def test_functions_of_one(kind: str, name: str) -> None:
    identical(*computed(kind, kind, f"out[t] = {name}(a);", {"a": ALL}))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("expression", CASES("operations"))
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
