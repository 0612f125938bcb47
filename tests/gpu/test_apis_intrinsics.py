"""Intrinsics give the GPU's bits: operations that round to nearest, conversions, bits of words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.gpu.apis import both, identical

N = 1 << 14
DTYPES = {
    "int": "int32",
    "unsigned": "uint32",
    "long long": "int64",
    "unsigned long long": "uint64",
    "float": "float32",
    "double": "float64",
}


def compared(kind: str, result: str, expressions: list[str], values: dict[str, Any]) -> None:
    """Compare what N threads make of their a, b and c by each expression, all in one kernel."""
    parameters = ", ".join(f"const {kind} *{name}_" for name in values)
    loads = " ".join(f"{kind} {name} = {name}_[t];" for name in values)
    stores = "\n".join(f"out[{at * N} + t] = {text};" for at, text in enumerate(expressions))
    source = f"""__global__ void k({parameters}, {result} *out) {{
        int t = blockIdx.x * blockDim.x + threadIdx.x; {loads} {stores} }}"""
    given = {f"{name}_": numbers for name, numbers in values.items()}
    out = np.zeros(N * len(expressions), DTYPES[result])
    found = both(source, {**given, "out": out}, grid=N // 128, block=128)
    wrong = []
    for text, ours, theirs in zip(expressions, *(side["out"].reshape(-1, N) for side in found), strict=True):
        try:
            identical(ours, theirs)
        except AssertionError:
            signs = np.signbit(ours) != np.signbit(theirs)
            different = np.flatnonzero(((ours != theirs) | signs) & ~((ours != ours) & (theirs != theirs)))
            at = different[0]
            wrong.append((text, len(different), {n: v[at].item() for n, v in values.items()}, ours[at], theirs[at]))
    assert not wrong


def any_bits(kind: str, seed: int) -> Any:
    dtype = np.dtype(DTYPES[kind])
    return np.random.default_rng(seed).integers(0, 2 ** (8 * dtype.itemsize), N, f"u{dtype.itemsize}").view(dtype)


def mixed(kind: str, seed: int) -> Any:
    """Numbers of every size, small ones, ones near each other, and such as every direction takes elsewhere."""
    random, values = np.random.default_rng(seed), any_bits(kind, seed)
    if values.dtype.kind == "f":
        values[: N // 2] = random.uniform(-2, 2, N // 2)
        values[:400] = np.resize([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 2.0**-126, -(2.0**-1022), 3.0], 400)
        random.shuffle(values[:400])
        values[N // 4 : N // 3] = random.integers(-9, 9, N // 3 - N // 4)
    else:
        values[: N // 2] = values[: N // 2] >> random.integers(0, 8 * values.dtype.itemsize, N // 2).astype(
            values.dtype
        )
    return values


@pytest.mark.parametrize("kind", ["float", "double"])
def test_rounding_to_nearest(kind: str) -> None:
    letter, fma = ("f", "__fmaf") if kind == "float" else ("d", "__fma")
    expressions = [f"__{letter}{name}_rn(a, b)" for name in ("add", "sub", "mul", "div")]
    expressions += [f"__{letter}{name}_rn(a)" for name in ("sqrt", "rcp")] + [f"{fma}_rn(a, b, c)"]
    with np.errstate(all="ignore"):
        compared(kind, kind, expressions, {name: mixed(kind, seed) for seed, name in enumerate("abc")})


WHOLE = {"int": "int", "uint": "unsigned", "ll": "long long", "ull": "unsigned long long"}


@pytest.mark.parametrize("kind", ["float", "double"])
@pytest.mark.parametrize("target", WHOLE)
def test_conversions_to_whole_numbers(kind: str, target: str) -> None:
    values = mixed(kind, 1)
    values[::3] = np.random.default_rng(2).uniform(-(2.0**33), 2.0**33, len(values[::3]))
    values[1::9] = np.random.default_rng(2).integers(-50, 50, len(values[1::9])) / 2
    expressions = [f"__{kind}2{target}_{mode}(a)" for mode in ("rn", "rz", "rd", "ru")]
    compared(kind, WHOLE[target], [*expressions, f"({WHOLE[target]})a"], {"a": values})


@pytest.mark.parametrize("source", [*WHOLE, "double"])
def test_conversions_to_floating_ones(source: str) -> None:
    kind = WHOLE.get(source, source)
    values = mixed(kind, 3)
    if source == "double":
        with np.errstate(all="ignore"):
            values[::2] = any_bits("float", 4)[::2].astype(np.float64) * (1 + 2.0**-25)
    expressions = [f"__{source}2float_rn(a)"]
    compared(kind, "float", expressions, {"a": values})
    if source in ("ll", "ull"):
        compared(kind, "double", [text.replace("2float", "2double") for text in expressions], {"a": values})


def test_bits_of_words() -> None:
    values = {name: any_bits("unsigned", seed) for seed, name in enumerate("abc")}
    values["c"][::2] &= np.uint32(63)
    compared(
        "unsigned",
        "unsigned",
        [
            "__popc(a)",
            "__clz(a >> (c & 31))",
            "__ffs(a << (c & 31))",
            "__brev(a)",
            "__byte_perm(a, b, c)",
            "__funnelshift_l(a, b, c)",
            "__funnelshift_r(a, b, c)",
            "__funnelshift_lc(a, b, c)",
            "__funnelshift_rc(a, b, c)",
            "__mul24(a, b)",
            "__umul24(a, b)",
            "__mulhi(a, b)",
            "__umulhi(a, b)",
            "__sad(a, b, c)",
            "__usad(a, b, c)",
            "__hadd((int)a, (int)b)",
            "__rhadd(a, b)",
            "__uhadd(a, b)",
            "__urhadd(a, b)",
            "__dp4a(a, b, c)",
            "__dp4a((int)a, (int)b, (int)c)",
            "__saturatef(a) * 7",
            "__popcll((unsigned long long)a << 32 | b)",
            "__clzll((unsigned long long)a << (c & 31))",
            "__ffsll((long long)b << (c & 31))",
            "__umul64hi(a * 0x9e3779b97f4a7c15ull, b * 0xbf58476d1ce4e5b9ull)",
            "__mul64hi(a * 0x9e3779b97f4a7c15ll, -(long long)b << 20)",
            "__brevll((unsigned long long)a << 11 | b)",
        ],
        values,
    )
