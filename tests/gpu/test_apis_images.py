"""Textures, surfaces and random numbers give the GPU's pixels and cuRAND's numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.cases import Cases
from tests.gpu.apis import Pixels, both, identical

CASES = Cases(__file__)

N = 512
RANDOM = np.random.default_rng(7)
ROW, IMAGE, VOLUME = (RANDOM.standard_normal(shape).astype(np.float32) for shape in ((37,), (9, 13), (5, 6, 7)))
COLOURS = RANDOM.integers(0, 256, (9, 13, 4)).astype(np.uint8)


def anywhere() -> dict[str, Any]:
    """Coordinates in all directions from the pixels, on borders between them too, and what is no number."""
    random = np.random.default_rng(8)
    given = {name: random.uniform(-6, 20, N).astype(np.float32) for name in "xyz"}
    for at, values in enumerate(given.values()):
        values[at::4] = np.round(values[at::4])
        values[100:106] = [np.nan, np.inf, -np.inf, 1e30, -1e30, -0.0]
    return given


def read(expression: str, tex: Pixels, kind: str = "float") -> None:
    """Compare what N threads read, each with x, y, z, and whole numbers i inside of a row."""
    source = f"""__global__ void k(
        cudaTextureObject_t tex, const float *xs, const float *ys, const float *zs, {kind} *r) {{
        int t = blockIdx.x * blockDim.x + threadIdx.x, i = t % 37; float x = xs[t], y = ys[t], z = zs[t];
        r[t] = {expression}; }}"""
    count = int(kind[-1]) if kind[-1].isdigit() else 1
    dtype = {"float": np.float32, "int": np.int32, "uchar": np.uint8, "half": np.float16}[kind.rstrip("1234")]
    shape = (N, count) if count > 1 else (N,)
    coordinates = {f"{name}s": values for name, values in anywhere().items()}
    given = {"tex": tex, **coordinates, "r": np.zeros(shape, dtype)}
    ours, theirs = both(source, given, grid=N // 32)
    identical(ours["r"], theirs["r"])


@pytest.mark.parametrize(
    ("expression", "tex"),
    [
        ("tex1Dfetch<float>(tex, i)", Pixels(ROW, linear=True)),
        ("tex1D<float>(tex, x * 2)", Pixels(ROW)),
        ("tex2D<float>(tex, x, y)", Pixels(IMAGE)),
        ("tex2DLod<float>(tex, x, y, 0)", Pixels(IMAGE)),
        ("tex3D<float>(tex, x, y, z)", Pixels(VOLUME)),
        ("tex2DLayered<float>(tex, x, y, t % 5)", Pixels(VOLUME, layered=True)),
        ("tex2DLayered<float>(tex, x, y, t % 9 - 2)", Pixels(VOLUME, layered=True)),
    ],
    ids=str,
)
def test_pixels_and_those_at_the_edge(expression: str, tex: Pixels) -> None:
    read(expression, tex)


@pytest.mark.parametrize(
    ("expression", "kind", "tex"),
    [
        ("tex2D<uchar4>(tex, x, y)", "uchar4", Pixels(COLOURS, 4)),
        ("tex2D<float4>(tex, x, y)", "float4", Pixels(COLOURS, 4, fractions=True)),
        (
            "tex2D<float>(tex, x, y)",
            "float",
            Pixels(np.arange(256, dtype=np.uint8).reshape(16, 16), fractions=True),
        ),
        ("tex1D<float>(tex, t)", "float", Pixels(np.arange(-128, 128, dtype=np.int8), fractions=True)),
        (
            "tex1D<float>(tex, t)",
            "float",
            Pixels((np.arange(512) * 128 - 32768).astype(np.int16), fractions=True),
        ),
        ("tex1D<float>(tex, t)", "float", Pixels((np.arange(512) * 128).astype(np.uint16), fractions=True)),
        ("tex1D<float>(tex, t)", "float", Pixels((np.arange(512) * 127).astype(np.uint16).view(np.float16))),
        ("tex2D<int>(tex, x, y)", "int", Pixels(IMAGE.view(np.int32))),
        ("tex1D<float2>(tex, x)", "float2", Pixels(ROW[:36].reshape(18, 2), 2)),
        ("tex3D<float4>(tex, x, y, z)", "float4", Pixels(np.stack([VOLUME, VOLUME, -VOLUME, VOLUME], -1), 4)),
    ],
    ids=str,
)
def test_kinds_of_pixels(expression: str, kind: str, tex: Pixels) -> None:
    read(expression, tex, kind)


@pytest.mark.parametrize(
    ("expression", "kind", "tex"),
    [
        ("tex1D<float>(tex, x {by} 37)", "float", Pixels(ROW)),
        ("tex2D<float>(tex, x {by} 13, y {by} 9)", "float", Pixels(IMAGE)),
        ("tex3D<float>(tex, x {by} 7, y {by} 6, z {by} 5)", "float", Pixels(VOLUME)),
        ("tex2DLayered<float>(tex, x {by} 7, y {by} 6, t % 5)", "float", Pixels(VOLUME, layered=True)),
        ("tex2D<float4>(tex, x {by} 13, y {by} 9)", "float4", Pixels(COLOURS, 4, fractions=True)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("words", CASES("filters_and_what_lies_beyond"))
def test_filters_and_what_lies_beyond_the_edges(expression: str, kind: str, tex: Pixels, words: str) -> None:
    read(expression.format(by="/" if "normalized" in words else "+ 0 *"), replace(tex, words=words), kind)


@pytest.mark.parametrize("words", ["", "border", "linear"])
def test_gathers(words: str) -> None:
    for component in range(4):
        floats = np.stack([IMAGE, -IMAGE, IMAGE * 2, IMAGE + 1], -1)
        read(f"tex2Dgather<float4>(tex, x, y, {component})", Pixels(floats, 4, words=words), "float4")


@pytest.mark.parametrize("mode", ["cudaBoundaryModeZero", "cudaBoundaryModeClamp"])
@pytest.mark.parametrize(
    ("name", "coordinates", "threads", "pixels"),
    [
        ("surf1D", "(t - 10) * 4", 64, Pixels(ROW)),
        ("surf2D", "(t % 20 - 3) * 4, t / 20 - 4", 512, Pixels(IMAGE)),
        ("surf3D", "(t % 9 - 1) * 4, t / 9 % 8 - 1, t / 72 - 1", 512, Pixels(VOLUME)),
        ("surf2DLayered", "(t % 9 - 1) * 4, t / 9 % 8 - 1, t / 72", 360, Pixels(VOLUME, layered=True)),
    ],
)
def test_surfaces(name: str, coordinates: str, threads: int, pixels: Pixels, mode: str) -> None:
    write = f"{name}write(found + 1, surf, {coordinates}, cudaBoundaryModeZero);"
    source = f"""__global__ void k(cudaSurfaceObject_t surf, float *r) {{
        int t = blockIdx.x * blockDim.x + threadIdx.x;
        if (t >= {threads}) return;
        float found = {name}read<float>(surf, {coordinates}, {mode});
        r[t] = found; {write if mode == "cudaBoundaryModeZero" else ""} }}"""
    ours, theirs = both(source, {"surf": pixels, "r": np.zeros(N, np.float32)}, grid=N // 32)
    identical(ours["r"], theirs["r"])
    identical(ours["surf"], theirs["surf"])


def test_surfaces_of_colours() -> None:
    source = CASES.source("surfaces_of_colours")
    ours, theirs = both(source, {"surf": Pixels(COLOURS, 4), "tex": Pixels(255 - COLOURS, 4)}, block=128)
    identical(ours["surf"], theirs["surf"])


THREADS = 256
START = """#include <curand_kernel.h>
__global__ void k(const unsigned long long *seed, const unsigned long long *sequence, const unsigned long long *offset,
                  curandState *states, {kind} *out) {{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    curandState s;
    curand_init(seed[t], sequence[t], offset[t], &s);
    {body}
    states[t] = s;
}}"""


def drawn(kind: str, width: int, body: str) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Return states and numbers of N threads with different seeds, sequences and offsets: ours and the GPU's."""
    random = np.random.default_rng(5)
    start = {
        name: random.integers(0, 2**63, THREADS, np.uint64) >> random.integers(0, 63, THREADS, np.uint64)
        for name in ("seed", "sequence", "offset")
    }
    dtype = {"unsigned": np.uint32, "float": np.float32, "double": np.float64}[kind]
    out = {"states": np.zeros((THREADS, 12), np.uint32), "out": np.zeros((THREADS, width), dtype)}
    ours, theirs = both(START.format(kind=kind, body=body), {**start, **out}, grid=THREADS // 32)
    return (ours["states"][:, :6], theirs["states"][:, :6]), (ours["out"], theirs["out"])


WHOLE = "for (int i = 0; i < 6; i++) out[6 * t + i] = curand(&s);"


@pytest.mark.parametrize(
    ("kind", "width", "body"),
    [
        ("unsigned", 6, WHOLE),
        ("float", 5, "for (int i = 0; i < 5; i++) out[5 * t + i] = curand_uniform(&s);"),
        ("double", 5, "for (int i = 0; i < 5; i++) out[5 * t + i] = curand_uniform_double(&s);"),
    ],
)
def test_whole_and_uniform_numbers(kind: str, width: int, body: str) -> None:
    states, numbers = drawn(kind, width, body)
    identical(*states)
    identical(*numbers)


@pytest.mark.parametrize(("kind", "width", "body", "most"), CASES("normal_numbers_differ"))
def test_normal_numbers_differ_in_the_last_digits(kind: str, width: int, body: str, most: float) -> None:
    states, (ours, theirs) = drawn(kind, width, body)
    identical(*states)
    assert np.abs(ours - theirs).max() <= most
