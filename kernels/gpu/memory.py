"""Memory of a launch: device, pageable, pinned or managed arrays, their copies, and the extent of a timed sample.

| memory            | before a sample                       | inside the time                                          |
|-------------------|---------------------------------------|----------------------------------------------------------|
| device, hot       | the launch before it left the caches  | launches back to back; one sample is their mean          |
| device, cold      | the L2 cache is overwritten           | one launch                                               |
| pageable, pinned  | the host has the inputs               | copy of all inputs, one launch, copy of all outputs      |
| managed           | the host has written every array      | one launch, to which the pages move; the host's reading  |

All but the host's reading is timed by CUDA events. Copies from pinned memory, and launches, are queued after a waiting
kernel, so that the events do not include Python's work. A copy from or to pageable memory cannot be queued: the host
copies it piece by piece through the driver's page-locked buffer, and its time includes that.
"""

from __future__ import annotations

import ctypes
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

import numpy as np

from kernels.errors import InputError
from kernels.gpu.device import free_bytes
from kernels.gpu.timing import WARM_UP_MS, LaunchTimer, Stopwatch, TimingMode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from kernels.workload import Arrays, ArraySpec

    Inputs = Mapping[str, NDArray[np.generic]]

Memory = Literal["device", "pageable", "pinned", "managed"]
"""The memory of a kernel's arrays, which decides what its time contains; see the table above."""

_POISON: Final = 0xFF
"""Byte that fills the outputs before a run: floating-point elements become NaN, signed integers -1."""

MANAGED_SHARE: Final = 0.5
"""Fraction of the free device memory for managed arrays: a machine can hang when they exceed device memory."""


class LaunchMemory(Protocol):
    """The arrays of a launch in one kind of memory; `launch` queues the kernel once."""

    arrays: dict[str, Any]
    """Arrays as the kernel takes them, by the workload's names."""

    @property
    def launches_per_sample(self) -> int:
        """Launches whose mean is one sample; 0 before the first."""

    @property
    def captured(self) -> bool:
        """Whether the launches of a sample are a CUDA graph."""

    def run(self, launch: Callable[[], None]) -> Arrays:
        """Poison the outputs, launch once, wait, and return the outputs."""

    def sample_ms(self, launch: Callable[[], None]) -> dict[str, float]:
        """Return the milliseconds of one sample, part by part."""

    def release(self) -> None:
        """Free every array."""


class DeviceMemory:
    """Arrays in device memory, copied there once; a hot sample is the mean of launches back to back."""

    def __init__(self, specs: Sequence[ArraySpec], inputs: Inputs, mode: TimingMode) -> None:
        self._mode = mode
        self.arrays = _device_arrays(specs)
        self._outputs = _output_names(specs)
        self._timer: LaunchTimer | None = None
        for name, values in inputs.items():
            self.arrays[name].set(values)

    @property
    def launches_per_sample(self) -> int:
        """Launches whose mean is one sample; 0 before the first."""
        return self._timer.launches_per_sample if self._timer else 0

    @property
    def captured(self) -> bool:
        """Whether the launches of a sample are a CUDA graph."""
        return self._timer is not None and self._timer.captured

    def run(self, launch: Callable[[], None]) -> Arrays:
        """Poison the outputs, launch once, wait, and return the outputs."""
        import cupy

        _poison(self.arrays, self._outputs)
        launch()
        _synchronize()
        return {name: cupy.asnumpy(self.arrays[name]) for name in self._outputs}

    def sample_ms(self, launch: Callable[[], None]) -> dict[str, float]:
        """Time one launch: the mean of several, back to back."""
        if self._timer is None:
            self._timer = LaunchTimer(launch, self._mode)
        return {"kernel": self._timer.sample_ms()}

    def release(self) -> None:
        """Free every array."""
        self.arrays.clear()
        self._timer = None


class CopiedMemory:
    """Arrays in device memory, copied from and to host memory for every launch.

    Parameters
    ----------
    specs, inputs
        The workload's arrays, and the values of its inputs.
    pinned : bool
        Whether the host memory is page-locked, so that the GPU accesses it directly, or pageable.
    """

    launches_per_sample = 1
    captured = False

    def __init__(self, specs: Sequence[ArraySpec], inputs: Inputs, *, pinned: bool) -> None:
        import cupyx

        empty = cupyx.empty_pinned if pinned else np.empty
        self._host: dict[str, NDArray[np.generic]] = {spec.name: empty(spec.shape, spec.dtype) for spec in specs}
        self.arrays = _device_arrays(specs)
        self._outputs = _output_names(specs)
        self._pinned = pinned
        for name, values in inputs.items():
            np.copyto(self._host[name], values)
        self._stopwatch = Stopwatch()
        self._warm_up = _WarmUp()

    def run(self, launch: Callable[[], None]) -> Arrays:
        """Poison the outputs, copy the inputs, launch once, copy the outputs, wait, and return them."""
        _poison(self.arrays, self._outputs)
        self._to_device()
        launch()
        self._to_host()
        _synchronize()
        return {name: self._host[name].copy() for name in self._outputs}

    def sample_ms(self, launch: Callable[[], None]) -> dict[str, float]:
        """Time the copies of the inputs, one launch, and the copies of the outputs."""

        def time_parts() -> dict[str, float]:
            return {
                "to_device": self._stopwatch.time_ms(self._to_device, queued=self._pinned),
                "kernel": self._stopwatch.time_ms(launch),
                "to_host": self._stopwatch.time_ms(self._to_host, queued=self._pinned),
            }

        return self._warm_up.first_warm(time_parts)

    def release(self) -> None:
        """Free the arrays on both sides."""
        self.arrays.clear()
        self._host.clear()

    def _to_device(self) -> None:
        from cupy.cuda import get_current_stream

        for name, host in self._host.items():
            if name not in self._outputs:
                self.arrays[name].data.copy_from_host_async(host.ctypes.data, host.nbytes, get_current_stream())

    def _to_host(self) -> None:
        from cupy.cuda import get_current_stream

        for name in self._outputs:
            host = self._host[name]
            self.arrays[name].data.copy_to_host_async(host.ctypes.data, host.nbytes, get_current_stream())


class ManagedMemory:
    """Arrays that host and GPU share; their pages migrate to the processor that accesses them."""

    launches_per_sample = 1
    captured = False

    def __init__(self, specs: Sequence[ArraySpec], inputs: Inputs) -> None:
        self.arrays: dict[str, Any] = {}
        self._views: dict[str, NDArray[np.generic]] = {}
        """The same arrays as the host accesses them."""
        for spec in specs:
            self._allocate(spec)
        self._inputs = inputs
        self._outputs = _output_names(specs)
        self._host_buffers = {name: np.empty_like(self._views[name]) for name in self._outputs}
        self._stopwatch = Stopwatch()
        self._warm_up = _WarmUp()

    def _allocate(self, spec: ArraySpec) -> None:
        import cupy

        count, dtype = int(np.prod(spec.shape)), np.dtype(spec.dtype)
        memory = cupy.cuda.malloc_managed(count * dtype.itemsize)
        raw = (ctypes.c_byte * (count * dtype.itemsize)).from_address(memory.ptr)
        self._views[spec.name] = np.frombuffer(memoryview(raw), dtype).reshape(spec.shape)
        self.arrays[spec.name] = cupy.ndarray(spec.shape, dtype, memory)

    def run(self, launch: Callable[[], None]) -> Arrays:
        """Write everything on the host, launch once, wait, and read the outputs on the host."""
        self._write_on_host()
        launch()
        _synchronize()
        return {name: self._views[name].copy() for name in self._outputs}

    def sample_ms(self, launch: Callable[[], None]) -> dict[str, float]:
        """Time one launch, with the migration of the pages, and the host's reading of the outputs."""

        def time_parts() -> dict[str, float]:
            kernel_ms = None
            while kernel_ms is None:
                self._write_on_host()  # before every attempt: after one launch the pages are on the GPU already
                kernel_ms = self._stopwatch.try_ms(launch)
            start = perf_counter_ns()
            for name, buffer in self._host_buffers.items():
                np.copyto(buffer, self._views[name])
            return {"kernel": kernel_ms, "to_host": (perf_counter_ns() - start) / 1e6}

        return self._warm_up.first_warm(time_parts)

    def release(self) -> None:
        """Free the host's views of the arrays, then the arrays."""
        self._views.clear()
        self.arrays.clear()

    def _write_on_host(self) -> None:
        """Write every array on the host, after the GPU has finished with it."""
        _synchronize()
        for name, values in self._inputs.items():
            np.copyto(self._views[name], values)
        for name in self._outputs:
            self._views[name].view(np.uint8).fill(_POISON)


class _WarmUp:
    """Discards the first samples, during which the clocks rise."""

    def __init__(self) -> None:
        self._spent_ms = 0.0

    def first_warm(self, time_parts: Callable[[], dict[str, float]]) -> dict[str, float]:
        """Take samples until those before have lasted `WARM_UP_MS`; return the first one after them."""
        while True:
            parts = time_parts()
            if self._spent_ms >= WARM_UP_MS:
                return parts
            self._spent_ms += sum(parts.values())


def allocate(memory: Memory, specs: Sequence[ArraySpec], inputs: Inputs, what: str, mode: TimingMode) -> LaunchMemory:
    """Allocate the arrays of a launch in a kind of memory; `what` names the launch in messages.

    `mode` is for device memory only: with transfers, the copies decide what the caches hold.

    Raises
    ------
    InputError
        When they exceed the device's free memory, or the fraction of it for managed arrays.
    """
    needed = sum(int(np.prod(spec.shape)) * np.dtype(spec.dtype).itemsize for spec in specs)
    managed = memory == "managed"
    available = free_bytes() * (MANAGED_SHARE if managed else 1)
    if needed > available:
        words = "of managed memory are safe on this device" if managed else "are free on the device"
        raise InputError(
            f"{what}: the arrays take {needed / 1e9:.1f} GB, {available / 1e9:.1f} GB {words}: choose a smaller size"
        )
    if memory == "device":
        return DeviceMemory(specs, inputs, mode)
    if managed:
        return ManagedMemory(specs, inputs)
    return CopiedMemory(specs, inputs, pinned=memory == "pinned")


def _device_arrays(specs: Sequence[ArraySpec]) -> dict[str, Any]:
    """Return uninitialised arrays on the device, by name."""
    import cupy

    return {spec.name: cupy.empty(spec.shape, spec.dtype) for spec in specs}


def _output_names(specs: Sequence[ArraySpec]) -> list[str]:
    return [spec.name for spec in specs if spec.output]


def _poison(arrays: Mapping[str, Any], names: Sequence[str]) -> None:
    for name in names:
        arrays[name].data.memset(_POISON, arrays[name].nbytes)


def _synchronize() -> None:
    from cupy.cuda import get_current_stream

    get_current_stream().synchronize()
