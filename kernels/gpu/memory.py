"""Where the arrays of a launch live, how its result comes back, and what one timed sample consists of.

| memory            | before a sample                       | inside the time                                          |
|-------------------|---------------------------------------|----------------------------------------------------------|
| device            | the launch before it left the caches  | launches back to back; one sample is their mean          |
| pageable, pinned  | the host has the inputs               | copy of all inputs, one launch, copy of all outputs      |
| managed           | the host has written every array      | one launch, to which the pages move; the host's reading  |

All but the host's reading is timed by CUDA events. Copies from pinned memory, and launches, are queued behind a waiting
kernel, so that the events enclose none of Python's work. A copy from or to pageable memory cannot be: the driver copies
it piece by piece through a page-locked buffer of its own, with the host's help, and that is what its time is of.
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
"""Where a kernel's arrays live, and what its time contains.

device: they are on the GPU before; the time is the kernel's alone, hot, the mean of several launches. pageable,
pinned: the host has them, in ordinary or in page-locked memory; the time is one copy in of all inputs, one launch,
one copy out of all outputs. managed: host and GPU share them, and the host has just written all of them; the time is
one launch, to which their pages move, and the host's first reading of the outputs, whose pages move back.
"""

_POISON: Final = 0xFF
"""Byte that fills the outputs before a run: floating-point elements are NaN then, signed integers -1."""

MANAGED_SHARE: Final = 0.5
"""Of the free device memory, what managed arrays may take: a machine can hang when they take more than there is."""


class OnDevice:
    """Arrays in device memory, copied there once."""

    share = 1.0

    def __init__(self, specs: Sequence[ArraySpec], inputs: Inputs) -> None:
        self.arrays: dict[str, Any] = {}
        self.outputs = [spec.name for spec in specs if spec.output]
        self._timer: LaunchTimer | None = None
        for spec in specs:
            self.arrays[spec.name] = self.place(spec)
        for name, values in inputs.items():
            self.write(name, values)

    def place(self, spec: ArraySpec) -> Any:
        """Return an array, not written yet."""
        import cupy

        return cupy.empty(spec.shape, spec.dtype)

    def write(self, name: str, values: NDArray[np.generic]) -> None:
        """Give an input its values."""
        self.arrays[name].set(values)

    def run(self, launch: Callable[[], None]) -> Arrays:
        """Poison the outputs, launch once, wait, and return the outputs."""
        for name in self.outputs:
            self.arrays[name].data.memset(_POISON, self.arrays[name].nbytes)
        self._go(launch)
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
        """Let go of every array."""
        self.arrays.clear()
        self._timer = None

    def _go(self, launch: Callable[[], None]) -> None:
        launch()

    def _read(self) -> Arrays:
        import cupy

        return {name: cupy.asnumpy(self.arrays[name]) for name in self.outputs}


class _OnceASample(OnDevice):
    """What has one launch a sample; the clocks are warmed up before the first."""

    def __init__(self, specs: Sequence[ArraySpec], inputs: Inputs) -> None:
        super().__init__(specs, inputs)
        self._stopwatch = Stopwatch()
        self._warm_ms = 0.0

    @property
    def launches_per_sample(self) -> int:
        """Every sample has one launch of its own."""
        return 1

    def sample_ms(self, launch: Callable[[], None]) -> dict[str, float]:
        """Time one launch with all that belongs to it, part by part."""
        while True:
            parts = self._parts_ms(launch)
            if self._warm_ms >= WARM_UP_MS:
                return parts
            self._warm_ms += sum(parts.values())

    def _parts_ms(self, launch: Callable[[], None]) -> dict[str, float]:
        raise NotImplementedError


class Copied(_OnceASample):
    """Arrays in device memory, copied there and back for every launch, from host memory that is pinned or not."""

    pinned = False

    def __init__(self, specs: Sequence[ArraySpec], inputs: Inputs) -> None:
        self._host: dict[str, NDArray[np.generic]] = {}
        super().__init__(specs, inputs)

    def place(self, spec: ArraySpec) -> Any:
        """Return an array on the device; it has a twin on the host."""
        if self.pinned:
            import cupyx

            self._host[spec.name] = cupyx.empty_pinned(spec.shape, spec.dtype)
        else:
            self._host[spec.name] = np.empty(spec.shape, spec.dtype)
        return super().place(spec)

    def write(self, name: str, values: NDArray[np.generic]) -> None:
        """Give an input's twin on the host its values."""
        np.copyto(self._host[name], values)

    def release(self) -> None:
        """Let go of the arrays on both sides."""
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

    def _go(self, launch: Callable[[], None]) -> None:
        self._to_device()
        launch()
        self._to_host()

    def _read(self) -> Arrays:
        return {name: self._host[name].copy() for name in self.outputs}

    def _parts_ms(self, launch: Callable[[], None]) -> dict[str, float]:
        return {
            "to_device": self._stopwatch.time_ms(self._to_device, held=self.pinned),
            "kernel": self._stopwatch.time_ms(launch),
            "to_host": self._stopwatch.time_ms(self._to_host, held=self.pinned),
        }


class CopiedPinned(Copied):
    """The same with page-locked memory on the host, which the GPU reads and writes by itself."""

    pinned = True


class Managed(_OnceASample):
    """Arrays that host and GPU share; pages move to whoever touches them."""

    share = MANAGED_SHARE

    def __init__(self, specs: Sequence[ArraySpec], inputs: Inputs) -> None:
        self._views: dict[str, NDArray[np.generic]] = {}
        self._inputs: Inputs = {}
        super().__init__(specs, inputs)
        self._inputs = inputs
        self._read_into = {name: np.empty_like(self._views[name]) for name in self.outputs}

    def place(self, spec: ArraySpec) -> Any:
        """Return an array in managed memory; the host sees it, too."""
        import cupy

        count, dtype = int(np.prod(spec.shape)), np.dtype(spec.dtype)
        memory = cupy.cuda.malloc_managed(count * dtype.itemsize)
        raw = (ctypes.c_byte * (count * dtype.itemsize)).from_address(memory.ptr)
        self._views[spec.name] = np.frombuffer(memoryview(raw), dtype).reshape(spec.shape)
        return cupy.ndarray(spec.shape, dtype, memory)

    def write(self, name: str, values: NDArray[np.generic]) -> None:
        """Write an input where it is, on the host: its pages move there."""
        np.copyto(self._views[name], values)

    def run(self, launch: Callable[[], None]) -> Arrays:
        """Write everything on the host, launch once, wait, and read the outputs on the host."""
        self._touch()
        launch()
        _synchronize()
        return {name: self._views[name].copy() for name in self.outputs}

    def release(self) -> None:
        """Let go of the arrays, and of the host's view of them first."""
        self._views.clear()
        super().release()

    def _touch(self) -> None:
        """Write every array on the host, where nothing on the GPU may be using it any more."""
        _synchronize()
        for name, values in self._inputs.items():
            self.write(name, values)
        for name in self.outputs:
            self._views[name].view(np.uint8).fill(_POISON)

    def _parts_ms(self, launch: Callable[[], None]) -> dict[str, float]:
        kernel_ms = None
        while kernel_ms is None:
            self._touch()  # before every try: a second launch would find the pages where it needs them
            kernel_ms = self._stopwatch.try_ms(launch)
        start = perf_counter_ns()
        for name, place in self._read_into.items():
            np.copyto(place, self._views[name])
        return {"kernel": kernel_ms, "to_host": (perf_counter_ns() - start) / 1e6}


_PLACES: Final[Mapping[Memory, type[OnDevice]]] = {
    "device": OnDevice,
    "pageable": Copied,
    "pinned": CopiedPinned,
    "managed": Managed,
}


def placed(memory: Memory, specs: Sequence[ArraySpec], inputs: Inputs, what: str) -> OnDevice:
    """Put the arrays of a launch where they are to live; `what` names it in messages.

    Raises
    ------
    InputError
        When they take more memory than the device has free, or than managed memory may take of it.
    """
    place = _PLACES[memory]
    needed = sum(int(np.prod(spec.shape)) * np.dtype(spec.dtype).itemsize for spec in specs)
    free = free_bytes()
    if needed > free * place.share:
        words = "are free on the device" if place.share == 1 else "of managed memory are safe on this device"
        raise InputError(
            f"{what}: the arrays take {needed / 1e9:.1f} GB, {free * place.share / 1e9:.1f} GB {words}: "
            "choose a smaller size"
        )
    return place(specs, inputs)


def _synchronize() -> None:
    from cupy.cuda import get_current_stream

    get_current_stream().synchronize()
