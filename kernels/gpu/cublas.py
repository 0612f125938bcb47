"""cuBLAS routines on row-major arrays. cuBLAS is column-major: it sees each of our matrices as its transpose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.errors import UnavailableError
from kernels.gpu.compiler import compile_text, install_advice
from kernels.gpu.device import present_device

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Call = Callable[[], None]
    Routine = Callable[[Mapping[str, Any]], Call]
    BlasRoutine = Callable[[Any, Any, Mapping[str, Any]], Call]

# cublasOperation_t and cublasFillMode_t of cublas_api.h.
_OP_N: Final = 0
_OP_T: Final = 1
_FILL_MODE_UPPER: Final = 1

_FACTORS: Final = np.array([1, 0], np.float32)
_ALPHA: Final = _FACTORS[:1].ctypes.data
_BETA: Final = _FACTORS[1:].ctypes.data
"""Pointers to the factors of the product, 1, and of what the result held before, 0."""

_TILE: Final = 32
_MIRROR: Final = r"""
extern "C" __global__ void mirror(float *P, int n)
{
    __shared__ float tile[32][33];
    if (blockIdx.x > blockIdx.y)
        return;
    int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    for (int y = 0; y < 32; y += 8)
        if (row + y < n && column < n)
            tile[threadIdx.y + y][threadIdx.x] = P[(size_t)(row + y) * n + column];
    __syncthreads();
    row = blockIdx.x * 32 + threadIdx.y, column = blockIdx.y * 32 + threadIdx.x;
    for (int y = 0; y < 32; y += 8)
        if (row + y < column && column < n)
            P[(size_t)(row + y) * n + column] = tile[threadIdx.x][threadIdx.y + y];
}
"""
"""Copies the lower triangle to the upper one, in tiles of 32×32 by blocks of 32×8."""


def routine(name: str, arrays: Mapping[str, Any]) -> Call:
    """Return a function that queues a cuBLAS routine once, on arrays by the workload's names.

    Raises
    ------
    UnavailableError
        When CuPy finds no cuBLAS.
    """
    try:
        from cupy.cuda import cublas, device

        handle = device.get_cublas_handle()
    except (ImportError, OSError) as error:
        raise UnavailableError(f"CuPy finds no cuBLAS library: {install_advice()}") from error
    cublas.setMathMode(handle, cublas.CUBLAS_DEFAULT_MATH)  # full float32: no TF32
    return _ROUTINES[name](cublas, handle, arrays)


def _sgemm(cublas: Any, handle: Any, arrays: Mapping[str, Any]) -> Call:
    """C = A·B, in column-major order Cᵀ = Bᵀ·Aᵀ."""
    a, b, c = (arrays[name] for name in "ABC")
    (m, k), n = a.shape, b.shape[1]

    def call() -> None:
        cublas.sgemm(handle, _OP_N, _OP_N, n, m, k, _ALPHA, b.data.ptr, n, a.data.ptr, k, _BETA, c.data.ptr, n)

    return call


def _sgemm_of_mmt(cublas: Any, handle: Any, arrays: Mapping[str, Any]) -> Call:
    """P = M·Mᵀ, which is symmetric; in column-major order Xᵀ·X with X = Mᵀ."""
    n, factor, result = len(arrays["M"]), arrays["M"].data.ptr, arrays["P"].data.ptr

    def call() -> None:
        cublas.sgemm(handle, _OP_T, _OP_N, n, n, n, _ALPHA, factor, n, factor, n, _BETA, result, n)

    return call


def _ssyrk(cublas: Any, handle: Any, arrays: Mapping[str, Any]) -> Call:
    """P = M·Mᵀ by its upper triangle in column-major order, the lower one in ours, which is then mirrored."""
    from cupy.cuda import function

    matrix, result = arrays["M"], arrays["P"]
    n = len(matrix)
    module = function.Module()
    module.load(compile_text(_MIRROR, "mirror.cu", "mirror", (), present_device().arch).cubin)
    mirror = module.get_function("mirror")
    tiles = -(-n // _TILE)

    def call() -> None:
        cublas.ssyrk(handle, _FILL_MODE_UPPER, _OP_T, n, n, _ALPHA, matrix.data.ptr, n, _BETA, result.data.ptr, n)
        mirror((tiles, tiles, 1), (_TILE, 8, 1), (result, np.int32(n)))

    return call


_ROUTINES: Final[Mapping[str, BlasRoutine]] = {
    "cublas_sgemm": _sgemm,
    "cublas_sgemm_mmt": _sgemm_of_mmt,
    "cublas_ssyrk": _ssyrk,
}
