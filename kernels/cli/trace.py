"""`tilescope trace`: run a kernel in the simulator; report output, hazards and counts."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kernels.catalog import catalog, read_kernel
from kernels.cli.arguments import check_complete, parse_arguments, parse_defines
from kernels.cli.trace_report import as_json, as_text
from kernels.errors import InputError
from kernels.launch import Dim3, Launch
from kernels.simt import Argument, Options, Unwritten, choose_kernel
from kernels.source import parse
from kernels.trace.file import save
from kernels.tracing import PICTURE_FILL, trace_source
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernels.catalog import Kernel
    from kernels.source.nodes import Function


@click.command()
@click.argument("kernel", metavar="FILE.cu|KERNEL_ID")
@click.option("--kernel", "entry", metavar="NAME", help="Which __global__ function, where there are several.")
@click.option("--grid", metavar="X[,Y[,Z]]", help="Blocks in the grid.")
@click.option("--block", metavar="X[,Y[,Z]]", help="Threads in a block.")
@click.option("--size", metavar="N | M,N,K", help="Problem size of a catalogue kernel; the grid follows.")
@click.option(
    "--arg", "args", multiple=True, metavar="NAME=VALUE | NAME=TYPE[DIMS]:FILL", help="One argument."
)
@click.option("-D", "defines", multiple=True, metavar="NAME=VALUE", help="Define a macro.")
@click.option(
    "--template", multiple=True, metavar="NAME=VALUE", help="A template argument (not supported yet)."
)
@click.option("--dynamic-shared", type=click.IntRange(0), metavar="BYTES", help="Dynamic shared memory.")
@click.option(
    "--schedule", default="lockstep", show_default=True, metavar="lockstep|warps|reversed|shuffle:SEED",
    help="Order in which warps run between barriers.",
)  # fmt: skip
@click.option(
    "--max-steps", default=2_000_000, show_default=True, type=click.IntRange(1), help="Stop after N."
)
@click.option(
    "--max-memory", default=1 << 30, show_default=True, type=click.IntRange(1), metavar="BYTES",
    help="Stop when the record is larger.",
)  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE.trace", help="Save the trace.")
@click.option("--json", "json_wanted", is_flag=True, help="One JSON object.")
def command(
    kernel: str, entry: str | None, grid: str | None, block: str | None, size: str | None, args: tuple[str, ...],
    defines: tuple[str, ...], template: tuple[str, ...], dynamic_shared: int | None, schedule: str, max_steps: int,
    max_memory: int, out: Path | None, json_wanted: bool,
) -> int:  # fmt: skip
    """Run a kernel in the simulator and report its output, hazards and counts.

    FILE.cu needs a grid, a block and an --arg for every parameter. TYPE is i8 u8 i16 u16 i32 u32 i64 f16 f32 f64;
    FILL is zeros, ones, iota, rows, mod(k), random(seed), randint(lo,hi,seed), uninit or a .npy file. KERNEL_ID is a
    kernel of the catalogue: its size, block and arguments are known, and may be given otherwise.

    Exit status: 0 clean, 1 hazards found, 2 the command or the source cannot be used.
    """
    if template:
        raise InputError(
            "--template: templates are not supported yet: write the kernel with the types it is for"
        )
    known = _known(kernel, grid)
    if known is None and size is not None:
        raise InputError(f"--size {size}: {kernel} is not a catalogue kernel: give --grid, --block and --arg")
    given, macros = parse_arguments(args), parse_defines(defines)
    if known is not None:
        chosen = known.workload.fit(Size.parse(size) if size else known.size)
        threads = Dim3.parse(block) if block else known.block
        launch = known.launch(chosen, threads)
        text, file = known.text, known.file.name if known.file else known.id
        macros = {**dict(known.defines(chosen, threads)), **macros}
        given = {**_arguments(known, chosen), **given}
        entry = entry or known.entry
        if grid:
            launch = Launch(Dim3.parse(grid), threads, launch.dynamic_shared_bytes)
    else:
        text, file = _read(Path(kernel)), Path(kernel).name
        launch = _launch(kernel, grid, block)
    if dynamic_shared is not None:
        launch = Launch(launch.grid, launch.block, dynamic_shared)
    program = parse(text, file, tuple(macros.items()))
    function = choose_kernel(program, entry)
    if known is not None:
        given = _wanted(function, given, parse_arguments(args))
    check_complete(function, given, file)
    start = time.perf_counter()
    options = Options(schedule, max_steps, max_memory)
    trace = trace_source(text, file, function.name, launch, given, tuple(macros.items()), options)
    elapsed = time.perf_counter() - start
    if out is not None:
        save(trace, out)
    click.echo(json.dumps(as_json(trace, elapsed)) if json_wanted else as_text(trace, elapsed))
    return 1 if trace.hazards else 0


def _known(name: str, grid: str | None) -> Kernel | None:
    """Return the catalogue's kernel, or that of a file which says how it is launched; None for any other file."""
    for kernel in catalog():
        if kernel.id == name:
            if kernel.file is None:
                raise InputError(f"{name} has no CUDA source to trace: it runs on {kernel.runs_on}")
            return kernel
    if not name.endswith(".cu"):
        ids = ", ".join(k.id for k in catalog() if k.file is not None)
        raise InputError(f"no kernel '{name}': choose one of {ids}, or a .cu file")
    if grid is None and "/* tilescope" in _read(Path(name)):
        return read_kernel(Path(name))
    return None


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: is not UTF-8 text: {error}") from error


def _launch(name: str, grid: str | None, block: str | None) -> Launch:
    missing = [option for option, text in (("--grid", grid), ("--block", block)) if text is None]
    if grid is None or block is None:
        raise InputError(f"{name}: give {' and '.join(missing)}, as in --grid 2,2 --block 16,16")
    return Launch(Dim3.parse(grid), Dim3.parse(block))


def _arguments(kernel: Kernel, size: Size) -> dict[str, Argument]:
    return {
        **kernel.workload.scalars(size),
        **kernel.workload.inputs(size, PICTURE_FILL),
        **{s.name: Unwritten(s.dtype, s.shape) for s in kernel.workload.arrays(size) if s.output},
    }


def _wanted(
    function: Function, known: Mapping[str, Argument], given: Mapping[str, Argument]
) -> dict[str, Argument]:
    """Leave out what the workload knows and this kernel does not take."""
    names = {parameter.name for parameter in function.parameters} | set(given)
    return {name: value for name, value in known.items() if name in names}
