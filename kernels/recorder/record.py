"""Runs an instrumented kernel on the GPU and reads back what its threads did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.errors import InputError
from kernels.frontend.types import Array, Pointer, Scalar
from kernels.gpu import device as gpu
from kernels.gpu.compiler import compile_text
from kernels.gpu.run import MAX_DYNAMIC_SHARED, check_launch
from kernels.recorder.argument_passing import flat_parameters
from kernels.recorder.instrument import instrument
from kernels.recorder.log import ENTRY
from kernels.recorder.log_entries import DeviceArray, decode
from kernels.recorder.recording import Recording, accesses_in
from kernels.simt import Unwritten

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kernels.frontend.ast import Function, Program
    from kernels.frontend.instances import Instances
    from kernels.gpu.compiler import Compiled
    from kernels.launch import Launch
    from kernels.simt import Argument


def record(
    program: Program,
    kernel: Function,
    launch: Launch,
    arguments: Mapping[str, Argument],
    instances: Instances | None = None,
    *,
    fmad: bool = True,
    max_bytes: int = 1 << 30,
) -> Recording:
    """Run a kernel on the GPU present: as it is, then with instruments, once to count entries and once to keep them.

    Parameters
    ----------
    program, kernel, launch, arguments, instances
        As for `kernels.simt.linking.link`. The kernel must be free of hazards: the device checks nothing.
    fmad : bool
        Whether the compiler may fuse a multiplication and an addition into one rounding.
    max_bytes : int
        The most that the log may take.

    Raises
    ------
    UnavailableError, SourceError, LaunchError, InputError, DeviceError
        No GPU; the text does not compile; the device refuses the launch; the log is larger than allowed, or than
        the device's memory; the kernel fails, and this process can do no more with the GPU.
    """
    made = instrument(program, kernel, launch, arguments, instances)
    device = gpu.present_device()
    given = given_variables(program, arguments)
    variables = {name: given[name] for name in given if name in made.variables}
    plain, noting = (
        compile_text(text, program.file, made.entry, (), device.arch, fmad=fmad, keep=tuple(made.variables))
        for text in (made.plain_text, made.text)
    )
    for code in (plain, noting):
        check_launch(kernel.name, launch, code, device)
    with gpu.cuda_errors(f"{kernel.name}, grid {launch.grid}, block {launch.block}"):
        run = _Run(plain, kernel, launch, arguments, variables, together=made.waits_for_grid)
        run.finish()
        outputs = run.results(made.variables)
        capacity = 0  # the first run only counts
        while True:
            run = _Run(noting, kernel, launch, arguments, variables, together=made.waits_for_grid)
            log, counts = run.log(capacity, max_bytes)
            if counts.max() <= capacity:
                break
            capacity = int(counts.max())
        results = run.results(made.variables)
    rows = log[np.arange(log.shape[1]) < counts[:, None]]
    entries = decode(rows, counts, made.notes, made.loops, run.places, launch.dynamic_shared_bytes)
    return Recording(launch, entries, accesses_in(entries, launch.thread_count), results, outputs)


class _Run:
    """One launch with arrays of its own."""

    def __init__(
        self,
        code: Compiled,
        kernel: Function,
        launch: Launch,
        arguments: Mapping[str, Argument],
        variables: Mapping[str, NDArray[Any]],
        *,
        together: bool,
    ) -> None:
        import cupy
        from cupy.cuda import driver, function

        self._launch = launch
        self._together = together
        self._module = function.Module()
        self._module.load(code.cubin)
        self._function = self._module.get_function(code.symbol)
        if launch.dynamic_shared_bytes:
            driver.funcSetAttribute(self._function.ptr, MAX_DYNAMIC_SHARED, launch.dynamic_shared_bytes)
        self.places: list[DeviceArray] = []
        self._arrays: dict[str, Any] = {}
        self._bound: list[Any] = []
        taken = flat_parameters(kernel)
        for parameter in taken:
            value, kind = arguments[parameter.name], parameter.type
            if isinstance(kind, Pointer):
                array = self._arrays[parameter.name] = cupy.asarray(contents(value))
                self._bound.append(array)
                self.places.append(DeviceArray(parameter.name, array.data.ptr, array.nbytes))
            else:
                assert isinstance(kind, Scalar)
                self._bound.append(kind.dtype.type(value))
        for name, values in variables.items():
            self._put(name, values)

    def finish(self) -> None:
        """Launch and wait."""
        import cupy

        launch = self._launch
        self._function(
            tuple(launch.grid),
            tuple(launch.block),
            tuple(self._bound),
            launch.dynamic_shared_bytes,
            enable_cooperative_groups=self._together,
        )
        cupy.cuda.get_current_stream().synchronize()

    def results(self, variables: Mapping[str, int]) -> dict[str, NDArray[np.generic]]:
        """Return what the arrays given hold now, and the file's variables, whose sizes are given."""
        import cupy

        held = {name: cupy.asnumpy(array) for name, array in self._arrays.items()}
        return {**held, **{name: self._get(name, size) for name, size in variables.items()}}

    def _get(self, name: str, size: int) -> NDArray[np.uint8]:
        """Return the bytes of a `__device__` or `__constant__` variable."""
        from cupy.cuda import runtime

        values = np.zeros(size, np.uint8)
        place = int(self._module.get_global_var(name))
        runtime.memcpy(values.ctypes.data, place, values.nbytes, runtime.memcpyDeviceToHost)
        return values

    def log(self, capacity: int, max_bytes: int) -> tuple[NDArray[np.void], NDArray[np.int64]]:
        """Launch; return each thread's entries (row by row, the last one of no use) and how many it had."""
        import cupy

        threads = self._launch.thread_count
        size = threads * (capacity + 1) * ENTRY.itemsize
        if capacity and size > min(max_bytes, free := gpu.free_bytes()):
            advice = "" if size > free else ", or raise --max-memory"
            raise InputError(
                f"what {threads:,} threads note takes {size / 2**20:,.0f} MiB: record a smaller problem{advice}"
            )
        log, counts = cupy.zeros(size, np.uint8), cupy.zeros(threads, np.uint32)
        self._put("ts_log", np.array([log.data.ptr], np.uint64))
        self._put("ts_count", np.array([counts.data.ptr], np.uint64))
        self._put("ts_capacity", np.array([capacity], np.uint32))
        self.finish()
        entries = cupy.asnumpy(log).view(ENTRY).reshape(threads, capacity + 1)
        return entries, cupy.asnumpy(counts).astype(np.int64)

    def _put(self, name: str, values: NDArray[Any]) -> None:
        """Give a `__device__` or `__constant__` variable its contents."""
        from cupy.cuda import runtime

        place = self._module.get_global_var(name)
        runtime.memcpy(int(place), values.ctypes.data, values.nbytes, runtime.memcpyHostToDevice)


def given_variables(program: Program, arguments: Mapping[str, Argument]) -> dict[str, NDArray[Any]]:
    """Return what is given for variables of the file, in the types that they are declared with."""
    found = {}
    for variable in program.variables:
        if variable.name in arguments:
            kind = variable.type.element if isinstance(variable.type, Array) else variable.type
            values = np.ascontiguousarray(arguments[variable.name])
            found[variable.name] = values.astype(kind.dtype) if isinstance(kind, Scalar) else values
    return found


def contents(value: Argument) -> NDArray[Any]:
    """Return what an array argument holds before the launch; what is not written is as in the simulator."""
    if not isinstance(value, Unwritten):
        return np.ascontiguousarray(value)
    kind = np.dtype(value.dtype)
    if kind.kind == "f":
        return np.full(value.shape, np.nan, kind)
    return np.full(value.shape, True if kind.kind == "b" else np.frombuffer(b"\xcd" * kind.itemsize, kind)[0], kind)
