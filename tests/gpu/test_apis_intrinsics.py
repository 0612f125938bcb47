"""Intrinsics give the GPU's bits: rounding in every direction, conversions, words of several numbers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from kernels.simt.libraries.rare_math.directed_rounding import DIRECTED
from kernels.simt.libraries.rare_math.packed_integers import PACKED
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
@pytest.mark.parametrize("mode", ["rn", "rd", "ru", "rz"])
def test_rounding_in_every_direction(kind: str, mode: str) -> None:
    letter, fma = ("f", "__fmaf") if kind == "float" else ("d", "__fma")
    expressions = [f"__{letter}{name}_{mode}(a, b)" for name in ("add", "sub", "mul", "div")]
    expressions += [f"__{letter}{name}_{mode}(a)" for name in ("sqrt", "rcp")] + [f"{fma}_{mode}(a, b, c)"]
    assert mode == "rn" or all(re.match(r"\w+", text)[0] in DIRECTED for text in expressions)  # type: ignore[index]
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
    expressions = [f"__{source}2float_{mode}(a)" for mode in ("rn", "rz", "rd", "ru")]
    compared(kind, "float", expressions, {"a": values})
    if source in ("ll", "ull"):
        compared(kind, "double", [text.replace("2float", "2double") for text in expressions], {"a": values})


def operands(name: str) -> str:
    if re.fullmatch(r"__v(abs|neg|absss|negss)\d", name):
        return "a"
    return "a, b, c" if name.startswith("__viadd") or name.split("_")[2].endswith("3") else "a, b"


def test_words_of_two_and_four_numbers() -> None:
    values = {name: any_bits("unsigned", seed) for seed, name in enumerate("abc")}
    values["b"][::2] ^= values["a"][::2] & np.uint32(0xFF00FFFF)  # parts that are equal, or nearly
    values["c"][::3] = values["a"][::3]
    plain = [name for name in PACKED if not name.startswith("__vib")]
    compared("unsigned", "unsigned", [f"{name}({operands(name)})" for name in plain], values)
    chosen = []
    for best in ("max", "min"):
        for sign, kind in (("s", "int"), ("u", "unsigned")):
            chosen.append((f"__vib{best}_{sign}32", kind, "&p"))
            chosen.append((f"__vib{best}_{sign}16x2", "unsigned", "&p, &q"))
    body = "\n".join(
        f"{{ bool p = false, q = false; unsigned w = {name}(({kind})a, ({kind})b, {to});"
        f"  out[{at * N} + t] = w * 4 + p * 2 + q; }}"
        for at, (name, kind, to) in enumerate(chosen)
    )
    source = f"""__global__ void k(const unsigned *a_, const unsigned *b_, unsigned *out) {{
        int t = blockIdx.x * blockDim.x + threadIdx.x; unsigned a = a_[t], b = b_[t]; {body} }}"""
    given = {"a_": values["a"], "b_": values["b"], "out": np.zeros(N * len(chosen), np.uint32)}
    ours, theirs = both(source, given, grid=N // 128, block=128)
    identical(ours["out"], theirs["out"])


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
            "__dp2a_lo(a, b, c)",
            "__dp2a_hi(a, b, c)",
            "__dp2a_lo((int)a, (int)b, (int)c)",
            "__vadd4(a, b)",
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
