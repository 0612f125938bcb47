"""Candidate launches of a kernel: from the host code where it has one, else from names and types."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

from kernels.custom_launch.model import CustomLaunch, LaunchValue
from kernels.errors import SourceError, TilescopeError
from kernels.frontend import text_of
from kernels.frontend.ast import Template
from kernels.frontend.types import FunctionName
from kernels.launch import Dim3
from kernels.launch_inference.host import COMMENT
from kernels.launch_inference.trial import PROPOSED_SHARED_BYTES
from kernels.launch_inference.values import file_values, parameter_values
from kernels.simt import choose_kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from kernels.frontend.ast import Function, Parameter, Program, TemplateParameter
    from kernels.frontend.instances import Instances
    from kernels.launch_inference.host import Host, HostLaunch

_DYNAMIC: Final = re.compile(r"\bextern\s+__shared__\b")
_SECOND_DIMENSION: Final = re.compile(r"\b(threadIdx|blockIdx|blockDim|gridDim)\s*\.\s*y\b")
_SECOND_THREAD: Final = re.compile(r"\b(threadIdx|blockDim)\s*\.\s*y\b")
_THIRD_DIMENSION: Final = re.compile(r"\b(threadIdx|blockIdx|blockDim|gridDim)\s*\.\s*z\b")
_SHARED: Final = re.compile(r"__shared__[^;\[]*\[([^\]]+)\](?:\s*\[([^\]]+)\])?")
_TEMPLATE_NUMBERS: Final = ("8", "32", "16", "4")
_MOST_IN_BLOCK: Final = 1024
_MOST_THREADS: Final = 4096
"""The most threads of a proposal: more are slow to try and hard to see."""


class _Launch(NamedTuple):
    """Blocks, threads, and bytes of dynamic shared memory where they are known."""

    grid: Dim3
    block: Dim3
    shared_bytes: int | None


def drafts(
    blank: CustomLaunch, instances: Instances, kernel: Function | Template, host: Host
) -> Iterator[CustomLaunch]:
    """Yield launches of a kernel: for each way to instantiate a template a small one, then the host's own.

    A template that accepts none of these arguments has one draft, which the user has to change.
    """
    program = instances.program
    hosts, instantiated, rejected = tuple(host.launches(kernel.name)), False, None
    for template in _templates(instances, kernel, hosts):
        arguments = {value.name: value.text for value in template if value.text}
        draft = replace(blank, template=template)
        try:
            function = choose_kernel(program, kernel.name, arguments, instances)
        except TilescopeError:
            rejected = rejected or draft
            continue
        text = _body(program, function)
        functions = " ".join(_body(program, other) for other in program.functions if not other.kernel)
        constants = tuple(file_values(program, f"{text} {functions}"))
        numbers = {name: int(value) for name, value in arguments.items() if value.isdecimal()}
        for launch in _launches(text, hosts, partial(host.number, more=numbers)):
            yield _fill_in(draft, launch, function.parameters, text, constants)
        instantiated = True
    if rejected is not None and not instantiated and isinstance(kernel, Template):
        yield _fill_in(rejected, _Launch(Dim3(2), Dim3(32), None), kernel.signature, "", ())


def _fill_in(
    draft: CustomLaunch, launch: _Launch, parameters: Sequence[Parameter], body: str, constants: tuple[LaunchValue, ...]
) -> CustomLaunch:
    """Return a draft with a grid, a block and values for them."""
    dynamic = PROPOSED_SHARED_BYTES if _DYNAMIC.search(draft.text) else 0
    return replace(
        draft,
        grid=launch.grid.option_text,
        block=launch.block.option_text,
        shared=str(launch.shared_bytes or dynamic),
        values=(*parameter_values(parameters, body, _threads(launch)), *constants),
    )


def _templates(
    instances: Instances, kernel: Function | Template, hosts: Iterable[HostLaunch]
) -> Iterator[tuple[LaunchValue, ...]]:
    """Yield arguments of a template: those in the host code, then small numbers."""
    if not isinstance(kernel, Template):
        yield ()
        return
    parameters = [parameter for parameter in kernel.parameters if not parameter.pack]
    for texts in dict.fromkeys(launch.template for launch in hosts if launch.template):
        known = [text if _is_known(instances, text) else None for text in texts[: len(parameters)]]
        yield tuple(_template_value(p, text) for p, text in zip_longest(parameters, known))
    for number in _TEMPLATE_NUMBERS:
        yield tuple(_template_value(parameter, None, number) for parameter in parameters)


def _is_known(instances: Instances, text: str) -> bool:
    """Return whether an argument of a template is a number or a type, not a name of the host's own template."""
    try:
        return not isinstance(instances.argument(text), FunctionName)
    except SourceError:
        return False


def _template_value(parameter: TemplateParameter, text: str | None, number: str = _TEMPLATE_NUMBERS[0]) -> LaunchValue:
    """Return the argument of a template's parameter: `text` if there is one, else its default, else `number`."""
    kind = parameter.type
    word = "typename" if kind is None else str(kind)
    if text is None and parameter.default is None:
        text = "float" if kind is None else "true" if kind.dtype.kind == "b" else number
    return LaunchValue(parameter.name, f"template {word}", text or "")


def _launches(body: str, hosts: Iterable[HostLaunch], number: Callable[[str], float | None]) -> Iterator[_Launch]:
    """Yield grids and blocks: small ones, then blocks as large as the shared arrays, then those of the host code."""
    plane = bool(_SECOND_DIMENSION.search(body))
    grid = Dim3(2, 2) if plane else Dim3(2)
    small = Dim3(4, 4) if _SECOND_THREAD.search(body) else Dim3(32)
    if plane and _THIRD_DIMENSION.search(body):
        grid, small = Dim3(2, 2, 2), Dim3(4, 4, 2)
    found = [_Launch(grid, small, None)]
    for lengths in _SHARED.findall(body):
        numbers = [number(length) for length in lengths if length]
        sides = [int(length) for length in numbers if length]
        if sides:
            block = Dim3(min(sides), min(sides)) if len(sides) > 1 else Dim3(sides[0])
            found.append(_Launch(grid, block, None))
    found += [_Launch(h.grid or grid, h.block, h.shared_bytes) for h in hosts if h.block is not None]
    yield from dict.fromkeys(_shrink(launch) for launch in found if launch.block.count <= _MOST_IN_BLOCK)


def _shrink(launch: _Launch) -> _Launch:
    """Reduce the grid to two blocks in every direction, or fewer if these have too many threads."""
    grid = [min(length, 2) for length in launch.grid]
    while math.prod(grid) > max(1, _MOST_THREADS // launch.block.count):
        longest = max(range(3), key=lambda axis: grid[axis])
        grid[longest] = 1
    return launch._replace(grid=Dim3(*grid))


def _threads(launch: _Launch) -> tuple[int, ...]:
    """Return depth, rows and columns of the threads, or fewer of them in a launch of fewer dimensions.

    In a two-dimensional grid of one-dimensional blocks each thread computes several rows: then rows equal columns.
    """
    if launch.grid.z > 1 or launch.block.z > 1:
        x, y, z = (blocks * threads for blocks, threads in zip(launch.grid, launch.block, strict=True))
        return z, y, x
    columns, rows = launch.grid.x * launch.block.x, launch.grid.y * launch.block.y
    return (columns,) if rows == 1 else (columns if launch.block.y == 1 else rows, columns)


def _body(program: Program, function: Function) -> str:
    """Return the text of a function's body without comments."""
    return COMMENT.sub(" ", text_of(program.text, function.body.span, program.included))
