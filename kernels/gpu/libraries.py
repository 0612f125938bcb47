"""Routines of GPU libraries that are timed beside our kernels, each on arrays by its workload's names."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any, Final

from kernels.errors import UnavailableError
from kernels.gpu import cublas
from kernels.gpu.compiler import install_advice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernels.gpu.cublas import Call, Routine


def routine(name: str, arrays: Mapping[str, Any]) -> Call:
    """Return a function that queues a routine once.

    Raises
    ------
    UnavailableError
        When CuPy does not find the library.
    """
    return _ROUTINES[name](arrays) if name in _ROUTINES else cublas.routine(name, arrays)


def _cub_sum(arrays: Mapping[str, Any]) -> Call:
    """Sum x by `cub::DeviceReduce`, which CuPy has compiled."""
    import cupy

    try:
        from cupy.cuda import cub
    except ImportError as error:
        raise UnavailableError(f"this CuPy has no CUB: {install_advice()}") from error
    x, total = arrays["x"], arrays["s"]
    asked: list[int] = []

    def note(size: int) -> Any:
        asked.append(size)
        return cupy.get_default_memory_pool().malloc(size)

    with cupy.cuda.using_allocator(note):
        cub.device_reduce(x, cub.CUPY_CUB_SUM, (), None)
    # CuPy allocates the result, then CUB's workspace. Given these two at each call, it neither allocates nor copies.
    given = cycle((total.data, cupy.empty(max(asked[-1], 1), cupy.uint8).data))

    def call() -> None:
        with cupy.cuda.using_allocator(lambda size: next(given)):
            cub.device_reduce(x, cub.CUPY_CUB_SUM, (), None)

    return call


def _memcpy(arrays: Mapping[str, Any]) -> Call:
    """Copy A by cudaMemcpyAsync."""
    source, target = arrays["A"], arrays["B"]

    def call() -> None:
        target.data.copy_from_device_async(source.data, source.nbytes)

    return call


def _softmax(arrays: Mapping[str, Any]) -> Call:
    """Compute the softmax of rows by the operations of CuPy's `scipy.special.softmax`, the last one into y."""
    import cupy

    x, y = arrays["x"], arrays["y"]

    def call() -> None:
        terms = cupy.exp(x - cupy.amax(x, axis=1, keepdims=True))
        cupy.divide(terms, cupy.sum(terms, axis=1, keepdims=True), out=y)

    return call


_ROUTINES: Final[Mapping[str, Routine]] = {"cub_sum": _cub_sum, "cuda_memcpy": _memcpy, "cupy_softmax": _softmax}

CAPTURABLE: Final = frozenset({"cub_sum", "cuda_memcpy"})
"""Routines that allocate nothing and wait for nothing: their launches can be captured in a CUDA graph, as ours are."""
