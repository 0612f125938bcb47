"""Run of a kernel with the user's values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.arguments import check_complete, parse_arguments, parse_defines, parse_templates
from kernels.errors import InputError
from kernels.frontend import parse_with_instances
from kernels.launch import Dim3, Launch
from kernels.simt import choose_kernel
from kernels.tracing import trace_program

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.instances import Instances
    from kernels.launch_inference.custom_launch import CustomLaunch
    from kernels.simt import Options
    from kernels.trace import Trace


def perform(custom: CustomLaunch, options: Options, check: Callable[[int], None] = lambda threads: None) -> Trace:
    """Run a kernel with the user's values; `check` may refuse the number of threads before the run.

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
    template = template_of(custom)
    instances = read(custom)
    program = instances.program
    check_complete(choose_kernel(program, custom.entry, template, instances), arguments, program.file)
    return trace_program(program, custom.entry, launch, arguments, template, options, instances)


def read(custom: CustomLaunch) -> Instances:
    """Parse the source with the user's macros; errors as `perform`."""
    return parse_with_instances(custom.text, custom.file.name, defines_of(custom), custom.file.parent)[1]


def defines_of(custom: CustomLaunch) -> tuple[tuple[str, str], ...]:
    """Return the macros of a launch; raises InputError for a text that is no macro."""
    return tuple(parse_defines(word.removeprefix("-D") for word in custom.defines.split()).items())


def template_of(custom: CustomLaunch) -> dict[str, str]:
    """Return the arguments of the template; errors as `perform`."""
    return parse_templates(f"{value.name}={value.text}" for value in custom.template if value.text)
