"""Distances between the simulator's mathematics and the GPU's: at most those of docs/language/numbers.md."""

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

RANGES: Final = {
    "exp": (-110, 95),
    "exp2": (-155, 135),
    "exp10": (-50, 40),
    "expm1": (-30, 95),
    "asin": (-1, 1),
    "acos": (-1, 1),
    "atanh": (-1, 1),
    "acosh": (1, 1e4),
    "sinh": (-95, 95),
    "cosh": (-95, 95),
    "tanh": (-12, 12),
    "erf": (-5, 5),
    "erfc": (-6, 12),
    "normcdf": (-16, 6),
    "tgamma": (-45, 37),
    "lgamma": (-45, 60),
    "log1p": (-1, 10),
    "sinpi": (-20, 20),
    "cospi": (-20, 20),
    "pow": (0, 30),
}
"""The interesting range of each function, else -100 to 100. Half of the numbers are from it, half have any bits."""

OPERANDS: Final = {name: count for name, (count, _) in ROUNDED.items()}

FAST: Final = {
    "__sinf": (-3.141592, 3.141592),
    "__cosf": (-3.141592, 3.141592),
    "__tanf": (-1.5, 1.5),
    "__expf": (-80, 80),
    "__exp10f": (-35, 35),
    "__logf": (0.01, 100),
    "__log2f": (0.01, 100),
    "__log10f": (0.01, 100),
    "__powf": (0.1, 10),
    "__tanhf": (-5, 5),
}
"""The fast ones, and where they are compared."""


def given(name: str, kind: str, count: int) -> dict[str, Any]:
    """Return the operands."""
    dtype = np.dtype(DTYPES[kind])
    found = {}
    for seed, letter in enumerate("abcd"[:count]):
        random = np.random.default_rng(seed + 17)
        values = random.integers(0, 2 ** (8 * dtype.itemsize), N, f"u{dtype.itemsize}").view(dtype)
        values[::2] = random.uniform(*RANGES.get(name, (-100, 100)), N // 2)
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
    values = {
        letter: np.random.default_rng(seed).uniform(*FAST[name], N).astype(np.float32)
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
