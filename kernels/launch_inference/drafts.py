"""Candidate launches of a kernel: for each way to instantiate a template, each grid and block."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from kernels.custom_launch.model import CustomLaunch, LaunchValue
from kernels.errors import SourceError, TilescopeError
from kernels.frontend import render, text_of
from kernels.frontend.ast import Expr, Template, Variable
from kernels.frontend.ast.traversal import below
from kernels.frontend.index_expressions import Indices
from kernels.frontend.types import FunctionName, Pointer
from kernels.launch_inference.array_uses import NUMBERS, ArrayUses
from kernels.launch_inference.blocks import means_block, shapes
from kernels.launch_inference.host import COMMENT
from kernels.launch_inference.sizes import factors_of, in_bytes, lacks_guard, loop_bounds, sizes_of
from kernels.launch_inference.values import (
    flatten,
    is_measured,
    is_whole_number,
    open_variables,
    parameter_value,
    size_bytes,
    variable_values,
)
from kernels.simt import choose_kernel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kernels.frontend.ast import Function, Program, TemplateParameter
    from kernels.frontend.instances import Instances
    from kernels.frontend.types import CType
    from kernels.launch_inference.host import Host, HostLaunch

PROPOSED_SHARED_BYTES: Final = 48 * 1024
"""Dynamic shared memory of a first trial, which is then reduced to what the kernel accesses."""

_TEMPLATE_NUMBERS: Final = (8, 32, 16, 4)
_ROWS: Final = re.compile(r"\bthreadIdx\s*\.\s*y\b")
_ROW: Final = 8
"""Threads of a block of one dimension for each side of a block of two."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """What the text of a kernel says about its arrays."""

    arrays: dict[str, CType]
    """Arrays whose length follows from a run, and the type of an element."""
    uses: ArrayUses
    sides: frozenset[str]
    """Sizes that may be sides of an array: they bound an index or a loop, or an index is multiplied by them."""
    byte_pitches: frozenset[str]
    """Sizes that are a pitch in bytes."""
    constants: frozenset[int]
    """Numbers that may be the length of an array."""
    guarded: bool
    """Whether a size is compared with an index."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A launch to be tried; without a kernel, it cannot be."""

    launch: CustomLaunch
    named: bool = False
    """Whether the file names the block, and the arguments of a template that it launches."""
    sizes: dict[str, int] = field(default_factory=dict)
    """Values of the integers by name."""
    kernel: Kernel | None = None


def drafts(blank: CustomLaunch, instances: Instances, kernel: Function | Template, host: Host) -> Iterator[Draft]:
    """Yield launches of a kernel.

    A template that accepts none of these arguments has one draft, which the user has to change.
    """
    program = instances.program
    hosts, instantiated, rejected = tuple(host.launches(kernel.name)), False, None
    launched = [*_launched(instances, kernel, hosts)]
    for template in dict.fromkeys((*launched, *_invented(instances, kernel))):
        arguments = {value.name: value.text for value in template if value.text}
        draft = replace(blank, template=template)
        try:
            function = choose_kernel(program, kernel.name, arguments, instances)
        except TilescopeError:
            rejected = rejected or draft
            continue
        for found in _of_function(draft, program, function, kernel, hosts, host):
            yield replace(found, named=found.named and (template in launched or not launched))
        instantiated = True
    if rejected is not None and not instantiated and isinstance(kernel, Template):
        leaves = (leaf for parameter in kernel.signature for leaf in flatten(parameter.name, parameter.type))
        values = tuple(parameter_value(name, kind, {}, 64, NUMBERS) for name, kind in leaves)
        yield Draft(replace(rejected, grid="2", block="32", values=values))


def _of_function(
    draft: CustomLaunch,
    program: Program,
    function: Function,
    kernel: Function | Template,
    hosts: Iterable[HostLaunch],
    host: Host,
) -> Iterator[Draft]:
    """Yield the launches of a kernel, or of an instance of a template."""
    body = _body(program, function)
    others = [other for other in program.functions if not other.kernel]
    device = " ".join([body, *(_body(program, other) for other in others)])
    indices = Indices(function)
    used = frozenset().union(indices.names, *(Indices(other).names for other in others))
    nodes = (node for each in (function, *others) for node in below(each.body))
    dynamic = any(node.dynamic for node in nodes if isinstance(node, Variable))
    leaves = [leaf for parameter in function.parameters for leaf in flatten(parameter.name, parameter.type)]
    variables = open_variables(program, device)
    names = [name for name, kind in leaves if is_whole_number(kind)]
    names += [variable.name for variable in variables if is_whole_number(variable.type)]
    own = {*names, *indices.locals}
    numbers = {name: number for name, number in host.numbers.items() if name not in own}
    template = _template_numbers(draft, kernel, host)
    numbers |= template
    bounds = host.number(host.launch_bounds(kernel.name), {k: int(v) for k, v in numbers.items()})
    found = shapes(indices, used, device, hosts, None if bounds is None else int(bounds), numbers, template)
    arrays = {name: kind.to for name, kind in leaves if isinstance(kind, Pointer) and is_measured(kind)}
    longest = max(map(size_bytes, arrays.values()), default=1)
    uses = ArrayUses(indices, arrays, body)
    # Where the element of an array is compared, the bound is no size: `edge > threshold`.
    guards = [guard for guard in indices.guards if not indices.sources(guard.index) & arrays.keys()]
    in_bounds = frozenset(name for guard in guards for name in indices.sources(guard.bound))
    # A size that the kernel does not use at all is the length of its arrays: the guard is missing.
    unused = {name for name in names if lacks_guard(name, indices, device)}
    read = Kernel(
        arrays,
        uses,
        in_bounds | loop_bounds(indices) | factors_of(indices) | unused,
        frozenset(name for name in names if in_bytes(name, device)),
        indices.limits | {int(number) for number in numbers.values() if isinstance(number, int)},
        bool(in_bounds.intersection(names)),
    )
    for shape in found:
        sizes = sizes_of(indices, names, shape.grid, shape.block, numbers, device, longest)
        least = min((size for size in sizes.values() if size > 1), default=8)
        threads = shape.grid.count * shape.block.count
        values = [
            parameter_value(
                name, kind, sizes, threads, uses.fill(name, arrays[name], least) if name in arrays else NUMBERS
            )
            for name, kind in leaves
        ]
        launch = replace(
            draft,
            grid=shape.grid.option_text,
            block=shape.block.option_text,
            shared=str(shape.shared_bytes or (PROPOSED_SHARED_BYTES if dynamic else 0)),
            values=(*values, *variable_values(variables, sizes)),
        )
        yield Draft(launch, shape.named, sizes, read)


def _template_numbers(draft: CustomLaunch, kernel: Function | Template, host: Host) -> dict[str, int | float | bool]:
    """Return the numbers among the arguments of a template, by default those of its declaration."""
    if not isinstance(kernel, Template):
        return {}
    found: dict[str, int | float | bool] = {}
    for parameter, value in zip(kernel.parameters, draft.template, strict=False):
        default = render(parameter.default) if isinstance(parameter.default, Expr) else ""
        number = host.number(value.text or default)
        if number is not None:
            found[value.name] = number
    return found


def _launched(
    instances: Instances, kernel: Function | Template, hosts: Iterable[HostLaunch]
) -> Iterator[tuple[LaunchValue, ...]]:
    """Yield the arguments of a template in the host code."""
    if isinstance(kernel, Template):
        parameters = [parameter for parameter in kernel.parameters if not parameter.pack]
        for texts in dict.fromkeys(launch.template for launch in hosts if launch.template):
            known = [text if _is_known(instances, text) else None for text in texts[: len(parameters)]]
            yield tuple(_template_value(p, text) for p, text in zip_longest(parameters, known))


def _invented(instances: Instances, kernel: Function | Template) -> Iterator[tuple[LaunchValue, ...]]:
    """Yield small numbers as arguments of a template; no arguments for a function."""
    if not isinstance(kernel, Template):
        yield ()
        return
    parameters = [parameter for parameter in kernel.parameters if not parameter.pack]
    longer = 1 if _ROWS.search(instances.program.text) else _ROW
    for number in _TEMPLATE_NUMBERS:
        yield tuple(_template_value(p, None, number * (longer if means_block(p.name) else 1)) for p in parameters)


def _is_known(instances: Instances, text: str) -> bool:
    """Return whether an argument of a template is a number or a type, not a name of the host's own template."""
    try:
        return not isinstance(instances.argument(text), FunctionName)
    except SourceError:
        return False


def _template_value(parameter: TemplateParameter, text: str | None, number: int = _TEMPLATE_NUMBERS[0]) -> LaunchValue:
    """Return the argument of a template's parameter: `text` if there is one, else its default, else `number`."""
    kind = parameter.type
    word = "typename" if kind is None else str(kind)
    if text is None and parameter.default is None:
        text = "float" if kind is None else "true" if kind.dtype.kind == "b" else str(number)
    return LaunchValue(parameter.name, f"template {word}", text or "")


def _body(program: Program, function: Function) -> str:
    """Return the text of a function's body without comments."""
    return COMMENT.sub(" ", text_of(program.text, function.body.span, program.included))
