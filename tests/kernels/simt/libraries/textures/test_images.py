"""Textures and surfaces: coordinates, types of pixels, and errors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kernels.analysis import counts
from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.recorder.instrument import instrument
from kernels.simt import Unwritten
from kernels.trace.file import load, save
from tests.kernels.simt.programs import THREADS, trace

if TYPE_CHECKING:
    from pathlib import Path

ROW = np.arange(10, 18, dtype=np.float32)
IMAGE = np.arange(24, dtype=np.float32).reshape(4, 6)
VOLUME = np.arange(60, dtype=np.float32).reshape(3, 4, 5)


def read(expression: str, tex: Any, kind: str = "float") -> list[Any]:
    """Return what 8 threads, t = threadIdx.x, read out of a texture."""
    source = f"__global__ void k(cudaTextureObject_t tex, {kind} *r) {{ int t = threadIdx.x; r[t] = {expression}; }}"
    dtype = {"float": "float32", "int": "int32", "unsigned char": "uint8"}[kind]
    found = trace(source, {"tex": tex, "r": Unwritten(dtype, (THREADS,))})
    assert found.hazards == ()
    return list(found.outputs["r"].tolist())


T = np.arange(THREADS)


@pytest.mark.parametrize(
    ("expression", "tex", "expected"),
    [
        ("tex1Dfetch<float>(tex, 7 - t)", ROW, ROW[7 - T]),
        ("tex1Dfetch<float>(tex, t)", IMAGE, T),  # linear memory has no rows
        ("tex1D<float>(tex, t + 0.99f)", ROW, ROW),
        ("tex1D<float>(tex, t - 0.01f)", ROW, ROW[np.maximum(T - 1, 0)]),
        ("tex2D<float>(tex, t, 2)", IMAGE, IMAGE[2, np.minimum(T, 5)]),
        ("tex2D<float>(tex, 1.5f, t - 2)", IMAGE, IMAGE[np.clip(T - 2, 0, 3), 1]),
        ("tex2D<float>(tex, -1e30f, 1e30f)", IMAGE, IMAGE[3, [0] * 8]),
        ("tex2D<float>(tex, 0.0f / 0.0f, 1)", IMAGE, IMAGE[1, [0] * 8]),
        ("tex2DLod<float>(tex, t, 2, 0)", IMAGE, IMAGE[2, np.minimum(T, 5)]),
        ("tex2DLayered<float>(tex, 1, t, 2)", VOLUME, VOLUME[2, np.minimum(T, 3), 1]),
        ("tex2DLayered<float>(tex, 1, 2, t - 2)", VOLUME, VOLUME[[2, 2, 0, 1, 2, 2, 2, 2], 2, 1]),
        ("tex3D<float>(tex, t, 1, 2)", VOLUME, VOLUME[2, 1, np.minimum(T, 4)]),
    ],
)
def test_a_texture_gives_the_pixel_its_coordinates_lie_in_or_the_nearest(
    expression: str, tex: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]
) -> None:
    assert read(expression, tex) == expected.tolist()


@pytest.mark.parametrize(
    ("expression", "tex", "expected"),
    [
        (
            "tex2D<float>(tex, t, 0)",
            np.arange(0, 256, 32, dtype=np.uint8),
            [n / 255 for n in range(0, 256, 32)],
        ),
        ("tex1D<float>(tex, t)", np.array([-128, -127, 0, 127], np.int8), [-1, -1, 0, 1, 1, 1, 1, 1]),
        ("tex1D<float>(tex, t)", np.array([0, 65535], np.uint16), [0] + [1] * 7),
        ("tex1D<float>(tex, t)", np.array([0.5, 1.25], np.float16), [0.5] + [1.25] * 7),
    ],
)
def test_small_numbers_read_as_float_are_fractions_of_the_largest(
    expression: str, tex: np.ndarray[Any, Any], expected: list[float]
) -> None:
    tex = tex.reshape(1, -1) if "2D" in expression else tex
    assert read(expression, tex) == np.array(expected, np.float32).tolist()


def test_pixels_that_are_vectors_are_one_access() -> None:
    source = """
    __device__ float4 at(cudaTextureObject_t where, float x, float y) { return tex2D<float4>(where, x, y); }
    __global__ void k(cudaTextureObject_t tex, float4 *r) {
        float4 pixel;
        tex2D(&pixel, tex, threadIdx.x, 1);
        float4 same = at(tex, threadIdx.x, 1);
        r[threadIdx.x] = make_float4(pixel.x, same.y, pixel.z, same.w);
    }"""
    tex = np.arange(2 * 8 * 4, dtype=np.float32).reshape(2, 8, 4)
    found = trace(source, {"tex": tex, "r": Unwritten("float32", (8, 4))})
    assert found.outputs["r"].tolist() == tex[1].tolist()
    assert [site.width for site in found.sites if found.arrays[site.array].name == "tex"] == [4, 4]
    assert found.hazards == ()


def test_texture_references_and_templates() -> None:
    source = """
    texture<float, 2, cudaReadModeElementType> plain;
    static texture<unsigned char, cudaTextureType1D, cudaReadModeNormalizedFloat> scaled;
    template <typename T> __device__ T twice(cudaTextureObject_t tex, int x) { return 2 * tex1D<T>(tex, x); }
    __global__ void k(cudaTextureObject_t tex, cudaSurfaceObject_t out) {
        int t = threadIdx.x;
        surf2Dwrite(tex2D(plain, t, 1) + tex1D(scaled, t) + twice<int>(tex, t), out, 4 * t, 0);
    }"""
    arguments: dict[str, Any] = {
        "plain": IMAGE,
        "scaled": np.array([0, 255], np.uint8),
        "tex": np.arange(8, dtype=np.int32),
        "out": Unwritten("float32", (1, 8)),
    }
    found = trace(source, arguments)
    expected = IMAGE[1, np.minimum(T, 5)] + np.minimum(T, 1) + 2 * T
    assert found.outputs["out"].tolist() == [expected.tolist()]
    assert found.hazards == ()


def test_each_thread_may_choose_its_texture() -> None:
    source = """
    struct Both { cudaTextureObject_t one, other; };
    __global__ void k(Both b, float *r) {
        cudaTextureObject_t mine = threadIdx.x % 2 ? b.one : b.other;
        r[threadIdx.x] = tex1D<float>(mine, threadIdx.x);
    }"""
    found = trace(source, {"b.one": ROW, "b.other": -ROW, "r": Unwritten("float32", (8,))})
    assert found.outputs["r"].tolist() == np.where(T % 2, ROW, -ROW).tolist()
    assert found.hazards == ()


def test_a_surface_is_read_and_written_at_bytes() -> None:
    source = """
    __global__ void k(cudaSurfaceObject_t s) {
        int x = threadIdx.x, y = threadIdx.y;
        uchar4 pixel = surf2Dread<uchar4>(s, x * sizeof(uchar4), y);
        __syncthreads();
        surf2Dwrite(make_uchar4(pixel.w, pixel.z, pixel.y, pixel.x), s, (3 - x) * sizeof(uchar4), y);
    }"""
    given = np.arange(2 * 4 * 4, dtype=np.uint8).reshape(2, 4, 4)
    found = trace(source, {"s": given}, block=(4, 2))
    assert np.array_equal(found.outputs["s"], given[:, ::-1, ::-1])
    assert found.hazards == ()


@pytest.mark.parametrize(
    ("statement", "kind", "words"),
    [
        (
            "surf2Dwrite(1.0f, s, 4 * t, 0);",
            "out-of-bounds",
            "writes s at x = 24, y = 0, but it has x below 24 bytes and y below 4",
        ),
        ("surf2Dwrite(1.0f, s, 0, t - 1);", "out-of-bounds", "at x = 0, y = -1"),
        ("float v = surf2Dread<float>(s, 0, t);", "out-of-bounds", "reads s at x = 0, y = 4"),
        (
            "if (t < 2) surf2Dwrite(1.0f, s, 4 * t + 2, 0);",
            "misaligned-access",
            "x = 2, y = 0, but float has 4 bytes; x counts bytes: it must be a multiple of 4",
        ),
        ("surf2Dwrite((float)t, s, 0, 0);", "data-race", "s[0]"),
    ],
)
def test_hazards_of_surfaces(statement: str, kind: str, words: str) -> None:
    source = f"__global__ void k(cudaSurfaceObject_t s) {{ int t = threadIdx.x;\n{statement} }}"
    found = trace(source, {"s": IMAGE})
    assert [hazard.kind for hazard in found.hazards] == [kind]
    assert words in found.hazards[0].message
    assert (found.hazards[0].space, found.hazards[0].array, found.hazards[0].line) == ("texture", "s", 2)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("Clamp", [0, 1, 2, 3, 4, 5, 5, 5]), ("Zero", [0, 1, 2, 3, 4, 5, 0, 0])],
)
def test_a_boundary_mode_lets_coordinates_lie_outside(mode: str, expected: list[int]) -> None:
    source = f"""
    __global__ void k(cudaSurfaceObject_t s, float *r) {{
        r[threadIdx.x] = surf2Dread<float>(s, 4 * threadIdx.x, 0, cudaBoundaryMode{mode});
        surf2Dwrite(-1.0f, s, -4, 1, cudaBoundaryModeZero);
    }}"""
    found = trace(source, {"s": IMAGE, "r": Unwritten("float32", (8,))})
    assert found.outputs["r"].tolist() == expected
    assert found.outputs["s"].tolist() == IMAGE.tolist()
    assert found.hazards == ()


def test_memory_beyond_the_end_cannot_be_fetched() -> None:
    source = "__global__ void k(cudaTextureObject_t tex, float *r) { r[0] = tex1Dfetch<float>(tex, threadIdx.x + 1); }"
    found = trace(source, {"tex": ROW, "r": Unwritten("float32", (8,))}, block=(8,))
    assert found.hazards[0].kind == "out-of-bounds"
    assert "reads tex[8], but tex has 8 elements" in found.hazards[0].message


def test_pixels_have_no_sectors_and_survive_in_a_file(tmp_path: Path) -> None:
    source = """
    __global__ void k(cudaTextureObject_t tex, cudaSurfaceObject_t s) {
        surf1Dwrite(tex2D<float>(tex, threadIdx.x, 1), s, 4 * threadIdx.x);
    }"""
    found = trace(source, {"tex": IMAGE, "s": Unwritten("float32", (8,))})
    assert [(c.array, c.space, c.requests, c.sectors, c.wavefronts) for c in counts(found).arrays] == [
        ("tex", "texture", 1, 0, 0),
        ("s", "texture", 1, 0, 0),
    ]
    save(found, tmp_path / "t.npz")
    again = load(tmp_path / "t.npz")
    assert again.outputs["s"].tolist() == found.outputs["s"].tolist()
    assert again.arrays == found.arrays


@pytest.mark.parametrize(
    ("line", "arguments", "message"),
    [
        (
            "r[0] = tex2D(gone, 0, 0);",
            {},
            "2:14: no array for texture 'gone': give one as if it were a parameter",
        ),
        (
            "r[0] = tex2D<float4>(tex, 0, 0).x;",
            {"tex": IMAGE},
            "needs an array of [height, width, 4]; 'tex' is [4, 6]",
        ),
        ("r[0] = tex3D<float>(tex, 0, 0, 0);", {"tex": IMAGE}, "needs an array of [depth, height, width]"),
        (
            "r[0] = tex2D<float>(tex, 0, 0);",
            {"tex": IMAGE.astype(np.int32)},
            "give it as an array of float32",
        ),
        ("r[0] = tex2D<float>(tex, 0);", {"tex": IMAGE}, "tex2D takes 3 arguments, 2 are given"),
        ("r[0] = tex2D(tex, 0, 0);", {"tex": IMAGE}, "say what tex2D reads: tex2D<float>(…)"),
        ("r[0] = tex2D<float>(r, 0, 0);", {"tex": IMAGE}, "tex2D needs a texture, not float *"),
        (
            "surf2Dwrite(1.0f, tex, 0, 0);",
            {"tex": IMAGE},
            "surf2Dwrite needs a surface, not cudaTextureObject_t",
        ),
        (
            "r[0] = texCubemap<float>(tex, 0, 0, 0);",
            {"tex": IMAGE},
            "texCubemap of float needs an array of [6, height, width]; 'tex' is [4, 6]",
        ),
    ],
)
def test_refusals(line: str, arguments: dict[str, Any], message: str) -> None:
    source = f"texture<float, 2> gone; __global__ void k(cudaTextureObject_t tex, float *r) {{\n{line} }}"
    with pytest.raises(SourceError, match=re.escape(message)):
        trace(source, {"tex": IMAGE, "r": Unwritten("float32", (8,)), **arguments})


def test_kernels_that_are_not_recorded_on_a_gpu() -> None:
    program = parse("__global__ void k(cudaTextureObject_t tex) { float v = tex1D<float>(tex, 0); }", "test.cu")
    launch = Launch(Dim3(1), Dim3(8))
    with pytest.raises(SourceError, match=r"1:19: cudaTextureObject_t 'tex' cannot be recorded on a GPU"):
        instrument(program, program.kernels[0], launch, {"tex": ROW})
