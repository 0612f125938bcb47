"""Runs a kernel as the user says."""

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
    from kernels.launch_inference.custom_launch import Launched
    from kernels.simt import Options
    from kernels.trace import Trace


def perform(launched: Launched, options: Options, check: Callable[[int], None] = lambda threads: None) -> Trace:
    """Run it; `check` may refuse the number of threads before anything runs.

    Raises
    ------
    TilescopeError
        When the launch, a value or the source is refused.
    """
    if not launched.shared.isdecimal():
        raise InputError(f"dynamic shared memory '{launched.shared}' cannot be: give a number of bytes, 0 for none")
    launch = Launch(Dim3.parse(launched.grid), Dim3.parse(launched.block), int(launched.shared))
    check(launch.thread_count)
    arguments = parse_arguments(f"{value.name}={value.text}" for value in launched.wanted)
    template = template_of(launched)
    instances = read(launched)
    program = instances.program
    check_complete(choose_kernel(program, launched.entry, template, instances), arguments, program.file)
    return trace_program(program, launched.entry, launch, arguments, template, options, instances)


def read(launched: Launched) -> Instances:
    """Parse its source, with its macros; errors as `perform`."""
    defines = tuple(parse_defines(word.removeprefix("-D") for word in launched.defines.split()).items())
    return parse_with_instances(launched.text, launched.file.name, defines, launched.file.parent)[1]


def template_of(launched: Launched) -> dict[str, str]:
    """Return its template's arguments; errors as `perform`."""
    return parse_templates(f"{value.name}={value.text}" for value in launched.template if value.text)
