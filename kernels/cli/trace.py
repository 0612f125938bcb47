"""`tilescope trace`: run a kernel in the simulator; report output, hazards and counts."""

from __future__ import annotations

import json
import time
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from kernels.analysis import LaunchCounter
from kernels.arguments import check_complete, parse_arguments, parse_defines, parse_templates
from kernels.cancellation import Cancelled
from kernels.catalog import catalog, find_kernel, read_source, says_launch, split_options, unknown_kernel
from kernels.cli import counts_report
from kernels.cli.arch_option import arch_option
from kernels.cli.launch_options import LaunchRequest, launch_of_file, launch_options
from kernels.cli.on_gpu import gpu_architecture, require_gpu, verify
from kernels.cli.run_progress import interruptible
from kernels.cli.trace_report import as_json, as_text
from kernels.control_characters import escape_lines
from kernels.errors import InputError
from kernels.files import check_writable
from kernels.fill import Fills
from kernels.frontend import parse_with_instances
from kernels.launch import OPT_IN, Dim3, check
from kernels.nearest import suggest_nearest
from kernels.simt import Argument, Options, check_threads, choose_kernel
from kernels.startup import INTERRUPTED
from kernels.trace.file import save
from kernels.tracing import arguments_of, check_limits, static_shared_bytes, trace_program
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from kernels.architecture import Architecture
    from kernels.catalog import Kernel
    from kernels.launch import Launch

_SUFFIX: Final = ".trace"

_MAX_STEPS: Final = 2_000_000
_MAX_MEMORY_BYTES: Final = 1 << 30


@click.command()
@click.argument("kernel", metavar="FILE.cu|KERNEL_ID")
@launch_options
@click.option("--block", metavar="X[,Y[,Z]]", help="Threads in a block.")
@click.option("--size", metavar="N | M,N,K", help="Problem size of a catalogue kernel; the grid follows.")
@click.option("--fill", metavar="FILL", help="Fill of a catalogue kernel's inputs; by default the one of its pictures.")
@click.option(
    "--schedule",
    default="lockstep",
    show_default=True,
    metavar="lockstep|warps|reversed|shuffle:SEED",
    help="Order in which warps run between barriers.",
)
@click.option(
    "--fmad/--no-fmad",
    "fmad",
    default=True,
    show_default=True,
    help="Round a product and its sum once, as nvcc does, or each.",
)
@click.option("--max-steps", type=click.IntRange(1), help=f"Stop after N; {_MAX_STEPS:,} unless given.")
@click.option(
    "--max-memory", type=click.IntRange(1), metavar="BYTES", help="Stop when the record is larger; 1 GiB unless given."
)
@click.option(
    "--record/--no-record",
    default=True,
    show_default=True,
    help="Record every access, to count and to save; without, only output, hazards and printf.",
)
@click.option(
    "--counts",
    "counts_only",
    is_flag=True,
    help="Only count: no record, output or check, and seconds where a trace takes minutes.",
)
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE.trace", help="Save the trace.")
@click.option("--json", "json_wanted", is_flag=True, help="One JSON object.")
@click.option("--on-gpu", is_flag=True, help="Trace the launch on the GPU as well, and compare it with the simulator.")
@arch_option
def command(
    kernel: str,
    launch: LaunchRequest,
    block: str | None,
    size: str | None,
    fill: str | None,
    schedule: str,
    fmad: bool,
    max_steps: int | None,
    max_memory: int | None,
    record: bool,
    counts_only: bool,
    out: Path | None,
    json_wanted: bool,
    on_gpu: bool,
    arch: Architecture | None,
) -> int:
    """Run a kernel in the simulator and report its output, hazards and counts.

    FILE.cu needs a grid, a block and an --arg for every parameter. TYPE is i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64;
    FILL is zeros, ones, iota, rows, mod(k), random(seed), randint(lo,hi,seed), clusters(k,seed), uninit or a .npy file.
    Arrays of float4 or of structs are given by their numbers (f32[64,4]), a struct by its members (--arg m.width=64).
    KERNEL_ID is a kernel of the catalogue with a default size, block and arguments.

    Exit status: 0 clean, 1 hazards found (or, with --on-gpu, a difference), 2 the command or the source cannot be used,
    or the trace cannot be saved.
    """
    if not record and (out is not None or on_gpu):
        purpose = "compare: omit --on-gpu" if on_gpu else "save: omit --out"
        raise InputError(f"--no-record leaves nothing to {purpose}")
    if counts_only and (not record or out is not None or on_gpu):
        other = "--on-gpu" if on_gpu else "--out" if out else "--no-record"
        raise InputError(f"--counts records nothing and checks nothing: omit {other}")
    if out is not None:
        if out.suffix not in ("", _SUFFIX):
            raise InputError(
                f"--out {out}: what is written is a trace, not a {out.suffix} file: name it "
                f"{out.with_suffix(_SUFFIX).name}; the window exports pages, pictures and films"
            )
        check_writable(out)
    if on_gpu:
        require_gpu()
    catalogued = _catalogue_kernel(kernel, launch.grid)
    if catalogued is None and size is not None:
        raise InputError(f"--size {size}: {kernel} is not a catalogue kernel: give --grid, --block and --arg")
    if catalogued is None and fill is not None:
        raise InputError(f"--fill {fill}: {kernel} is not a catalogue kernel: fill each array with --arg")
    job = (
        _job_of_file(Path(kernel), launch.grid, block)
        if catalogued is None
        else _job_of_kernel(catalogued, size, launch.grid, block, Fills.parse(fill) if fill else None)
    )
    configuration, macros = job.launch, tuple({**job.defines, **parse_defines(launch.defines)}.items())
    arch = arch or (gpu_architecture() if on_gpu else None)
    macros = arch.among(macros) if arch is not None else macros
    if launch.dynamic_shared is not None:
        configuration = replace(configuration, dynamic_shared_bytes=launch.dynamic_shared)
    check_threads(configuration)
    arg_values = parse_arguments(launch.args)
    template = parse_templates(launch.template)
    program, instances = parse_with_instances(job.text, job.file, macros, job.folder, search=launch.search)
    function = choose_kernel(program, launch.entry or job.entry, template, instances)
    names = {p.name for p in function.parameters} | {v.name for v in program.variables}
    arguments = {**{name: value for name, value in job.arguments.items() if name in names}, **arg_values}
    check_complete(function, arguments, job.file)
    with job.suggestions():
        check_limits(job.launch, static_shared_bytes(function))
    start = time.perf_counter()
    most = max_memory or _MAX_MEMORY_BYTES
    counted_only = (out, max_steps, max_memory) == (None,) * 3 and not on_gpu
    options = Options(schedule, max_steps or _MAX_STEPS, most, contract=fmad, record=record, may_outgrow=counted_only)
    counter = LaunchCounter()
    if counts_only:
        options = replace(options, counter=counter)
    with interruptible(options) as run:
        try:
            trace = trace_program(program, function.name, configuration, arguments, template, run.options, instances)
        except Cancelled:
            click.echo("tilescope: stopped by the user before the first step", err=True)
            return INTERRUPTED
    counted = counter.result(trace) if counts_only else None
    elapsed = time.perf_counter() - start
    verdict = None
    if on_gpu and not run.interrupted:
        verdict, trace = verify(trace, instances, function, arguments, fmad=fmad, max_bytes=most)
    if counted is not None:
        text = json.dumps(counts_report.as_json(counted, elapsed)) if json_wanted else ""
        click.echo(text or escape_lines(counts_report.as_text(counted, elapsed)))
    elif json_wanted:
        compared = {"on_gpu": verdict.as_json()} if verdict is not None else {}
        click.echo(json.dumps({**as_json(trace, elapsed), **compared}))
    else:
        click.echo(escape_lines("\n\n".join([as_text(trace, elapsed), *([] if verdict is None else [str(verdict)])])))
    if out is not None and (verdict is None or not verdict.refused):
        save(trace, out)
    if run.interrupted:
        click.echo(f"tilescope: {trace.stopped} after {trace.steps:,} steps: the results are those so far", err=True)
        return INTERRUPTED
    if record and not counts_only and trace.unrecorded is not None:
        click.echo(
            f"tilescope: the record would exceed {most >> 20:,} MiB, so accesses are not counted: "
            "choose a smaller size, or a higher limit with --max-memory",
            err=True,
        )
    return 1 if trace.hazards or (verdict is not None and not verdict.identical) else 0


@dataclass(frozen=True, slots=True)
class _Job:
    """The launch before options that change single values."""

    text: str
    file: str
    launch: Launch
    entry: str | None = None
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    defines: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None
    suggestions: Callable[[], AbstractContextManager[None]] = nullcontext
    """Context that adds the nearest legal launches to a LaunchError."""


def _job_of_kernel(kernel: Kernel, size: str | None, grid: str | None, block: str | None, fills: Fills | None) -> _Job:
    """Return a job with the kernel's defaults for size, block, grid and arguments that are not given."""
    chosen = kernel.workload.fit(Size.parse(size) if size else kernel.size)
    threads = Dim3.parse(block) if block else kernel.block
    suggestions = partial(suggest_nearest, kernel, chosen, threads)
    with suggestions():
        launch = kernel.launch(chosen, threads)
        check(launch, OPT_IN)  # before the source is parsed
    if grid:
        launch = replace(launch, grid=Dim3.parse(grid))
    check_threads(launch)
    arguments = arguments_of(kernel, chosen, threads, fills)
    file = kernel.file.name if kernel.file else kernel.id
    defines = dict(kernel.defines(chosen, threads))
    return _Job(kernel.text, file, launch, kernel.entry, arguments, defines, suggestions=suggestions)


def _job_of_file(file: Path, grid: str | None, block: str | None) -> _Job:
    launch = launch_of_file(file, grid, block)
    return _Job(read_source(file), file.name, launch, folder=file.parent)


def _catalogue_kernel(name: str, grid: str | None) -> Kernel | None:
    """Return a kernel of the catalogue, or of a file with a tilescope comment; None for any other file."""
    plain, _ = split_options(name)
    for kernel in catalog():
        if kernel.id == plain:
            if kernel.file is None:
                raise InputError(f"{name} has no CUDA source to trace: it runs on {kernel.runs_on}")
            return find_kernel(name)
    if Path(name).is_dir():
        raise InputError(f"{name}: is a folder: give a .cu file in it")
    if "/" in name and not Path(plain).is_file():
        raise InputError(f"{name}: there is no such file")
    if not plain.endswith(".cu") and not Path(name).is_file():
        raise unknown_kernel(name, (kernel for kernel in catalog() if kernel.file is not None))
    if grid is None and says_launch(Path(plain)):
        return find_kernel(name)
    return None
