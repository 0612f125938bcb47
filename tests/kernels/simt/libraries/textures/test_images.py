"""Textures and surfaces: coordinates, types of pixels, and errors."""

from __future__ import annotations

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


T = np.arange(THREADS)


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


def test_kernels_that_are_not_recorded_on_a_gpu() -> None:
    program = parse("__global__ void k(cudaTextureObject_t tex) { float v = tex1D<float>(tex, 0); }", "test.cu")
    launch = Launch(Dim3(1), Dim3(8))
    with pytest.raises(SourceError, match=r"1:19: cudaTextureObject_t 'tex' cannot be recorded on a GPU"):
        instrument(program, program.kernels[0], launch, {"tex": ROW})
