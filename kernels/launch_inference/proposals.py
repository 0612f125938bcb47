"""Proposed launches, one for each kernel of a file: small, and with one thread for each element."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.catalog import read_source
from kernels.custom_launch.model import CustomLaunch
from kernels.errors import InputError
from kernels.frontend import parse_with_instances
from kernels.launch_inference.drafts import drafts
from kernels.launch_inference.host import Host
from kernels.launch_inference.trial import try_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from kernels.frontend.ast import Function, Template
    from kernels.launch_inference.drafts import Draft

_TIME_LIMIT_S: Final = 2.0
"""Limit of the trials of a file's launches; the remaining kernels get their first draft without a trial."""


def proposals(
    file: Path, cancelled: Callable[[], bool] = lambda: False, text: str | None = None
) -> tuple[CustomLaunch, ...]:
    """Return a launch for each kernel of a file, after a trial run; `text` is what was read of the file before.

    Raises
    ------
    InputError, SourceError
        When the file has no kernel that can be launched.
    """
    text = read_source(file) if text is None else text
    program, instances = parse_with_instances(text, file.name, (), file.parent)
    templates = (template for template in program.templates if template.kernel)
    kernels: list[Function | Template] = [*program.kernels, *templates]
    if not kernels and program.kernel_errors:
        raise program.kernel_errors[0][1]
    if not kernels:
        raise InputError(f"{file.name}: has no __global__ function to launch")
    host, due = Host(text), time.monotonic() + _TIME_LIMIT_S
    return tuple(
        _best(
            drafts(CustomLaunch(file, text, kernel.name, "", "", ()), instances, kernel, host),
            lambda: cancelled() or time.monotonic() > due,
        )
        for kernel in sorted(kernels, key=_line)
    )


def _line(kernel: Function | Template) -> int:
    return kernel.span.line


def _best(drafts_in_order: Iterable[Draft], cancelled: Callable[[], bool]) -> CustomLaunch:
    """Return the repaired candidate with the fewest problems; the first on a tie.

    A launch with a block that the file does not name is tried only if those with a named one fail.
    """
    remaining = iter(drafts_in_order)
    first = next(remaining)
    best, named = try_out(first, cancelled), first.named
    for draft in remaining:
        if not best.problems or cancelled():
            break
        if named and not draft.named and not best.failed:
            continue
        trial = try_out(draft, cancelled)
        if trial.problems < best.problems:
            best, named = trial, draft.named
    return replace(best.launch, proposed=True)
