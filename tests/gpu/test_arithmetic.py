"""Arithmetic, conversions, warp functions and random programs give the GPU's bits."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.simt import Options, run
from kernels.simt.intrinsics.mathematics import EXACT, ROUNDED
from tests.kernels.simt.compiler import test_fma_contraction
from tests.kernels.simt.fuzz.programs import programs
from tests.kernels.simt.intrinsics import test_mathematics, test_warp
from tests.kernels.simt.libraries.half_bfloat16 import test_half

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tests.kernels.simt.fuzz.frame import Random

N = 2048
DTYPES = {
    "int": "int32",
    "unsigned": "uint32",
    "long long": "int64",
    "half": "float16",
    "float": "float32",
    "double": "float64",
}

FUNCTIONS = """#include <cuda_fp16.h>
__device__ float plus(float x, float y) { return x + y; }
__device__ float times(float x, float y) { return x * y; }
__device__ float named(float x, float y) { float p = x * y; return p; }
__device__ float guarded(float x, float y) { if (x > 9) return x; return x * y; }
"""


def any_bits(kind: str, seed: int) -> NDArray[Any]:
    """Numbers of every size, infinities and NaNs among them."""
    dtype = np.dtype(DTYPES[kind])
    bits = np.random.default_rng(seed).integers(0, 2 ** (8 * dtype.itemsize), N, f"u{dtype.itemsize}")
    return np.asarray(bits.view(dtype))


def near_one(seed: int) -> NDArray[Any]:
    """Floats of either sign whose products and sums need all their bits."""
    random = np.random.default_rng(seed)
    return np.asarray(random.uniform(0.5, 2, N) * random.choice([-1, 1], N), np.float32)


def both(
    body: str, kind: str, result: str, values: dict[str, NDArray[Any]], *, fmad: bool = True
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the r of each of `N` threads: in the simulator, and on the GPU."""
    cupy = pytest.importorskip("cupy")
    from tests.gpu.launch_source import launch_source

    parameters = ", ".join(f"const {kind} *{name}_" for name in values)
    loads = " ".join(f"{kind} {name} = {name}_[g];" for name in values)
    source = f"""{FUNCTIONS}
        extern "C" __global__ void k({parameters}, {result} *out) {{
        int t = threadIdx.x, g = blockIdx.x * blockDim.x + t; {loads} {result} r = 0; {body} out[g] = r; }}"""
    launch = Launch(Dim3(N // 128), Dim3(128))
    given = {f"{name}_": numbers for name, numbers in values.items()}
    out = np.zeros(N, DTYPES[result])
    with np.errstate(all="ignore"):
        found = run(parse(source, "k.cu"), launch, {**given, "out": out}, options=Options(contract=fmad))
    arrays = {name: cupy.asarray(numbers) for name, numbers in {**given, "out": out}.items()}
    launch_source(source, "k", launch, arrays, fmad=fmad)
    return found.outputs["out"], cupy.asnumpy(arrays["out"])


def same(found: tuple[NDArray[Any], NDArray[Any]]) -> None:
    """Every bit, but for those inside a NaN."""
    ours, theirs = found
    np.testing.assert_array_equal(ours, theirs)
    if ours.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(ours) & ~np.isnan(ours), np.signbit(theirs) & ~np.isnan(theirs))


@pytest.mark.parametrize("fmad", [True, False])
def test_sums_of_products(fmad: bool) -> None:
    for numbers in (near_one, lambda seed: any_bits("float", seed)):
        values = {name: numbers(seed) for seed, name in enumerate("abcd")}
        for expression, *_ in test_fma_contraction.CASES:
            same(both(f"r = {expression};", "float", "float", values, fmad=fmad))


def test_products_through_variables_and_functions() -> None:
    values = {name: near_one(seed) for seed, name in enumerate("abcd")}
    for body, _ in test_fma_contraction.THROUGH:
        if "if (c < 9) out" not in body:  # nothing is left where it does not hold
            text = body.replace("float r", "float s").replace("r +=", "s +=").replace("= r;", "= s;")
            same(both(text.replace("out[t]", "r").replace("out[0]", "out[g]"), "float", "float", values))


@pytest.mark.parametrize("kind", ["float", "double"])
@pytest.mark.parametrize("name", EXACT)
def test_exact_functions(name: str, kind: str) -> None:
    if name == "fdivide" and kind == "double":
        return
    values = {letter: any_bits(kind, seed) for letter, seed in zip("ab"[: EXACT[name][0]], (1, 2), strict=False)}
    suffix = "f" if kind == "float" else ""
    same(both(f"r = {name}{suffix}({', '.join(values)});", kind, kind, values))


@pytest.mark.parametrize("kind", ["float", "double"])
@pytest.mark.parametrize("name", sorted(set(ROUNDED) - {"lgamma", "normcdf"}))
def test_other_functions_differ_in_the_last_bits(name: str, kind: str) -> None:
    random, dtype = np.random.default_rng(4), np.dtype(DTYPES[kind])
    count, low, high = ROUNDED[name][0], 0.01, 0.99 if name in ("asin", "acos", "atanh") else 20
    values = {letter: random.uniform(low + (name == "acosh"), high, N).astype(dtype) for letter in "abc"[:count]}
    suffix = "f" if kind == "float" else ""
    ours, theirs = both(f"r = {name}{suffix}({', '.join(values)});", kind, kind, values)
    bits = f"i{dtype.itemsize}"
    assert np.abs(ours.view(bits).astype(object) - theirs.view(bits).astype(object)).max() <= 6


@pytest.mark.parametrize("source", ["half", "float", "double"])
def test_casts_to_integers(source: str) -> None:
    values = {"a": any_bits(source, 1)}
    for target in (
        "signed char",
        "unsigned char",
        "short",
        "unsigned short",
        "int",
        "unsigned",
        "long long",
        "unsigned long long",
    ):
        same(both(f"r = (long long)({target})a;", source, "long long", values))


def test_integer_functions() -> None:
    values = {"a": any_bits("int", 1), "b": any_bits("int", 2)}
    for expression, _ in test_mathematics.INTEGERS:
        same(both(f"r = {expression};", "int", "int", values))


def test_operations_on_halves() -> None:
    values = {"a": any_bits("half", 1), "b": any_bits("half", 2)}
    for expression in [e for e, _ in test_half.EXPRESSIONS] + ["a * b + a", "a - a * b", "__hfma(a, b, a)"]:
        if "hexp" not in expression:
            same(both(f"r = {expression};", "half", "half", values))


def test_warps() -> None:
    values = {"v": np.random.default_rng(1).integers(0, 1000, N, np.uint32)}
    for expression, _ in test_warp.VOTES:
        if "_sync(0xffff," not in expression and not expression.startswith(("__any(", "__ballot(")):
            same(both(f"r = {expression};", "unsigned", "unsigned", values))
    for way in ("", "_up", "_down", "_xor"):
        for by, width in ((1, 32), (5, 32), (3, 8), (9, 8), (31, 32), (40, 32), ("v & 15", 8)):
            body = f"r = __shfl{way}_sync(0xffffffff, v, {by}, {width});"
            same(both(body, "unsigned", "unsigned", values))


LONG = os.environ.get("TILESCOPE_FUZZ")


@settings(
    max_examples=int(LONG or 50),
    derandomize=not LONG,
    deadline=None,
    database=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),  # to shrink takes minutes: NVRTC is slow
)
@given(random=programs())
def test_the_gpu_does_what_the_simulator_does(random: Random, capfd: pytest.CaptureFixture[str]) -> None:
    cupy = pytest.importorskip("cupy")
    from tests.gpu.launch_source import launch_source

    arguments = random.arguments()
    found = run(
        parse(random.source, "k.cu"),
        random.launch,
        arguments,
        options=Options(random.schedule, contract=False),
    )
    arrays = {n: cupy.asarray(v) if isinstance(v, np.ndarray) else v for n, v in arguments.items()}
    launch_source(random.source, "k", random.launch, arrays, fmad=False)
    for name in ("RI", "RF", "RV", "COUNT"):
        np.testing.assert_array_equal(found.outputs[name], cupy.asnumpy(arrays[name]), err_msg=name)
    capfd.readouterr()  # what was printed comes in any order
