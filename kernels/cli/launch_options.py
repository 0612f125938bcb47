"""Options of `trace`, `bench` and `plan` that describe a launch of any file: kernel, grid, arguments, macros."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, fields, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kernels.arguments import parse_arguments, parse_defines, parse_templates
from kernels.catalog import read_source
from kernels.custom_launch.model import CustomLaunch, LaunchValue
from kernels.custom_launch.run import prepare
from kernels.errors import InputError
from kernels.launch import Dim3, Launch
from kernels.tracing import check_limits, static_shared_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_SPELLINGS: Final = {
    "entry": "--kernel",
    "grid": "--grid",
    "args": "--arg",
    "defines": "-D",
    "search": "-I",
    "template": "--template",
    "dynamic_shared": "--dynamic-shared",
}
"""The options, by the names of their values."""


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """Values of the options, by their names; the block is a separate option of each command."""

    entry: str | None
    grid: str | None
    args: tuple[str, ...]
    defines: tuple[str, ...]
    search: tuple[Path, ...]
    template: tuple[str, ...]
    dynamic_shared: int | None

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the options."""
        return tuple(field.name for field in fields(cls))

    @property
    def options(self) -> tuple[str, ...]:
        """The options that have a value, as the command line spells them."""
        return tuple(word for name, word in _SPELLINGS.items() if getattr(self, name) not in (None, ()))

    def launch_of(self, file: Path, block: str | None) -> CustomLaunch:
        """Return the launch of a file, after all its values are checked.

        Raises
        ------
        TilescopeError
            When a value is missing or cannot be used, or the source cannot be parsed.
        """
        parse_arguments(self.args)  # in the words of --arg, before they are divided into name and value
        parse_templates(self.template)
        parse_defines(self.defines)
        launch = replace(launch_of_file(file, self.grid, block), dynamic_shared_bytes=self.dynamic_shared or 0)
        custom = CustomLaunch(
            file.resolve(),
            read_source(file),
            self.entry or "",
            launch.grid.option_text,
            launch.block.option_text,
            _values(self.args, {}),
            str(launch.dynamic_shared_bytes),
            _values(self.template, {}),
            shlex.join(self.defines),
            tuple(str(folder.resolve()) for folder in self.search),
        )
        job = prepare(custom)
        check_limits(job.launch, static_shared_bytes(job.function))
        types = {variable.name: str(variable.type) for variable in job.program.variables}
        types |= {parameter.name: str(parameter.type) for parameter in job.function.parameters}
        return replace(custom, entry=job.function.name, values=_values(self.args, types))


def launch_of_file(file: Path, grid: str | None, block: str | None) -> Launch:
    """Return a launch of a file that does not say how it is launched.

    Raises
    ------
    InputError
        When the grid or the block is missing, or not a size.
    """
    if grid is None or block is None:
        missing = [option for option, text in (("--grid", grid), ("--block", block)) if text is None]
        raise InputError(f"{file}: give {' and '.join(missing)}, as in --grid 2,2 --block 16,16")
    return Launch(Dim3.parse(grid), Dim3.parse(block))


def _values(texts: Iterable[str], types: Mapping[str, str]) -> tuple[LaunchValue, ...]:
    """Divide options into name and value, with the type of the parameter, also for a part of one."""
    found = []
    for text in texts:
        name, _, value = (part.strip() for part in text.partition("="))
        found.append(LaunchValue(name, types.get(name.split(".")[0].split("[")[0], ""), value))
    return tuple(found)


_OPTIONS: Final = (
    click.option("--kernel", "entry", metavar="NAME", help="The __global__ function, if there are several."),
    click.option("--grid", metavar="X[,Y[,Z]]", help="Blocks in the grid."),
    click.option(
        "--arg",
        "args",
        multiple=True,
        metavar="NAME=VALUE | NAME=TYPE[DIMS]:FILL",
        help="One argument of the kernel: a number, or an array.",
    ),
    click.option("-D", "defines", multiple=True, metavar="NAME=VALUE", help="Define a macro."),
    click.option(
        "-I",
        "search",
        multiple=True,
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        metavar="DIR",
        help="A folder of included files.",
    ),
    click.option(
        "--template",
        multiple=True,
        metavar="NAME=VALUE",
        help="A template argument by the name of its parameter: a number, type or function.",
    ),
    click.option("--dynamic-shared", type=click.IntRange(0), metavar="BYTES", help="Dynamic shared memory."),
)


def launch_options(command: Callable[..., int]) -> Callable[..., int]:
    """Decorate a command: it gets the options above as one `launch`, a `LaunchRequest`."""

    @wraps(command)
    def with_launch(**values: Any) -> int:
        launch = LaunchRequest(**{name: values.pop(name) for name in LaunchRequest.names()})
        return command(launch=launch, **values)

    for option in reversed(_OPTIONS):
        with_launch = option(with_launch)
    return with_launch
