"""`tilescope bench`: measure and verify kernels in a worker process, store and show the figures."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

import click

from kernels.bench.csv_file import write_csv
from kernels.bench.plan import DEFAULT_FILL, Plan, entries, libraries, points, require_rate
from kernels.bench.protocol import read_plan
from kernels.bench.sample import MEMORIES
from kernels.bench.sizes import coarse_to_fine, sizes_of
from kernels.catalog import catalog, find_kernel
from kernels.cli.bench_report import print_json, print_table
from kernels.cli.entry_options import check_options, thread_counts
from kernels.cli.measuring import measure, predicted_words, store_option
from kernels.errors import InputError, UnavailableError
from kernels.files import check_writable
from kernels.fill import WORDS, Fills
from kernels.launch import Dim3
from kernels.startup import INTERRUPTED
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.bench.sizes import SizeRule
    from kernels.catalog import Kernel
    from kernels.gpu.memory import Memory

_GPU_SIZES: Final = "512,1024,2048"
_CPU_SIZES: Final = "64,128,256,512"
_MOST_SIZES: Final = 10_000
FILL_HELP: Final = f"Fill of the inputs: {WORDS}; or one for each input, as in 'A=mod(3);B=mod(4)'."


@click.command()
@click.argument("kernels", nargs=-1, metavar="[KERNEL|FILE.cu]...")
@click.option("--block", "blocks", multiple=True, metavar="X,Y", help="Block size; may be given several times.")
@click.option("--sizes", metavar="N,N,...", help="Problem sizes: n, or MxNxK, separated by commas.")
@click.option("--from", "first", type=click.IntRange(1), metavar="N", help="First n of a range of sizes.")
@click.option("--to", "last", type=click.IntRange(1), metavar="N", help="Last n of the range.")
@click.option("--step", type=click.IntRange(1), metavar="N", help="From one n of the range to the next.")
@click.option("--doubling", is_flag=True, help="In the range, each n is twice the one before.")
@click.option("--odd", is_flag=True, help="One less than with --doubling: no tile divides n.")
@click.option("--threads", multiple=True, metavar="T,T,...", help="CPU threads; all cores unless given.")
@click.option(
    "--memory",
    "memories",
    multiple=True,
    type=click.Choice(MEMORIES),
    help="Memory of the arrays: device (the default: the time of the kernel alone), pageable or pinned (with the "
    "transfers from and to the host), or managed.",
)
@click.option(
    "--cold",
    is_flag=True,
    help="Flush the GPU's L2 cache before every launch, outside the time: a series of its own.",
)
@click.option("--no-baseline", is_flag=True, help="Do not time library routines in turns with the other kernels.")
@click.option(
    "--total",
    type=float,
    metavar="S",
    help="Seconds for all points; those that have not begun then are skipped.",
)
@click.option(
    "--time-limit",
    type=float,
    default=60.0,
    show_default=True,
    metavar="S",
    help="Seconds for one point, with compiling and verifying; a process that takes longer is ended.",
)
@click.option(
    "--budget", type=float, default=1.0, show_default=True, metavar="S", help="Seconds of timing for one point."
)
@click.option("--fill", default=str(DEFAULT_FILL), show_default=True, metavar="FILL", help=FILL_HELP)
@click.option("--no-fmad", is_flag=True, help="Round after every multiplication, too.")
@click.option("--predict", "only_predict", is_flag=True, help="Print how long the measurement would take, and end.")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), metavar="FILE", help="Write this run as CSV.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object at the end.")
@click.option(
    "--jsonl",
    is_flag=True,
    help="Measure in this process, without a time limit, and print each event as a line of JSON.",
)
@store_option
@click.option("--no-store", is_flag=True, help="Do not store the samples.")
@click.option(
    "--plan",
    "plan_file",
    type=click.File("r", encoding="utf-8"),
    metavar="FILE",
    help="Take everything to measure from a JSON plan; - is standard input.",
)
def command(
    kernels: tuple[str, ...],
    blocks: tuple[str, ...],
    sizes: str | None,
    first: int | None,
    last: int | None,
    step: int | None,
    doubling: bool,
    odd: bool,
    threads: tuple[str, ...],
    memories: tuple[Memory, ...],
    cold: bool,
    no_baseline: bool,
    total: float | None,
    time_limit: float,
    budget: float,
    fill: str,
    no_fmad: bool,
    only_predict: bool,
    csv_file: Path | None,
    as_json: bool,
    jsonl: bool,
    store_file: Path | None,
    no_store: bool,
    plan_file: TextIO | None,
) -> int:
    """Measure kernels: verify each result against a float64 reference, then time it.

    Without KERNEL, every kernel that this machine can run is measured. The exit status is 0 when every point has a
    time, 1 when one has none, and 2 when an option is wrong or the samples, which are printed, cannot be stored; with
    --jsonl it is 3 when a kernel broke the CUDA context.
    """
    if jsonl and _is_on_command_line("time_limit"):
        raise InputError("--time-limit has no effect with --jsonl, which measures in this process: omit one of the two")
    if csv_file:
        check_writable(csv_file)
    if plan_file:
        plan = read_plan(plan_file.read())
    else:
        chosen = _kernels(kernels)
        block_sizes = [Dim3.parse(text) for text in blocks]
        counts = thread_counts(threads)
        check_options(chosen, blocks=block_sizes, threads=counts, memories=memories, cold=cold)
        rule = _rule(step, doubling=doubling, odd=odd)
        curves = [e for k in chosen for e in entries(k, block_sizes, counts, memories, cold=cold)]
        plan = Plan(
            points(curves, coarse_to_fine(_sizes(chosen, sizes, rule, (first, last, step)))),
            baselines=() if no_baseline else libraries(curves),
            total_s=total,
            budget_s=budget,
            time_limit_s=time_limit,
            fill=Fills.parse(fill),
            fmad=not no_fmad,
        )
        if not kernels and all(kernel.runs_on == "cpu" for kernel in chosen):
            from kernels.gpu.device import missing

            click.echo(f"tilescope: measuring the CPU baselines; no GPU can be used: {missing()}", err=True)
    if only_predict:
        click.echo(predicted_words(plan, store_file, keep=not no_store))
        return 0
    if jsonl:
        return _print_events(plan)
    if sys.stderr.isatty() and not as_json:
        click.echo(f"tilescope: {predicted_words(plan, store_file, keep=not no_store)}", err=True)
    run = measure(plan, store_file, keep=not no_store, quiet=as_json)
    if as_json:
        print_json(run.rows)
    else:
        print_table(run.rows)
    if csv_file:
        write_csv(csv_file, run.rows)
    run.raise_storage_error()
    if not run.complete:
        click.echo(f"stopped: {len(run.rows)} of {len(plan.points)} points are measured", err=True)
        return INTERRUPTED
    return 0 if all(row.sample.verified for row in run.rows) else 1


def _is_on_command_line(parameter: str) -> bool:
    """Return whether an option is on the command line."""
    source = click.get_current_context().get_parameter_source(parameter)
    return source == click.core.ParameterSource.COMMANDLINE


def _kernels(names: Sequence[str]) -> tuple[Kernel, ...]:
    """Return the kernels of these names; without names, all that this machine can run."""
    from kernels.gpu.device import missing

    chosen = tuple(find_kernel(name) for name in names)
    for kernel in chosen:
        require_rate(kernel)
    if chosen and all(kernel.runs_on == "cpu" for kernel in chosen):
        return chosen
    reason = missing()
    if not chosen:
        return tuple(k for k in catalog() if k.measurable and (k.runs_on == "cpu") == bool(reason))
    if reason:
        baselines = ", ".join(k.id for k in catalog() if k.runs_on == "cpu")
        raise UnavailableError(f"no GPU can be used here: {reason}; {baselines} can be measured without one")
    return chosen


def _rule(step: int | None, *, doubling: bool, odd: bool) -> SizeRule | None:
    """Return the rule of a range of sizes; None without one."""
    found: list[SizeRule] = [
        *(("steps",) if step is not None else ()),
        *(("doubling",) if doubling else ()),
        *(("odd",) if odd else ()),
    ]
    if len(found) > 1:
        raise InputError("give one of --step, --doubling and --odd")
    return found[0] if found else None


def _sizes(
    kernels: Sequence[Kernel],
    text: str | None,
    rule: SizeRule | None,
    steps: tuple[int | None, int | None, int | None],
) -> tuple[Size, ...]:
    first, last, step = steps
    if first is None and last is None and rule is None:
        on_cpu = any(kernel.runs_on == "cpu" for kernel in kernels)
        return tuple(Size.parse(part) for part in (text or (_CPU_SIZES if on_cpu else _GPU_SIZES)).split(","))
    if text is not None:
        raise InputError("give sizes as a list with --sizes, or as a range with --from and --to, not both")
    if first is None or last is None or rule is None or first > last:
        raise InputError(
            "a range of sizes takes both ends, the smaller first, and --step, --doubling or --odd: "
            "--from 256 --to 2048 --step 256"
        )
    count = (last - first) // (step or 1) + 1 if rule == "steps" else 0
    if count > _MOST_SIZES:
        smallest_step = -(-(last + 1 - first) // _MOST_SIZES)
        raise InputError(
            f"{count:,} sizes are too many, at most {_MOST_SIZES:,}: choose a larger step, as in --step {smallest_step}"
        )
    found = sizes_of(rule, first, last, step or 1)
    if not found:
        raise InputError(f"there is no size of this kind from {first} to {last}")
    return found


def _print_events(plan: Plan) -> int:
    from kernels.bench.worker import print_work

    status = print_work(plan)
    if status:  # the context is broken: a normal exit would only print more errors
        sys.stderr.flush()
        os._exit(status)
    return status
