"""One kernel or library routine on the GPU, ready to run: loaded, with its arguments bound by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from kernels.errors import DeviceError, InputError, LaunchError, UnavailableError
from kernels.gpu import device as gpu
from kernels.gpu.compiler import INSTALL, Compiled, compile_kernel
from kernels.gpu.signature import parameters
from kernels.gpu.timing import LaunchTimer
from kernels.launch import WARP_SIZE, Limits, check

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from numpy.typing import NDArray

    from kernels.catalog import Kernel
    from kernels.launch import Dim3, Launch
    from kernels.occupancy.device import Device
    from kernels.workload import Arrays, Size

_POISON: Final = 0xFF
"""Byte that fills the outputs before a run: floating-point elements are NaN then, signed integers -1."""

_AS_IT_IS: Final = 0
"""CUBLAS_OP_N, from cublas_api.h: the operand is not transposed."""

MAX_DYNAMIC_SHARED: Final = 8
"""CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, from cuda.h."""


class DeviceRun:
    """What every run on the GPU shares: arrays on the device, one run with a result, timed launches.

    A context manager: leaving it frees the device memory. `launch` queues the work once.
    """

    def __init__(
        self, kernel: Kernel, size: Size, inputs: Mapping[str, NDArray[np.generic]], what: str
    ) -> None:
        self.what = what
        self._timer: LaunchTimer | None = None
        needed, free = kernel.workload.least_bytes(size), gpu.free_bytes()
        if needed > free:
            raise InputError(
                f"{what}: the arrays take {needed / 1e9:.1f} GB, {free / 1e9:.1f} GB are free on the device: "
                "choose a smaller size"
            )
        self._specs = kernel.workload.arrays(size)
        with gpu.cuda_errors(what):
            import cupy

            self.arrays: dict[str, Any] = {
                spec.name: cupy.empty(spec.shape, spec.dtype)
                if spec.output
                else cupy.asarray(inputs[spec.name])
                for spec in self._specs
            }

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        import cupy

        self.arrays.clear()
        self._timer = None
        if not isinstance(error, DeviceError):  # a broken context frees nothing any more
            cupy.get_default_memory_pool().free_all_blocks()

    @property
    def launches_per_sample(self) -> int:
        """Launches whose mean is one sample; 0 before the first."""
        return self._timer.launches_per_sample if self._timer else 0

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
            When the kernel fails; the process can do no more with the GPU.
        """
        import cupy

        with gpu.cuda_errors(self.what):
            for spec in self._specs:
                if spec.output:
                    self.arrays[spec.name].data.memset(_POISON, self.arrays[spec.name].nbytes)
            self.launch()
            cupy.cuda.get_current_stream().synchronize()
            return {spec.name: cupy.asnumpy(self.arrays[spec.name]) for spec in self._specs if spec.output}

    def sample_ms(self) -> float:
        """Milliseconds of one launch; see `kernels.gpu.timing`. Raises what `outputs` raises."""
        with gpu.cuda_errors(self.what):
            if self._timer is None:
                self._timer = LaunchTimer(self.launch)
            return self._timer.sample_ms()


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

    Raises
    ------
    UnavailableError, SourceError, LaunchError, InputError
        No GPU; it does not compile; the device refuses the launch; a parameter is not in the workload.
    """

    def __init__(
        self,
        kernel: Kernel,
        size: Size,
        block: Dim3,
        inputs: Mapping[str, NDArray[np.generic]],
        *,
        fmad: bool = True,
    ) -> None:
        present = gpu.present_device()
        size = kernel.workload.fit(size)
        self._launch = kernel.launch(size, block)
        self.compiled = compile_kernel(kernel, size, block, present.arch, fmad=fmad)
        check_launch(kernel.id, self._launch, self.compiled, present)
        super().__init__(kernel, size, inputs, f"{kernel.id}, block {block}, size {size}")
        self._arguments = bind(kernel, size, self.arrays)
        self._cleared = [array for name, array in self.arrays.items() if name in kernel.clear]
        # CuPy takes plain tuples only.
        self._grid, self._block = tuple(self._launch.grid), tuple(self._launch.block)
        with gpu.cuda_errors(self.what):
            from cupy.cuda import driver, function, runtime

            module = function.Module()
            module.load(self.compiled.cubin)
            self._function = module.get_function(self.compiled.symbol)
            for name, value in kernel.constants(size, block).items():
                place, number = int(module.get_global_var(name)), np.array(value, np.int32)
                runtime.memcpy(place, number.ctypes.data, number.nbytes, runtime.memcpyHostToDevice)
            if self._launch.dynamic_shared_bytes > present.shared_per_block_bytes:
                driver.funcSetAttribute(
                    self._function.ptr, MAX_DYNAMIC_SHARED, self._launch.dynamic_shared_bytes
                )

    def launch(self) -> None:
        """Queue the kernel once on the current stream, after clearing what it adds to: that is part of the work."""
        for array in self._cleared:
            array.data.memset_async(0, array.nbytes)
        self._function(self._grid, self._block, self._arguments, self._launch.dynamic_shared_bytes)

    def resident_blocks(self) -> int:
        """Ask the driver how many blocks of this launch fit on one SM."""
        from cupy.cuda import driver

        return int(
            driver.occupancyMaxActiveBlocksPerMultiprocessor(
                self._function.ptr, self._launch.block.count, self._launch.dynamic_shared_bytes
            )
        )


class LibraryRun(DeviceRun):
    """A routine of a GPU library. Parameters and errors as for `CudaRun`, with no block to choose."""

    def __init__(self, kernel: Kernel, size: Size, inputs: Mapping[str, NDArray[np.generic]]) -> None:
        gpu.present_device()
        super().__init__(kernel, size, inputs, f"{kernel.id}, size {size}")
        with gpu.cuda_errors(self.what):
            self._call = _ROUTINES[kernel.id](self.arrays)

    def launch(self) -> None:
        """Queue the routine once on the current stream."""
        self._call()


def check_launch(name: str, launch: Launch, compiled: Compiled, device: Device) -> None:
    """Refuse, in words, a launch that the device would refuse.

    Raises
    ------
    LaunchError
        Naming the limit: threads, grid, shared memory or registers.
    """
    shared = (
        device.shared_per_block_optin_bytes if launch.dynamic_shared_bytes else device.shared_per_block_bytes
    )
    check(launch, Limits(shared_per_block_bytes=shared), compiled.figures.static_shared_bytes)
    unit = device.register_unit
    needed = launch.warps_per_block * -(-compiled.figures.registers * WARP_SIZE // unit) * unit
    if needed > device.registers_per_block:
        raise LaunchError(
            f"{name}: a block of {launch.block.count:,} threads needs {needed:,} registers, the device has "
            f"{device.registers_per_block:,} for a block: choose a smaller block"
        )


def bind(kernel: Kernel, size: Size, arrays: Mapping[str, Any]) -> tuple[Any, ...]:
    """Put the workload's arrays and scalars into the order of the kernel's parameters.

    Raises
    ------
    InputError
        When a parameter has no namesake in the workload, or another type.
    """
    scalars = kernel.workload.scalars(size)
    bound: list[Any] = []
    for parameter in parameters(kernel.text, str(kernel.file), kernel.entry):
        if parameter.pointer and parameter.name in arrays:
            array = arrays[parameter.name]
            if array.dtype != parameter.dtype:
                raise InputError(
                    f"{kernel.id}: {parameter.name} is an array of {array.dtype} in workload "
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


def _sgemm(arrays: Mapping[str, Any]) -> Callable[[], None]:
    """C = A·B by cublasSgemm, which is column-major: a row-major C is a column-major Cᵀ = Bᵀ·Aᵀ."""
    try:
        from cupy.cuda import cublas, device

        handle = device.get_cublas_handle()
    except (ImportError, OSError) as error:
        raise UnavailableError(f"CuPy finds no cuBLAS library: {INSTALL}") from error
    a, b, c = (arrays[name] for name in "ABC")
    (m, k), n = a.shape, b.shape[1]
    one, zero = np.ones((), np.float32), np.zeros((), np.float32)
    cublas.setMathMode(handle, cublas.CUBLAS_DEFAULT_MATH)  # full float32: no TF32

    def call() -> None:
        cublas.sgemm(
            handle, _AS_IT_IS, _AS_IT_IS, n, m, k,
            one.ctypes.data, b.data.ptr, n, a.data.ptr, k, zero.ctypes.data, c.data.ptr, n,
        )  # fmt: skip

    return call


_ROUTINES: Final[Mapping[str, Callable[[Mapping[str, Any]], Callable[[], None]]]] = {"cublas_sgemm": _sgemm}
