"""Real traces to read: kernels of the catalogue, and small ones written in the tests."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import pytest

from kernels.arguments import parse_arguments
from kernels.catalog import catalog, find_kernel
from kernels.errors import LaunchError
from kernels.launch import Dim3, Launch
from kernels.simt import Options
from kernels.tracing import trace_kernel, trace_source
from kernels.workload import Size
from tests.sweeps import in_handful

if TYPE_CHECKING:
    from kernels.catalog import Kernel
    from kernels.trace import Trace

_MOST_SHARED_BYTES: Final = 48 * 1024


@cache
def catalogue(name: str, size: str = "", block: str = "", schedule: str = "lockstep") -> Trace:
    kernel = find_kernel(name)
    return trace_kernel(
        kernel,
        Size.parse(size) if size else kernel.size,
        Dim3.parse(block) if block else kernel.block,
        options=Options(schedule),
    )


@cache
def source(text: str, grid: str, block: str, *arguments: str, schedule: str = "lockstep") -> Trace:
    return trace_source(
        text,
        "test.cu",
        None,
        Launch(Dim3.parse(grid), Dim3.parse(block)),
        parse_arguments(arguments),
        options=Options(schedule),
    )


@cache
def catalogue_launches() -> tuple[Any, ...]:
    """Every kernel of the catalogue with its options: as it opens, at a size that blocks do not divide, and at 16.

    A launch that breaks the kernel's rules is left out, and one with tiles so large that it takes minutes. The plain
    command takes the first of one kernel of each kind.
    """
    found = []
    for kernel in (variant for listed in catalog() if listed.file is not None for variant in listed.variants()):
        choices = [(kernel.size, kernel.block)]
        choices += [(Size(9, 10, 7), kernel.blocks[0]), (Size(16, 16, 16), kernel.blocks[-1])] if kernel.blocks else []
        for number, (size, block) in enumerate(choices):
            with suppress(LaunchError):
                if kernel.launch(size, block).dynamic_shared_bytes > _MOST_SHARED_BYTES:
                    continue
                marks = () if in_handful(kernel) and not number else (pytest.mark.exhaustive,)
                found.append(
                    pytest.param(kernel, size, block, id=f"{kernel.id}-{size}-{block.x}x{block.y}", marks=marks)
                )
    return tuple(found)


def trace_of_launch(kernel: Kernel, size: Size, block: Dim3, options: Options = Options()) -> Trace:  # noqa: B008
    """Run one of `catalogue_launches`; skip the test if the block has too little shared memory for it."""
    try:
        return trace_kernel(kernel, size, block, options=options)
    except LaunchError as error:
        pytest.skip(str(error))


def step_of(trace: Trace, start: str, phase: int | None = None) -> int:
    """First step whose statement begins so, in a phase."""
    for step in range(trace.steps):
        if trace.statement(step).text.startswith(start) and phase in (None, trace.step_phase[step]):
            return step
    raise LookupError(start)
