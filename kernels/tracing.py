"""Simulator runs of catalogue kernels and of any source: arguments, checks of the launch, and the trace."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from kernels.architecture import SM_80
from kernels.frontend import ast, parse_with_instances
from kernels.frontend.ast.traversal import all_nodes
from kernels.frontend.types import Array, Scalar, Struct
from kernels.host_memory import SIMULATED_COPIES
from kernels.launch import OPT_IN, Limits, check
from kernels.simt import Options, Unwritten, check_threads, choose_kernel, run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kernels.architecture import Architecture
    from kernels.catalog import Kernel
    from kernels.fill import Fill, Fills
    from kernels.frontend.ast import Function, Program
    from kernels.frontend.instances import Instances
    from kernels.launch import Dim3, Launch
    from kernels.simt import Argument
    from kernels.trace import Trace
    from kernels.workload import Size


@dataclass(frozen=True, slots=True)
class Job:
    """A parsed kernel with its launch and arguments."""

    program: Program
    function: Function
    launch: Launch
    arguments: Mapping[str, Argument]
    instances: Instances
    """Instances of the program's templates: the function may be one of them."""


def trace_kernel(
    kernel: Kernel,
    size: Size,
    block: Dim3,
    fill: Fills | Fill | None = None,
    options: Options = Options(),  # noqa: B008
    architecture: Architecture = SM_80,
) -> Trace:
    """Run a CUDA kernel of the catalogue in the simulator.

    Parameters
    ----------
    kernel : Kernel
        Must have a `.cu` source.
    size, block
        Problem size and block; the kernel's launch rule gives the grid.
    fill : Fills or Fill, optional
        Values of the inputs, by default the workload's. Outputs start unwritten, or as zeros if the kernel asks for it.
    options : Options
        Schedule and budget.
    architecture : Architecture
        The GPU whose code is run, where the source has several.

    Raises
    ------
    LaunchError
        If the kernel or the device refuses the launch.
    InputError, SourceError
        As `kernels.simt.run` says.
    """
    job = prepare(kernel, size, block, fill, architecture)
    return run(
        job.program,
        job.launch,
        job.arguments,
        kernel=job.function.name,
        options=options,
        instances=job.instances,
    )


def prepare(
    kernel: Kernel,
    size: Size,
    block: Dim3,
    fill: Fills | Fill | None = None,
    architecture: Architecture = SM_80,
) -> Job:
    """Parse a CUDA kernel of the catalogue and create its arguments; parameters and errors as `trace_kernel`."""
    size = kernel.workload.fit(size)
    launch = kernel.launch(size, block)
    check_threads(launch)
    file = kernel.file
    folder = file.parent if file else None
    name = file.name if file else kernel.id
    defines = architecture.among(kernel.defines(size, block))
    program, instances = parse_with_instances(kernel.text, name, defines, folder)
    function = choose_kernel(program, kernel.entry, instances=instances)
    check_limits(launch, static_shared_bytes(function))
    arguments = arguments_of(kernel, size, block, fill)
    # A workload has scalars and constants for all of its kernels; pass those that this kernel declares.
    used = {p.name for p in function.parameters} | {v.name for v in program.variables if v.space != "auto"}
    return Job(program, function, launch, {name: value for name, value in arguments.items() if name in used}, instances)


def arguments_of(kernel: Kernel, size: Size, block: Dim3, fill: Fills | Fill | None = None) -> dict[str, Argument]:
    """Create the arguments of a kernel: numbers, inputs, outputs (unwritten or zeros), `__constant__` variables.

    Without a `fill`, the inputs are those of the workload's pictures.

    Raises
    ------
    InputError
        As `Workload.inputs`, and if memory cannot hold the copies of the arrays that the simulator needs.
    """
    workload = kernel.workload
    workload.check_memory(size, SIMULATED_COPIES)
    return {
        **kernel.constants(size, block),
        **kernel.maps(size, block),
        **workload.scalars(size),
        **workload.inputs(size, fill or workload.fill),
        **{
            s.name: np.zeros(s.shape, s.dtype) if s.name in kernel.clear else Unwritten(s.dtype, s.shape)
            for s in workload.arrays(size)
            if s.output
        },
    }


def trace_source(
    text: str,
    file: str,
    kernel_name: str | None,
    launch: Launch,
    arguments: Mapping[str, Argument],
    defines: Sequence[tuple[str, str]] = (),
    template: Mapping[str, str] = MappingProxyType({}),
    options: Options = Options(),  # noqa: B008
) -> Trace:
    """Run any CUDA C source in the simulator.

    Parameters
    ----------
    text, file : str
        The source, and the name that messages give it.
    kernel_name : str or None
        Name of the `__global__` function; None if there is only one.
    launch : Launch
        Checked against the limits that every device has; dynamic shared memory against the most that host
        code can ask for.
    arguments : mapping
        By parameter name, as for `kernels.simt.run`.
    defines : sequence of (name, value)
        Macros, with those of an architecture (`Architecture.among`).
    template : mapping
        Template arguments of the kernel, as C writes them: ``{"T": "float", "TILE": "16"}``.
    options : Options
        Schedule and budget.

    Raises
    ------
    LaunchError, InputError, SourceError
        As `trace_kernel`.
    """
    program, instances = parse_with_instances(text, file, defines)
    return trace_program(program, kernel_name, launch, arguments, template, options, instances)


def trace_program(
    program: Program,
    kernel_name: str | None,
    launch: Launch,
    arguments: Mapping[str, Argument],
    template: Mapping[str, str],
    options: Options,
    instances: Instances,
) -> Trace:
    """Run a source that is parsed already; parameters and errors as `trace_source`."""
    static = static_shared_bytes(choose_kernel(program, kernel_name, template, instances))
    check_limits(launch, static)
    return run(program, launch, arguments, kernel=kernel_name, template=template, options=options, instances=instances)


def check_limits(launch: Launch, static_bytes: int) -> None:
    """Refuse a launch that no device allows, such as more than 48 KiB of static shared memory.

    Raises
    ------
    LaunchError
        With the limit. Of dynamic shared memory, it is the largest that host code can ask for.
    """
    check(replace(launch, dynamic_shared_bytes=0), Limits(), static_bytes)
    check(launch, OPT_IN, static_bytes)  # the host code that asks for it is not parsed


def static_shared_bytes(function: Function) -> int:
    """Return the bytes of `__shared__` memory that a function declares, each array aligned as its type requires."""
    total = 0
    for node in all_nodes(function.body):
        if not isinstance(node, ast.Variable) or node.space != "shared" or node.dynamic:
            continue
        kind = node.type
        if isinstance(kind, Array | Scalar | Struct):
            total = -(-total // kind.align_bytes) * kind.align_bytes + kind.size_bytes
    return total
