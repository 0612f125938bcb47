"""Runs on the GPU: a kernel or library routine, loaded, with its arguments bound by name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from kernels.errors import DeviceError, InputError, LaunchError, SourceError
from kernels.frontend import kernel_parameters
from kernels.frontend.headers.bfloat16 import BF16
from kernels.frontend.types import USHORT, Pointer, Scalar
from kernels.gpu import device as gpu
from kernels.gpu.compiler import Compiled, compile_kernel
from kernels.gpu.libraries import CAPTURABLE, routine
from kernels.gpu.memory import allocate
from kernels.gpu.tensor_maps import encode
from kernels.gpu.timing import HOT, TimingMode
from kernels.launch import WARP_SIZE, Limits, check

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from numpy.typing import NDArray

    from kernels.catalog import Kernel
    from kernels.device import Device
    from kernels.gpu.memory import Memory
    from kernels.launch import Dim3, Launch
    from kernels.workload import Arrays, Size

MAX_DYNAMIC_SHARED: Final = 8
"""CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, from cuda.h."""

LAUNCH: Final = "the launch"
"""Subject of errors: who shows one names the kernel, block and size before it."""


class DeviceRun:
    """Base of runs on the GPU: arrays, one run with a result, timed launches.

    A context manager that frees the memory. `launch` queues the work once. `kernels.gpu.memory` defines a sample for
    each kind of memory.
    """

    def __init__(
        self,
        kernel: Kernel,
        size: Size,
        inputs: Mapping[str, NDArray[np.generic]],
        memory: Memory,
        mode: TimingMode,
    ) -> None:
        with gpu.cuda_errors(LAUNCH):
            self._memory = allocate(memory, kernel.workload.arrays(size), inputs, LAUNCH, mode)
        self.arrays: Mapping[str, Any] = self._memory.arrays

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        import cupy

        self._memory.release()
        if not isinstance(error, DeviceError):  # a broken context cannot free memory
            cupy.get_default_memory_pool().free_all_blocks()
            cupy.get_default_pinned_memory_pool().free_all_blocks()

    @property
    def launches_per_sample(self) -> int:
        """Launches whose mean is one sample; 0 before the first."""
        return self._memory.launches_per_sample

    @property
    def captured(self) -> bool:
        """Whether the launches of a sample are a CUDA graph."""
        return self._memory.captured

    def launch(self) -> None:
        """Queue the work once."""
        raise NotImplementedError

    def outputs(self) -> Arrays:
        """Poison the outputs, run once, wait, and copy the outputs back.

        Raises
        ------
        LaunchError
            When the driver refuses the launch.
        DeviceError
            When the kernel fails, after which the process cannot use the GPU any more.
        """
        with gpu.cuda_errors(LAUNCH):
            return self._memory.run(self.launch)

    def sample_ms(self) -> dict[str, float]:
        """Return the milliseconds of one sample, part by part; see `kernels.gpu.memory`. Raises as `outputs` does."""
        with gpu.cuda_errors(LAUNCH):
            return self._memory.sample_ms(self.launch)


class CudaRun(DeviceRun):
    """A CUDA source of the catalogue.

    Parameters
    ----------
    kernel, size, block
        What to compile and launch.
    inputs : mapping of str to ndarray
        The workload's input arrays.
    fmad : bool
        Whether the compiler may fuse a multiplication and an addition into one rounding.
    memory : Memory
        The memory of its arrays, which decides what is timed.
    mode : TimingMode
        Whether the cache is cold, and whether short launches may be captured.

    Raises
    ------
    UnavailableError, SourceError, LaunchError, InputError
        No GPU; the source does not compile; the device refuses the launch; a parameter is not in the workload.
    """

    def __init__(
        self,
        kernel: Kernel,
        size: Size,
        block: Dim3,
        inputs: Mapping[str, NDArray[np.generic]],
        *,
        fmad: bool = True,
        memory: Memory = "device",
        mode: TimingMode = HOT,
    ) -> None:
        present = gpu.present_device()
        size, kernel = kernel.workload.fit(size), kernel.on(present.sm_count)
        self._launch = kernel.launch(size, block)
        self.compiled = compile_kernel(kernel, size, block, present.arch, fmad=fmad)
        check_launch(kernel.id, self._launch, self.compiled, present)
        super().__init__(kernel, size, inputs, memory, mode)
        maps = {name: encode(name, each, self.arrays[each.array]) for name, each in kernel.maps(size, block).items()}
        self._arguments = bind(kernel, size, self.arrays, maps)
        self._cleared = [array for name, array in self.arrays.items() if name in kernel.clear]
        # CuPy accepts plain tuples only.
        self._grid, self._block = tuple(self._launch.grid), tuple(self._launch.block)
        with gpu.cuda_errors(LAUNCH):
            from cupy.cuda import driver, function

            self._module = function.Module()
            self._module.load(self.compiled.cubin)
            self._function = self._module.get_function(self.compiled.symbol)
            for name, value in kernel.constants(size, block).items():
                self.write_variable(name, np.array(value, np.int32))
            if self._launch.dynamic_shared_bytes > present.shared_per_block_bytes:
                driver.funcSetAttribute(self._function.ptr, MAX_DYNAMIC_SHARED, self._launch.dynamic_shared_bytes)

    def launch(self) -> None:
        """Queue the kernel once on the current stream, after clearing the arrays that it adds to."""
        for array in self._cleared:
            array.data.memset_async(0, array.nbytes)
        self._function(self._grid, self._block, self._arguments, self._launch.dynamic_shared_bytes)

    def write_variable(self, name: str, value: NDArray[Any]) -> None:
        """Set a `__device__` or `__constant__` variable of the source."""
        from cupy.cuda import runtime

        place = int(self._module.get_global_var(name))
        runtime.memcpy(place, value.ctypes.data, value.nbytes, runtime.memcpyHostToDevice)

    @property
    def function_pointer(self) -> int:
        """The driver's handle of the loaded kernel."""
        return int(self._function.ptr)

    def resident_blocks(self) -> int:
        """Return the driver's number of resident blocks of this launch on one SM."""
        from cupy.cuda import driver

        return int(
            driver.occupancyMaxActiveBlocksPerMultiprocessor(
                self.function_pointer, self._launch.block.count, self._launch.dynamic_shared_bytes
            )
        )


class LibraryRun(DeviceRun):
    """A routine of a GPU library. Parameters and errors as for `CudaRun`, with no block to choose."""

    def __init__(
        self,
        kernel: Kernel,
        size: Size,
        inputs: Mapping[str, NDArray[np.generic]],
        *,
        memory: Memory = "device",
        mode: TimingMode = HOT,
    ) -> None:
        gpu.present_device()
        mode = replace(mode, capture=mode.capture and kernel.id in CAPTURABLE)
        super().__init__(kernel, kernel.workload.fit(size), inputs, memory, mode)
        with gpu.cuda_errors(LAUNCH):
            self._call = routine(kernel.id, self.arrays)

    def launch(self) -> None:
        """Queue the routine once on the current stream."""
        self._call()


def check_launch(name: str, launch: Launch, code: Compiled, device: Device) -> None:
    """Raise an error for a launch that the device would refuse.

    Raises
    ------
    LaunchError
        With the limit: threads, grid, shared memory or registers.
    """
    shared = device.shared_per_block_optin_bytes if launch.dynamic_shared_bytes else device.shared_per_block_bytes
    check(launch, Limits(shared_per_block_bytes=shared), code.figures.static_shared_bytes)
    unit = device.register_unit
    needed = launch.warps_per_block * -(-code.figures.registers * WARP_SIZE // unit) * unit
    if needed > device.registers_per_block:
        raise LaunchError(
            f"{name}: a block of {launch.block.count:,} threads needs {needed:,} registers, the device has "
            f"{device.registers_per_block:,} for a block: choose a smaller block"
        )


def bind(
    kernel: Kernel, size: Size, arrays: Mapping[str, Any], maps: Mapping[str, Any] = MappingProxyType({})
) -> tuple[Any, ...]:
    """Return the workload's arrays and scalars, and tensor maps, in the order of the kernel's parameters.

    Raises
    ------
    InputError
        When the workload has no array or scalar of a parameter's name, or one of another type.
    """
    scalars = kernel.workload.scalars(size)
    types = {spec.name: spec.type for spec in kernel.workload.arrays(size)}
    bound: list[Any] = []
    for parameter in parameters(kernel.text, str(kernel.file), kernel.entry, frozenset(maps)):
        if parameter.name in maps:
            bound.append(maps[parameter.name])
        elif parameter.pointer and parameter.name in arrays:
            array = arrays[parameter.name]
            if array.dtype != parameter.dtype:
                raise InputError(
                    f"{kernel.id}: {parameter.name} is an array of {types[parameter.name]} in workload "
                    f"{kernel.workload.id}, the kernel takes {parameter.dtype}"
                )
            bound.append(array)
        elif not parameter.pointer and parameter.name in scalars:
            bound.append(parameter.dtype.type(scalars[parameter.name]))
        else:
            kind = "array" if parameter.pointer else "number"
            raise InputError(
                f"{kernel.id}: workload {kernel.workload.id} has no {kind} '{parameter.name}': "
                f"it has {', '.join((*arrays, *scalars))}"
            )
    return tuple(bound)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a kernel."""

    name: str
    dtype: np.dtype[np.generic]
    """The type of the number, or of the elements."""
    pointer: bool


def parameters(text: str, file: str, entry: str, maps: frozenset[str] = frozenset()) -> tuple[Parameter, ...]:
    """Return the parameters of the kernel `entry`, in order; `maps` are those that are tensor maps.

    Raises
    ------
    SourceError
        When there is no such kernel, or a parameter is neither a pointer to numbers nor a number.
    """
    found = []
    for parameter in kernel_parameters(text, file, entry):
        kind = parameter.type.to if isinstance(parameter.type, Pointer) else parameter.type
        if parameter.name in maps:
            found.append(Parameter(parameter.name, np.dtype(np.void), pointer=False))
            continue
        kind = USHORT if kind == BF16 else kind  # its bits
        if not isinstance(kind, Scalar):
            raise SourceError(
                file,
                parameter.span.line,
                parameter.span.column,
                f"cannot pass '{parameter.type} {parameter.name}': use a number, or a pointer to numbers",
            )
        found.append(Parameter(parameter.name, kind.dtype, isinstance(parameter.type, Pointer)))
    return tuple(found)
