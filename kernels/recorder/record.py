"""Recording: run an instrumented kernel on the GPU and read its log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.errors import InputError, UnavailableError
from kernels.frontend.types import Array, Pointer, Scalar
from kernels.gpu import device as gpu
from kernels.gpu.compiler import compile_text
from kernels.gpu.loaded_kernel import LoadedKernel
from kernels.gpu.run import check_launch
from kernels.recorder.argument_passing import flat_parameters
from kernels.recorder.instrument import instrument
from kernels.recorder.log import ENTRY
from kernels.recorder.log_entries import DeviceArray, decode
from kernels.recorder.recording import Recording, accesses_in
from kernels.simt import Unwritten

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kernels.device import Device
    from kernels.frontend.ast import Function, Program
    from kernels.frontend.instances import Instances
    from kernels.gpu.compiler import Compiled
    from kernels.launch import Launch
    from kernels.recorder.argument_passing import FlatParameter
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
    """Run a kernel on the GPU without instruments, then with them: once to count log entries, once to store them.

    Parameters
    ----------
    program, kernel, launch, arguments
        As for `kernels.simt.run`. The kernel must have no hazards: the device does not check for them.
    fmad : bool
        Whether the compiler may fuse a multiplication and an addition into one rounding.
    max_bytes : int
        Limit of the log's size.

    Raises
    ------
    UnavailableError, SourceError, LaunchError, InputError, DeviceError
        No GPU, or one that lacks an instruction of the kernel; the text does not compile; the device refuses the
        launch; the log exceeds `max_bytes` or the device's memory; the kernel fails, after which this process cannot
        use the GPU any more.
    """
    instrumented = instrument(program, kernel, launch, arguments, instances)
    device = gpu.present_device()
    check_architecture(kernel.name, instrumented.sm_80_construct, device)
    values = variable_values(program, arguments)
    variables = {name: values[name] for name in values if name in instrumented.variables}
    plain, logging = (
        compile_text(
            text, program.file, instrumented.entry, (), device.arch, fmad=fmad, keep=tuple(instrumented.variables)
        )
        for text in (instrumented.plain_text, instrumented.text)
    )
    for code in (plain, logging):
        check_launch(kernel.name, launch, code, device)
    with gpu.cuda_errors(f"{kernel.name}, grid {launch.grid}, block {launch.block}"):

        def load(code: Compiled) -> _Run:
            return _Run(code, kernel, launch, arguments, variables, cooperative=instrumented.waits_for_grid)

        run = load(plain)
        run.kernel.run()
        outputs = run.results(instrumented.variables)
        # With a capacity of 0 every entry goes to the scrap column, so that the first run only counts.
        capacity = 0
        while True:  # a kernel whose threads race for work may log more in the next run
            run = load(logging)
            log, counts = run.log(capacity, max_bytes)
            if counts.max() <= capacity:
                break
            capacity = int(counts.max())
        results = run.results(instrumented.variables)
    rows = log[np.arange(log.shape[1]) < counts[:, None]]
    entries = decode(
        rows, counts, instrumented.notes, instrumented.loops, run.device_arrays(), launch.dynamic_shared_bytes
    )
    return Recording(launch, entries, accesses_in(entries, launch.thread_count), results, outputs)


def check_architecture(name: str, sm_80_construct: str, device: Device) -> None:
    """Raise UnavailableError when a kernel's text has a construct that the device lacks; "" for none."""
    major, minor = device.compute_capability
    if sm_80_construct and major < 8:
        raise UnavailableError(
            f"{name} uses {sm_80_construct}, which needs compute capability 8.0 or newer, and {device.name} has "
            f"{major}.{minor}: it runs in the simulator only"
        )


class _Run:
    """One run of a kernel with fresh arrays and variables."""

    def __init__(
        self,
        code: Compiled,
        kernel: Function,
        launch: Launch,
        arguments: Mapping[str, Argument],
        variables: Mapping[str, NDArray[Any]],
        *,
        cooperative: bool,
    ) -> None:
        self._launch = launch
        parameters = flat_parameters(kernel)
        self._arrays = {p.name: n for n, p in enumerate(parameters) if isinstance(p.type, Pointer)}
        """The position of each array among the arguments."""
        values = [kernel_argument(parameter, arguments[parameter.name]) for parameter in parameters]
        self.kernel = LoadedKernel(code, launch, values, cooperative=cooperative)
        for name, contents in variables.items():
            self.kernel.write_variable(name, contents)

    def device_arrays(self) -> list[DeviceArray]:
        """Return the arrays of the arguments with their addresses."""
        return [
            DeviceArray(name, self.kernel.address_of(n), self.kernel.bytes_of(n)) for name, n in self._arrays.items()
        ]

    def results(self, variables: Mapping[str, int]) -> dict[str, NDArray[np.generic]]:
        """Return the contents of the arrays and of file-scope variables; `variables` holds their sizes in bytes."""
        arrays = {name: self.kernel.contents_of(n) for name, n in self._arrays.items()}
        return {**arrays, **{name: self.kernel.read_variable(name, size) for name, size in variables.items()}}

    def log(self, capacity: int, max_bytes: int) -> tuple[NDArray[np.void], NDArray[np.int64]]:
        """Launch; return a row of entries for each thread (the last column is scrap) and the number of each."""
        threads = self._launch.thread_count
        size = threads * (capacity + 1) * ENTRY.itemsize
        if capacity and size > min(max_bytes, free := gpu.free_bytes()):
            advice = "" if size > free else ", or raise --max-memory"
            raise InputError(
                f"the log of {threads:,} threads takes {size / 2**20:,.0f} MiB: record a smaller problem{advice}"
            )
        log, counts = self.kernel.allocate(size, np.uint8), self.kernel.allocate(threads, np.uint32)
        self.kernel.write_variable("ts_log", np.array([log.data.ptr], np.uint64))
        self.kernel.write_variable("ts_count", np.array([counts.data.ptr], np.uint64))
        self.kernel.write_variable("ts_capacity", np.array([capacity], np.uint32))
        self.kernel.run()
        return log.get().view(ENTRY).reshape(threads, capacity + 1), counts.get().astype(np.int64)


def kernel_argument(parameter: FlatParameter, value: Argument) -> NDArray[Any] | np.generic:
    """Return an argument as an array for a pointer, else as a NumPy number of the parameter's type."""
    if isinstance(parameter.type, Pointer):
        return array_contents(value)
    assert isinstance(parameter.type, Scalar)
    number: np.generic = parameter.type.dtype.type(value)
    return number


def variable_values(program: Program, arguments: Mapping[str, Argument]) -> dict[str, NDArray[Any]]:
    """Return the arguments for variables at file scope, converted to their declared types."""
    found = {}
    for variable in program.variables:
        if variable.name in arguments:
            kind = variable.type.element if isinstance(variable.type, Array) else variable.type
            values = np.ascontiguousarray(arguments[variable.name])
            found[variable.name] = values.astype(kind.dtype) if isinstance(kind, Scalar) else values
    return found


def array_contents(value: Argument) -> NDArray[Any]:
    """Return the contents of an array argument before the launch; an unwritten one is filled as in the simulator."""
    if not isinstance(value, Unwritten):
        return np.ascontiguousarray(value)
    kind = np.dtype(value.dtype)
    if kind.kind == "f":
        return np.full(value.shape, np.nan, kind)
    return np.full(value.shape, True if kind.kind == "b" else np.frombuffer(b"\xcd" * kind.itemsize, kind)[0], kind)
