"""Run of a kernel with the user's values."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from kernels.architecture import SM_80, Architecture
from kernels.arguments import check_complete, parse_arguments, parse_defines, parse_templates
from kernels.errors import InputError
from kernels.frontend import parse_with_instances
from kernels.launch import Dim3, Launch
from kernels.simt import choose_kernel
from kernels.tracing import Job, trace_program

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.architecture import Names
    from kernels.custom_launch.model import CustomLaunch
    from kernels.frontend.instances import Instances
    from kernels.simt import Options
    from kernels.trace import Trace


def perform(
    custom: CustomLaunch,
    options: Options,
    check: Callable[[int], None] = lambda threads: None,
    architecture: Architecture = SM_80,
) -> Trace:
    """Run a kernel with the user's values; parameters and errors as `prepare`."""
    return simulate(custom, prepare(custom, check, architecture), options)


def simulate(custom: CustomLaunch, job: Job, options: Options) -> Trace:
    """Run what `prepare` has returned."""
    return trace_program(
        job.program, custom.entry, job.launch, job.arguments, template_of(custom), options, job.instances
    )


def prepare(
    custom: CustomLaunch,
    check: Callable[[int], None] = lambda threads: None,
    architecture: Architecture = SM_80,
) -> Job:
    """Parse the source and the values; `check` may refuse the number of threads before.

    `architecture` is that of a launch that names none.

    Raises
    ------
    TilescopeError
        When the launch, a value or the source is refused.
    """
    if not custom.shared.isdecimal():
        raise InputError(f"dynamic shared memory must be a number of bytes, 0 for none (it is '{custom.shared}')")
    launch = Launch(Dim3.parse(custom.grid), Dim3.parse(custom.block), int(custom.shared))
    check(launch.thread_count)
    arguments = parse_arguments(f"{value.name}={value.text}" for value in custom.values)
    instances = read(custom, architecture)
    function = choose_kernel(instances.program, custom.entry or None, template_of(custom), instances)
    check_complete(function, arguments, instances.program.file)
    return Job(instances.program, function, launch, arguments, instances)


def read(custom: CustomLaunch, architecture: Architecture = SM_80) -> Instances:
    """Parse the source with the macros of the launch; errors as `perform`."""
    search = [Path(folder) for folder in custom.search]
    defines = defines_of(custom, architecture)
    return parse_with_instances(custom.text, custom.file.name, defines, custom.file.parent, search=search)[1]


def defines_of(custom: CustomLaunch, architecture: Architecture = SM_80) -> Names:
    """Return the macros of a launch, with those of its architecture; raises InputError for a text that is no macro."""
    try:
        words = shlex.split(custom.defines)
    except ValueError as error:
        raise InputError(f"macros: a quotation mark is not closed: {custom.defines}") from error
    macros = tuple(parse_defines(word.removeprefix("-D") for word in words).items())
    if custom.arch:
        return Architecture.parse(custom.arch).among(macros)
    return macros if Architecture.of_macros(macros) != SM_80 else architecture.among(macros)


def template_of(custom: CustomLaunch) -> dict[str, str]:
    """Return the arguments of the template; errors as `perform`."""
    return parse_templates(f"{value.name}={value.text}" for value in custom.template if value.text)
