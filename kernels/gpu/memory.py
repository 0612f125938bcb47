"""Memory of a launch: device, pageable, pinned or managed arrays, their copies, and the extent of a timed sample.

| memory            | before a sample                       | inside the time                                          |
|-------------------|---------------------------------------|----------------------------------------------------------|
| device            | the launch before it left the caches  | launches back to back; one sample is their mean          |
| pageable, pinned  | the host has the inputs               | copy of all inputs, one launch, copy of all outputs      |
| managed           | the host has written every array      | one launch, to which the pages move; the host's reading  |

All but the host's reading is timed by CUDA events. Copies from pinned memory, and launches, are queued after a waiting
kernel, so that the events do not include Python's work. A copy from or to pageable memory cannot be queued: the host
copies it piece by piece through the driver's page-locked buffer, and its time includes that.
"""

from __future__ import annotations

import ctypes
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from kernels.errors import InputError
from kernels.gpu.device import free_bytes
from kernels.gpu.timing import WARM_UP_MS, LaunchTimer, Stopwatch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from kernels.workload import Arrays, ArraySpec

    Inputs = Mapping[str, NDArray[np.generic]]

Memory = Literal["device", "pageable", "pinned", "managed"]
"""The memory of a kernel's arrays, which decides what its time contains.

- device: the arrays are on the GPU; the time is that of the kernel, with warm caches, the mean of several launches.
- pageable, pinned: the arrays are in ordinary or page-locked host memory; the time is one copy of all inputs, one
launch,
  and one copy of all outputs.
- managed: host and GPU share the arrays, and the host has just written all of them; the time is one launch, during
which
  their pages migrate, and the host's first reading of the outputs, whose pages migrate back.
"""

_POISON: Final = 0xFF
"""Byte that fills the outputs before a run: floating-point elements become NaN, signed integers -1."""

MANAGED_SHARE: Final = 0.5
"""Fraction of the free device memory for managed arrays: a machine can hang when they exceed device memory."""


class OnDevice:
    """Arrays in device memory, copied there once."""

    share = 1.0

    def __init__(self, specs: Sequence[ArraySpec], inputs: Inputs) -> None:
        self.arrays: dict[str, Any] = {}
        self.outputs = [spec.name for spec in specs if spec.output]
        self._timer: LaunchTimer | None = None
        for spec in specs:
            self.arrays[spec.name] = self.allocate(spec)
        for name, values in inputs.items():
            self.write(name, values)

    def allocate(self, spec: ArraySpec) -> Any:
        """Return an uninitialised array."""
        import cupy

        return cupy.empty(spec.shape, spec.dtype)

    def write(self, name: str, values: NDArray[np.generic]) -> None:
        """Set the values of an input."""
        self.arrays[name].set(values)

    def run(self, launch: Callable[[], None]) -> Arrays:
        """Poison the outputs, launch once, wait, and return the outputs."""
        for name in self.outputs:
            self.arrays[name].data.memset(_POISON, self.arrays[name].nbytes)
        self._launch(launch)
        _synchronize()
        return self._read()

    def sample_ms(self, launch: Callable[[], None]) -> dict[str, float]:
        """Time one launch: the mean of several, back to back."""
        if self._timer is None:
            self._timer = LaunchTimer(launch)
        return {"kernel": self._timer.sample_ms()}

    @property
    def launches_per_sample(self) -> int:
        """Launches whose mean is one sample; 0 before the first."""
        return self._timer.launches_per_sample if self._timer else 0

    def release(self) -> None:
        """Free every array."""
        self.arrays.clear()
        self._timer = None

    def _launch(self, launch: Callable[[], None]) -> None:
        launch()

    def _read(self) -> Arrays:
        import cupy

        return {name: cupy.asnumpy(self.arrays[name]) for name in self.outputs}


class _OneLaunchPerSample(OnDevice):
    """Memory with one launch per sample; before the first sample the clocks are warmed up."""

    def __init__(self, specs: Sequence[ArraySpec], inputs: Inputs) -> None:
        super().__init__(specs, inputs)
        self._stopwatch = Stopwatch()
        self._warm_ms = 0.0

    @property
    def launches_per_sample(self) -> int:
        """One launch per sample."""
        return 1

    def sample_ms(self, launch: Callable[[], None]) -> dict[str, float]:
        """Time one launch and its copies, part by part."""
        while True:
            parts = self._parts_ms(launch)
            if self._warm_ms >= WARM_UP_MS:
                return parts
            self._warm_ms += sum(parts.values())

    def _parts_ms(self, launch: Callable[[], None]) -> dict[str, float]:
        raise NotImplementedError


class Copied(_OneLaunchPerSample):
    """Arrays in device memory, copied from and to pageable or pinned host memory for every launch."""

    pinned = False

    def __init__(self, specs: Sequence[ArraySpec], inputs: Inputs) -> None:
        self._host: dict[str, NDArray[np.generic]] = {}
        super().__init__(specs, inputs)

    def allocate(self, spec: ArraySpec) -> Any:
        """Return an array on the device, after allocating the one on the host."""
        if self.pinned:
            import cupyx

            self._host[spec.name] = cupyx.empty_pinned(spec.shape, spec.dtype)
        else:
            self._host[spec.name] = np.empty(spec.shape, spec.dtype)
        return super().allocate(spec)

    def write(self, name: str, values: NDArray[np.generic]) -> None:
        """Set the values of an input on the host."""
        np.copyto(self._host[name], values)

    def release(self) -> None:
        """Free the arrays on both sides."""
        super().release()
        self._host.clear()

    def _to_device(self) -> None:
        from cupy.cuda import get_current_stream

        for name, host in self._host.items():
            if name not in self.outputs:
                self.arrays[name].data.copy_from_host_async(host.ctypes.data, host.nbytes, get_current_stream())

    def _to_host(self) -> None:
        from cupy.cuda import get_current_stream

        for name in self.outputs:
            host = self._host[name]
            self.arrays[name].data.copy_to_host_async(host.ctypes.data, host.nbytes, get_current_stream())

    def _launch(self, launch: Callable[[], None]) -> None:
        self._to_device()
        launch()
        self._to_host()

    def _read(self) -> Arrays:
        return {name: self._host[name].copy() for name in self.outputs}

    def _parts_ms(self, launch: Callable[[], None]) -> dict[str, float]:
        return {
            "to_device": self._stopwatch.time_ms(self._to_device, queued=self.pinned),
            "kernel": self._stopwatch.time_ms(launch),
            "to_host": self._stopwatch.time_ms(self._to_host, queued=self.pinned),
        }


class CopiedPinned(Copied):
    """The same with page-locked host memory, which the GPU accesses directly."""

    pinned = True


class Managed(_OneLaunchPerSample):
    """Arrays that host and GPU share; their pages migrate to the processor that accesses them."""

    share = MANAGED_SHARE

    def __init__(self, specs: Sequence[ArraySpec], inputs: Inputs) -> None:
        self._views: dict[str, NDArray[np.generic]] = {}
        self._inputs: Inputs = {}
        super().__init__(specs, inputs)
        self._inputs = inputs
        self._host_buffers = {name: np.empty_like(self._views[name]) for name in self.outputs}

    def allocate(self, spec: ArraySpec) -> Any:
        """Return an array in managed memory, which the host can access, too."""
        import cupy

        count, dtype = int(np.prod(spec.shape)), np.dtype(spec.dtype)
        memory = cupy.cuda.malloc_managed(count * dtype.itemsize)
        raw = (ctypes.c_byte * (count * dtype.itemsize)).from_address(memory.ptr)
        self._views[spec.name] = np.frombuffer(memoryview(raw), dtype).reshape(spec.shape)
        return cupy.ndarray(spec.shape, dtype, memory)

    def write(self, name: str, values: NDArray[np.generic]) -> None:
        """Set the values of an input on the host, to which its pages migrate."""
        np.copyto(self._views[name], values)

    def run(self, launch: Callable[[], None]) -> Arrays:
        """Write everything on the host, launch once, wait, and read the outputs on the host."""
        self._write_on_host()
        launch()
        _synchronize()
        return {name: self._views[name].copy() for name in self.outputs}

    def release(self) -> None:
        """Free the host's views of the arrays, then the arrays."""
        self._views.clear()
        super().release()

    def _write_on_host(self) -> None:
        """Write every array on the host, after the GPU has finished with it."""
        _synchronize()
        for name, values in self._inputs.items():
            self.write(name, values)
        for name in self.outputs:
            self._views[name].view(np.uint8).fill(_POISON)

    def _parts_ms(self, launch: Callable[[], None]) -> dict[str, float]:
        kernel_ms = None
        while kernel_ms is None:
            self._write_on_host()  # before every attempt: a second launch would find its pages on the GPU already
            kernel_ms = self._stopwatch.try_ms(launch)
        start = perf_counter_ns()
        for name, buffer in self._host_buffers.items():
            np.copyto(buffer, self._views[name])
        return {"kernel": kernel_ms, "to_host": (perf_counter_ns() - start) / 1e6}


_CLASSES: Final[Mapping[Memory, type[OnDevice]]] = {
    "device": OnDevice,
    "pageable": Copied,
    "pinned": CopiedPinned,
    "managed": Managed,
}


def allocate(memory: Memory, specs: Sequence[ArraySpec], inputs: Inputs, what: str) -> OnDevice:
    """Allocate the arrays of a launch in a kind of memory; `what` names the launch in messages.

    Raises
    ------
    InputError
        When they exceed the device's free memory, or the fraction of it for managed arrays.
    """
    kind = _CLASSES[memory]
    needed = sum(int(np.prod(spec.shape)) * np.dtype(spec.dtype).itemsize for spec in specs)
    free = free_bytes()
    if needed > free * kind.share:
        words = "are free on the device" if kind.share == 1 else "of managed memory are safe on this device"
        raise InputError(
            f"{what}: the arrays take {needed / 1e9:.1f} GB, {free * kind.share / 1e9:.1f} GB {words}: "
            "choose a smaller size"
        )
    return kind(specs, inputs)


def _synchronize() -> None:
    from cupy.cuda import get_current_stream

    get_current_stream().synchronize()
