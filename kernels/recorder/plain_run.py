"""Runs on the GPU of any source, without instruments: a kernel and its callees, with the user's launch and values.

The text is that of `kernels.recorder.linked_program`, as it is compiled without instruments for a recording: the
source without host code, printf and assert.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from kernels.errors import DeviceError
from kernels.frontend.types import Pointer, size_of
from kernels.gpu import device as gpu
from kernels.gpu.compiler import compile_text
from kernels.gpu.loaded_kernel import LoadedKernel
from kernels.gpu.run import check_launch
from kernels.gpu.timing import LaunchTimer, TimingMode
from kernels.recorder.argument_passing import flat_parameters
from kernels.recorder.linked_program import KERNEL_NAME, LinkedProgram
from kernels.recorder.record import check_architecture, kernel_argument, variable_values
from kernels.simt.linking import link

if TYPE_CHECKING:
    from types import TracebackType

    from numpy.typing import NDArray

    from kernels.tracing import Job

    Arrays = dict[str, NDArray[np.generic]]


class PlainRun:
    """A launch that can be run once, or timed. A context manager that frees the memory.

    Launches back to back are timed where a second one, with what the first has left in the arrays, computes the same.
    Otherwise the arrays are restored before every launch, outside the time: then a sample is one launch.

    Parameters
    ----------
    job : Job
        The kernel, its launch and its arguments.
    fmad : bool
        Whether the compiler may fuse a multiplication and an addition into one rounding.
    capture : bool
        Whether short launches may be captured in a graph.

    Raises
    ------
    UnavailableError, SourceError, LaunchError, InputError, DeviceError
        As `kernels.recorder.record.record`.
    """

    def __init__(self, job: Job, *, fmad: bool = True, capture: bool = True) -> None:
        kernel, launch = job.function, job.launch
        linked = link(job.program, kernel, launch, job.arguments, job.instances)
        written = LinkedProgram(job.program, linked, launch.block.count)
        text, variables = written.whole_text(), written.variables()
        device = gpu.present_device()
        check_architecture(kernel.name, written.sm_80_construct(), device)
        self._sizes = {v.name: size_of(v.type) for v in variables if v.space in ("global", "constant")}
        """Bytes of the variables at file scope."""
        code = compile_text(text, job.program.file, KERNEL_NAME, (), device.arch, fmad=fmad, keep=tuple(self._sizes))
        check_launch(kernel.name, launch, code, device)
        self._what = f"{kernel.name}, grid {launch.grid}, block {launch.block}"
        parameters = flat_parameters(kernel)
        self._places = {p.name: place for place, p in enumerate(parameters) if isinstance(p.type, Pointer)}
        values = [kernel_argument(parameter, job.arguments[parameter.name]) for parameter in parameters]
        self._mode = TimingMode(capture=capture and not linked.waits_for_grid)
        self._timer: LaunchTimer | None = None
        self.restores = False
        """Whether the arrays are restored before every launch; known after the first sample."""
        with gpu.cuda_errors(self._what):
            self._kernel = LoadedKernel(code, launch, values, cooperative=linked.waits_for_grid)
            for name, contents in variable_values(job.program, job.arguments).items():
                if name in self._sizes:
                    self._kernel.write_variable(name, contents)
            self._initial = self._copies()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        import cupy

        self._initial.clear()
        del self._kernel
        self._timer = None
        if not isinstance(error, DeviceError):  # a broken context cannot free memory
            cupy.get_default_memory_pool().free_all_blocks()

    @property
    def launches_per_sample(self) -> int:
        """Launches whose mean is one sample; 0 before the first."""
        return self._timer.launches_per_sample if self._timer else 0

    @property
    def captured(self) -> bool:
        """Whether the launches of a sample are a CUDA graph."""
        return self._timer is not None and self._timer.captured

    def outputs(self) -> Arrays:
        """Restore arrays and variables, run once, wait, and return their contents; variables as bytes.

        Raises
        ------
        DeviceError
            When the kernel fails, after which the process cannot use the GPU any more.
        """
        with gpu.cuda_errors(self._what):
            self._restore()
            return self._run()

    def sample_ms(self) -> dict[str, float]:
        """Return the milliseconds of one launch. Raises as `outputs` does."""
        with gpu.cuda_errors(self._what):
            if self._timer is None:
                first, second = self.outputs(), self._run()
                self.restores = any(first[name].tobytes() != second[name].tobytes() for name in first)
                self._timer = LaunchTimer(self._kernel.queue, self._mode, self._restore if self.restores else None)
            return {"kernel": self._timer.sample_ms()}

    def _run(self) -> Arrays:
        self._kernel.run()
        arrays = {name: self._kernel.contents_of(place) for name, place in self._places.items()}
        return {**arrays, **{name: self._kernel.read_variable(name, size) for name, size in self._sizes.items()}}

    def _buffers(self) -> list[tuple[int, int]]:
        """Return address and bytes of each array and variable."""
        arrays = [(self._kernel.address_of(place), self._kernel.bytes_of(place)) for place in self._places.values()]
        return arrays + [(self._kernel.address_of_variable(name), size) for name, size in self._sizes.items()]

    def _copies(self) -> list[Any]:
        import cupy
        from cupy.cuda import runtime

        found = []
        for address, size in self._buffers():
            found.append(cupy.empty(size, np.uint8))
            runtime.memcpy(found[-1].data.ptr, address, size, runtime.memcpyDeviceToDevice)
        return found

    def _restore(self) -> None:
        """Queue copies of the initial contents to arrays and variables."""
        from cupy.cuda import get_current_stream, runtime

        stream = get_current_stream().ptr
        for (address, size), initial in zip(self._buffers(), self._initial, strict=True):
            runtime.memcpyAsync(address, initial.data.ptr, size, runtime.memcpyDeviceToDevice, stream)
