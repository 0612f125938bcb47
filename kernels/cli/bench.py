"""`tilescope bench`: measure and verify kernels in a worker process, store and show the figures."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from kernels.bench.hosts.host import LOCAL, Host, find_hosts, slots_of
from kernels.bench.hosts.shards import shard as shard_of
from kernels.bench.protocol import read_plan, read_plan_file
from kernels.bench.store.csv_file import write_csv
from kernels.catalog import catalog
from kernels.child_process import later_lines
from kernels.cli.bench_report import print_json, print_table
from kernels.cli.measuring import measure, predicted_words, print_events, store_option
from kernels.cli.plan_options import PlanRequest, plan_options
from kernels.errors import InputError, UnavailableError
from kernels.files import check_writable, reason_of
from kernels.gpu.device import choose_gpu, gpu_names
from kernels.startup import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kernels.bench.plan import Plan
    from kernels.catalog import Kernel


@click.command()
@plan_options
@click.option("--predict", "only_predict", is_flag=True, help="Print how long the measurement would take, and end.")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), metavar="FILE", help="Write this run as CSV.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object at the end.")
@click.option(
    "--jsonl",
    is_flag=True,
    help="Print each event as a line of JSON when it happens, instead of a table; nothing is stored.",
)
@click.option(
    "--worker",
    is_flag=True,
    help="As --jsonl, but measure in this process, without a time limit, as a process that bench starts does.",
)
@click.option(
    "--ask",
    is_flag=True,
    hidden=True,
    help="With --worker: measure the points whose ids are written to standard input, line by line.",
)
@click.option(
    "--gpus",
    metavar="N,N,...",
    help="GPUs of this machine to measure on, as nvidia-smi numbers them: each takes a part of the points.",
)
@click.option(
    "--host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Measure on this host, of 'tilescope hosts'; several share the points. 'local' is this machine.",
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
@click.option(
    "--shard",
    type=int,
    metavar="N",
    help="Measure only this one of the plan's shards, counted from 1, as 'tilescope plan' writes it into its script.",
)
def command(
    request: PlanRequest,
    only_predict: bool,
    csv_file: Path | None,
    as_json: bool,
    jsonl: bool,
    worker: bool,
    ask: bool,
    gpus: str | None,
    hosts: tuple[str, ...],
    store_file: Path | None,
    no_store: bool,
    plan_file: TextIO | None,
    shard: int | None,
) -> int:
    """Measure kernels: verify each result against a float64 reference, then time it.

    Without KERNEL, every kernel that this machine can run is measured. A FILE.cu without a tilescope comment is timed
    with one launch: --grid, --block and an --arg for every parameter, as 'tilescope trace' takes them, or a proposed
    launch without these options. Its result is compared with the simulator's. Instead of kernels, a plan that
    'tilescope plan' has written: tilescope bench plan.json. The exit status is 0 when every point has a
    time, 1 when one has none, and 2 when an option is wrong or the samples, which are printed, cannot be stored; with
    --worker it is 3 when a kernel broke the CUDA context.
    """
    _refuse_ignored(worker=worker, jsonl=jsonl, no_store=no_store)
    if csv_file:
        check_writable(csv_file)
    if worker and gpus is not None:
        choose_gpu(gpus)
    if worker and ask:
        return _work(read_plan(sys.stdin.readline()), later_lines())
    slots = () if worker else slots_of(_hosts(hosts, gpus))
    plan = _plan(request, plan_file, here=not hosts)
    if shard is not None:
        plan = shard_of(plan, shard)
    if only_predict:
        click.echo(predicted_words(plan, store_file, keep=not no_store))
        return 0
    if worker:
        return _work(plan)
    if jsonl:
        return print_events(plan, slots)
    if sys.stderr.isatty() and not as_json:
        click.echo(f"tilescope: {predicted_words(plan, store_file, keep=not no_store)}", err=True)
    plan = plan.divided(1, "")  # a run by itself, also of a plan whose shards form one
    run = measure(plan, store_file, keep=not no_store, quiet=as_json, slots=slots)
    if as_json:
        print_json(run.rows)
    else:
        print_table(run.latest)
    if csv_file:
        write_csv(csv_file, run.rows)
    run.raise_error()
    if not run.complete:
        click.echo(f"stopped: {len(run.latest)} of {len(plan.points)} points are measured", err=True)
        return INTERRUPTED
    return 0 if all(row.sample.verified for row in run.latest) else 1


def _refuse_ignored(*, worker: bool, jsonl: bool, no_store: bool) -> None:
    """Refuse an option that another one makes ineffective.

    Raises
    ------
    InputError
        With both options.
    """
    for chosen, option, why, ignored in (
        (worker, "--worker", "measures in this process", {"time_limit": "--time-limit", "hosts": "--host"}),
        (worker, "--worker", "prints events and stores nothing", {"csv_file": "--csv", "store_file": "--store"}),
        (jsonl, "--jsonl", "prints events and stores nothing", {"csv_file": "--csv", "store_file": "--store"}),
        (worker or jsonl, "--worker" if worker else "--jsonl", "prints events", {"as_json": "--json"}),
        (no_store, "--no-store", "stores nothing", {"store_file": "--store"}),
    ):
        for name, other in ignored.items():
            if chosen and _is_on_command_line(name):
                raise InputError(f"{other} has no effect with {option}, which {why}: omit one of them")


def _is_on_command_line(parameter: str) -> bool:
    """Return whether an option is on the command line."""
    source = click.get_current_context().get_parameter_source(parameter)
    return source == click.core.ParameterSource.COMMANDLINE


def _hosts(names: tuple[str, ...], gpus: str | None) -> tuple[Host, ...]:
    """Return the hosts that are named; `gpus` are those of this machine."""
    chosen = find_hosts(names)
    if gpus is None:
        return chosen
    return (Host(LOCAL, gpus=gpu_names(gpus)), *(host for host in chosen if not host.is_local))


def _plan(request: PlanRequest, plan_file: TextIO | None, *, here: bool) -> Plan:
    """Return the plan of a file, or of the options; `here` says whether this machine measures it, alone.

    Raises
    ------
    InputError
        When the file or an option cannot be used, or both are given.
    """
    written = [name for name in request.kernels if name.endswith(".json")]
    if plan_file is not None or written:
        ignored = [name for name in request.names() if _is_on_command_line(name)]
        if ignored and (ignored != ["kernels"] or request.kernels != tuple(written[:1])):
            raise InputError("a plan file says what to measure: omit kernels, and options for sizes and limits")
        return read_plan(_text(plan_file)) if plan_file is not None else read_plan_file(Path(written[0]))
    chosen = _kernels(request) if here or not request.kernels else request.named_kernels()
    if not request.kernels and all(kernel.runs_on == "cpu" for kernel in chosen):
        from kernels.gpu.device import missing

        click.echo(f"tilescope: measuring the CPU baselines; no GPU can be used: {missing()}", err=True)
    return request.plan(chosen)


def _text(file: TextIO) -> str:
    """Read a file that an option has opened, such as standard input."""
    try:
        return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--plan: cannot be read: {reason_of(error)}") from error


def _kernels(request: PlanRequest) -> tuple[Kernel, ...]:
    """Return the kernels that are named; without names, all that this machine can run."""
    from kernels.gpu.device import missing

    chosen = request.named_kernels()
    request.check_launch()  # before the GPU: the message is the same on every machine
    if chosen and not request.own_files and all(kernel.runs_on == "cpu" for kernel in chosen):
        return chosen
    reason = missing()
    if not chosen and not request.own_files:
        return tuple(k for k in catalog() if k.measurable and (k.runs_on == "cpu") == bool(reason))
    if reason:
        baselines = ", ".join(k.id for k in catalog() if k.runs_on == "cpu" and k.measurable)
        raise UnavailableError(f"no GPU can be used here: {reason}; {baselines} can be measured without one")
    return chosen


def _work(plan: Plan, wanted: Iterable[str] | None = None) -> int:
    from kernels.bench.measure.worker import print_work

    status = print_work(plan, wanted)
    if status:  # the context is broken: a normal exit would only print more errors
        sys.stderr.flush()
        os._exit(status)
    return status
