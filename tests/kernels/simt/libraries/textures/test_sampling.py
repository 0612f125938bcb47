"""Textures with settings of their host: filtered, wrapped, with coordinates from 0 to 1; gathers and cubes."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from kernels.arguments import parse_arguments
from kernels.errors import InputError, TilescopeError
from kernels.simt import Sampler, Texture, Unwritten
from tests.kernels.simt.programs import trace

IMAGE = np.arange(24, dtype=np.float32).reshape(4, 6) ** 2
VOLUME = np.random.default_rng(1).random((3, 4, 5)).astype(np.float32)
X = np.array([-3.2, -0.5, 0.25, 0.5, 1.7, 2.49805, 5.9, 11.1], np.float32)
Y = np.array([0.1, 1.5, -2.0, 3.99, 2.002, 0.75, 9.0, 1.25], np.float32)


def read(expression: str, pixels: Any, words: str = "", kind: str = "float") -> list[Any]:
    """Return what 8 threads read, each at its own x and y."""
    source = f"""__global__ void k(cudaTextureObject_t tex, const float *xs, const float *ys, {kind} *r) {{
        int t = threadIdx.x; float x = xs[t], y = ys[t]; r[t] = {expression}; }}"""
    shape = (8, int(kind[-1])) if kind[-1].isdigit() else (8,)
    texture = Texture(pixels, Sampler.of(words.split())) if words else pixels
    found = trace(source, {"tex": texture, "xs": X, "ys": Y, "r": Unwritten("float32", shape)})
    assert found.hazards == ()
    return list(found.outputs["r"].tolist())


def at(image: Any, place: tuple[int, ...], edge: str) -> float:
    """Return a pixel, x first, as the edges have it."""
    where = []
    for i, size in zip(place, image.shape[::-1], strict=True):
        if edge == "border" and not 0 <= i < size:
            return 0.0
        mirrored = i % (2 * size) if i % (2 * size) < size else 2 * size - 1 - i % (2 * size)
        where.append({"wrap": i % size, "mirror": mirrored}.get(edge, min(max(i, 0), size - 1)))
    return float(image[tuple(where[::-1])])


def expected(image: Any, place: tuple[float, ...], words: str) -> float:
    """Fetch as the CUDA C++ Programming Guide says, in exact numbers, and an H200 where it says nothing."""
    edge = next((w for w in words.split() if w not in ("linear", "normalized")), "clamp")
    sizes = image.shape[::-1]
    exact = [Fraction(float(x)) for x in place]
    if "normalized" in words:
        exact = [Fraction(math.floor(x * 2**21), 2**21) * size for x, size in zip(exact, sizes, strict=True)]
    if "linear" not in words:
        return at(image, tuple(math.floor(x) for x in exact), edge)
    fixed = [math.floor((x - Fraction(1, 2)) * 256 + Fraction(1, 2)) for x in exact]
    if edge == "clamp":
        fixed = [min(max(f, 0), (size - 1) * 256) for f, size in zip(fixed, sizes, strict=True)]
    around = {
        steps: (at(image, tuple(f // 256 + s for f, s in zip(fixed, steps, strict=True)), edge), weight)
        for steps, weight in weights([f % 256 for f in fixed]).items()
    }
    total = Fraction(0)
    for plane in {steps[2:] for steps in around}:
        pixels = [pixel for steps, pixel in around.items() if steps[2:] == plane and pixel[1]]
        unit = Fraction(2) ** (max((math.frexp(value)[1] for value, _ in pixels if value), default=0) - 28)
        total += sum(Fraction(weight, 256) * math.trunc(Fraction(value) / unit) * unit for value, weight in pixels)
    near = Fraction(float(np.float32(float(total))))
    other = 2 * total - near  # where it is a float too, the total is in the middle between both
    middle = other == Fraction(float(np.float32(float(other)))) and abs(other) > abs(near)
    return float(other if middle else near)


def weights(parts: list[int]) -> dict[tuple[int, ...], int]:
    """Divide 256 among the pixels around a point: along z, then x, then y; each as it was measured on an H200."""
    if len(parts) == 1:
        return {(0,): 256 - parts[0], (1,): parts[0]}
    found = {}
    for z, whole in enumerate((256 - parts[2], parts[2]) if len(parts) == 3 else (256,)):
        right = (2 * parts[0] * whole + 256) // 512
        for x, share in ((0, whole - right), (1, right)):
            most = (2 * share * (parts[1] if x else 256 - parts[1]) + 256) // 512
            for y in (0, 1):
                found[(x, y, z)[: len(parts)]] = most if x == y else share - most
    return found


MEASURED = [(0, 0, 256), (128, 64, 32), (1, 128, 1), (3, 128, 2), (255, 255, 254)]


@pytest.mark.parametrize(("x", "y", "expected"), MEASURED)
def test_weights_have_eight_bits(x: int, y: int, expected: int) -> None:
    """Of the last pixel that is met; all of them add up to 256."""
    pixels = np.zeros((4, 4), np.float32)
    pixels[(1, 2)[y > 0], (1, 2)[x > 0]] = 256
    assert read(f"tex2D<float>(tex, {x / 256 + 1.5}f, {y / 256 + 1.5}f)", pixels, "linear") == [expected] * 8
    assert read("tex2D<float>(tex, x, y)", np.ones((4, 4), np.float32), "linear") == [1.0] * 8


@pytest.mark.parametrize("edge", ["clamp", "border", "normalized wrap", "normalized mirror", "normalized border"])
@pytest.mark.parametrize("filter_", ["", "linear "])
def test_filters_and_edges(filter_: str, edge: str) -> None:
    words = filter_ + edge
    assert read("tex2D<float>(tex, x, y)", IMAGE, words) == [
        expected(IMAGE, place, words) for place in zip(X, Y, strict=True)
    ]
    assert read("tex1D<float>(tex, y)", IMAGE[1], words) == [expected(IMAGE[1], (y,), words) for y in Y]
    assert read("tex3D<float>(tex, x, y, 1.3f)", VOLUME, words) == [
        expected(VOLUME, (x, y, float(np.float32(1.3))), words) for x, y in zip(X, Y, strict=True)
    ]
    assert read("tex2DLayered<float>(tex, x, y, 2)", VOLUME, words) == [
        expected(VOLUME[2], place, words) for place in zip(X, Y, strict=True)
    ]


def test_vectors_are_mixed_member_by_member() -> None:
    pixels = np.stack([IMAGE, -IMAGE], axis=-1)
    found = read("tex2D<float2>(tex, x, y)", pixels, "linear", "float2")
    wanted = [expected(IMAGE, place, "linear") for place in zip(X, Y, strict=True)]
    assert found == [[value, -value] for value in wanted]


def test_small_pixels_are_mixed_to_sixteen_bits() -> None:
    grey = np.arange(0, 240, 10, dtype=np.uint8).reshape(4, 6)
    mixed = [expected(grey, place, "linear") for place in zip(X, Y, strict=True)]
    wanted = [float(np.float32(math.floor(value * 257 + 0.5) / 65535)) for value in mixed]
    assert read("tex2D<float>(tex, x, y)", grey, "linear") == wanted
    halves = [float(np.float16(expected(IMAGE, place, "linear"))) for place in zip(X, Y, strict=True)]
    assert read("tex2D<float>(tex, x, y)", IMAGE.astype(np.float16), "linear") == halves


def test_one_level_of_detail() -> None:
    wanted = read("tex2D<float>(tex, x, y)", IMAGE, "linear")
    assert read("tex2DLod<float>(tex, x, y, 3.5f)", IMAGE, "linear") == wanted


def test_gather() -> None:
    found = read("tex2Dgather<float4>(tex, x, y)", IMAGE, "", "float4")
    for x, y, four in zip(X, Y, found, strict=True):
        i, j = (math.floor((float(v) - 0.5) * 256 + 0.5) // 256 for v in (x, y))
        around = ((i, j + 1), (i + 1, j + 1), (i + 1, j), (i, j))
        assert four == [at(IMAGE, place, "clamp") for place in around]
    pixels = np.stack([IMAGE, IMAGE + 1000, IMAGE, IMAGE], axis=-1)
    second = read("tex2Dgather<float4>(tex, x, y, 1)", pixels, "", "float4")
    assert second == [[value + 1000 for value in four] for four in found]


CUBE = np.arange(96, dtype=np.float32).reshape(6, 4, 4)


@pytest.mark.parametrize(
    ("body", "texture", "message"),
    [
        (
            "tex2D<int>(tex, x, y)",
            Texture(IMAGE.astype(np.int32), Sampler(linear=True)),
            "linear filtering of int ('tex'); give float, half or u8",
        ),
        (
            "texCubemap<float>(tex, x, y, 1)",
            Texture(CUBE, Sampler(linear=True)),
            "cube that is filtered linearly",
        ),
        ("tex2DGrad<float>(tex, x, y, x, y)", IMAGE, "not supported: template 'tex2DGrad<…>'"),
        ("tex1DLayered<float>(tex, x, 1)", IMAGE, "not supported: template 'tex1DLayered<…>'"),
        ("tex2Dgather<float2>(tex, x, y).x", IMAGE, "tex2Dgather gives four values"),
        ("tex2Dgather<float4>(tex, x, y, 1).x", IMAGE, "'tex' has 1 components, and 1 is asked for"),
        ("xs[0]", {"xs": Texture(X, Sampler(linear=True))}, "'xs' is no texture (const float *)"),
    ],
)
def test_refusals(body: str, texture: Any, message: str) -> None:
    source = f"""__global__ void k(cudaTextureObject_t tex, const float *xs, float *r) {{
        float x = xs[0], y = 0; r[0] = {body}; }}"""
    given = texture if isinstance(texture, dict) else {"tex": texture}
    with pytest.raises(TilescopeError) as caught:
        trace(source, {"tex": IMAGE, "xs": X, "r": np.zeros(1, np.float32), **given})
    assert message in str(caught.value)


def test_settings_on_the_command_line() -> None:
    found = parse_arguments(["tex=f32[4,6]:iota@linear, normalized,wrap"])["tex"]
    assert isinstance(found, Texture)
    assert found.sampler == Sampler(linear=True, normalized=True, edge="wrap")
    assert found.pixels.shape == (4, 6)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("wrap", "textures wrap with normalized coordinates only: add normalized"),
        ("clamp,border", "a texture cannot be clamp and border"),
        ("smooth", "'smooth' says nothing of a texture: use linear, normalized, clamp, border, wrap, mirror"),
    ],
)
def test_settings_that_cannot_be(words: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_arguments([f"tex=f32[4]:iota@{words}"])
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("pixels", "weight", "expected"),
    [
        ([1, 2.0**-27], 255, 2.0**-8 + 255 * 2.0**-35),
        ([1, 2.0**-28], 255, 2.0**-8),  # further than 27 bits below the largest pixel
        ([1 + 2.0**-23, 1], 128, 1 + 2.0**-23),  # in the middle between two floats
        ([-1 - 2.0**-23, -1], 128, -1 - 2.0**-23),
        ([2.0**30, 2.0**-28], 256, 2.0**-28),  # a pixel without a weight does not count
    ],
)
def test_pixels_are_aligned_before_they_are_mixed(pixels: list[float], weight: int, expected: float) -> None:
    found = read(f"tex1D<float>(tex, {0.5 + weight / 256}f)", np.array(pixels, np.float32), "linear")
    assert found == [float(np.float32(expected))] * 8
