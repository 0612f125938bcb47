"""Measured bandwidth of device memory: ``python -m kernels.gpu.bandwidth`` prints a line for `resources/devices`.

A copy within device memory reads and writes every byte once. It is large beside the L2 cache, so that the caches serve
almost nothing of it. Its rate is what a kernel can hope for; the datasheet's is that of the memory's pins.
"""

from __future__ import annotations

import statistics
from typing import Final

from kernels.gpu.device import cuda_errors, free_bytes, present_device

_BYTES: Final = 4 << 30
_REPEATS: Final = 31
_WARM_UP: Final = 5


def copy_bandwidth() -> float:
    """Return bytes read and written per nanosecond (GB/s) by a copy on the present device: the median of some.

    Raises
    ------
    UnavailableError
        Without a GPU or CuPy.
    """
    present_device()  # says what is missing
    import cupy
    from cupy.cuda import Event, get_elapsed_time

    count = min(_BYTES, free_bytes() // 4)
    times_ms = []
    with cuda_errors("the copy"):
        source, target = (cupy.zeros(count, cupy.uint8) for _ in range(2))
        for repeat in range(_WARM_UP + _REPEATS):
            start, end = Event(), Event()
            start.record()
            cupy.copyto(target, source)
            end.record()
            end.synchronize()
            if repeat >= _WARM_UP:
                times_ms.append(get_elapsed_time(start, end))
    return float(2 * count / statistics.median(times_ms) / 1e6)


if __name__ == "__main__":
    print(f"copy_gb_s = {copy_bandwidth():.0f}  # {present_device().name}, python -m kernels.gpu.bandwidth")
