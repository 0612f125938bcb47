"""Launches are proposed from the codes and fields of errors: the words of the messages do not matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.errors import SourceError, TilescopeError
from kernels.launch_inference.proposals import proposals

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.errors import Cause

UNKNOWN_NAME = "__global__ void k(int *a) { if (threadIdx.x < MOST) a[threadIdx.x] = MOST; }"
IN_A_CONSTANT = "__constant__ int n = 2 * MOST;\n__global__ void k(int *a) { if (threadIdx.x < n) a[threadIdx.x] = n; }"
ARRAY_LENGTH = """
const int half = 2;
__device__ int first(int x) { int s[half * SIDE] = {x}; return s[0]; }
__global__ void k(int *a) { a[threadIdx.x] = first(threadIdx.x); }
"""
IMAGE_SHAPE = """
texture<float2, 2> image;
__global__ void k(float *a) { a[threadIdx.x] = tex2D(image, threadIdx.x, blockIdx.x).y; }
"""
IMAGE_TYPE = """
__global__ void k(cudaTextureObject_t image, float *a) {
    a[blockIdx.x * 8 + threadIdx.x] = tex2D<unsigned char>(image, threadIdx.x, blockIdx.x);
}
int main() { k<<<2, 8>>>(image, a); }
"""
CUBES = """
__global__ void k(cudaTextureObject_t image, float *a) {
    a[threadIdx.x] = texCubemap<float>(image, 1.0f, 0.5f, 0.25f);
}
"""
HOST = "int main() { return 0; }\nint helper(int x) { return x; }\n__global__ void k(int *a) { a[0] = helper(1); }"


def reword(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every error the same message."""
    make = SourceError.__init__

    def make_reworded(
        error: SourceError, file: str, line: int, column: int, reason: str, cause: Cause | None = None
    ) -> None:
        make(error, file, line, column, "Nein.", cause)

    monkeypatch.setattr(SourceError, "__init__", make_reworded)
    monkeypatch.setattr(TilescopeError, "__str__", lambda error: "Nein.")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (UNKNOWN_NAME, "MOST=8"),
        (IN_A_CONSTANT, "MOST=8"),
        (ARRAY_LENGTH, "SIDE=8"),
        (IMAGE_SHAPE, "image = f32[8,8,2]"),
        (IMAGE_TYPE, "image = u8[8,8]"),
        (CUBES, "image = f32[6,8,8]"),
        (HOST, "k, "),
    ],
)
def test_proposals_do_not_depend_on_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, words: str
) -> None:
    file = tmp_path / "own.cu"
    file.write_text(text, encoding="utf-8")
    before = proposals(file)
    reword(monkeypatch)
    assert proposals(file) == before
    assert words in before[0].words
