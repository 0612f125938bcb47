"""`tilescope verify`: check the results of kernels in a worker process, with the figures of every check."""

from __future__ import annotations

from contextlib import closing
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Final

import click

from kernels.architecture import SM_80
from kernels.bench.checking import CheckRequest, choose
from kernels.bench.protocol import EnvironmentMessage, Failed, Measured
from kernels.catalog import catalog, find_kernel
from kernels.cli.arch_option import arch_option
from kernels.cli.bench_report import progress_bar
from kernels.cli.entry_options import check_options, thread_counts
from kernels.cli.plan_options import FILL_HELP
from kernels.cli.verify_report import CheckedPoint, print_json, print_matrices, print_report
from kernels.errors import InputError, UnavailableError
from kernels.fill import Fills
from kernels.launch import Dim3
from kernels.startup import INTERRUPTED
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.architecture import Architecture
    from kernels.bench.checking import Work
    from kernels.bench.measure.environment import Environment
    from kernels.bench.plan import Task
    from kernels.catalog import Kernel

_TASKS: Final[dict[str, Task]] = {"gpu": "check", "simulator": "simulate"}


@click.command()
@click.argument("kernels", nargs=-1, metavar="[KERNEL|FILE.cu]...")
@click.option("--size", "sizes", multiple=True, metavar="N|M,N,K", help="Problem size; may be given several times.")
@click.option("--block", "blocks", multiple=True, metavar="X,Y", help="Block size; may be given several times.")
@click.option("--threads", multiple=True, metavar="T,T,...", help="CPU threads; all cores unless given.")
@click.option("--fill", metavar="FILL", help=FILL_HELP)
@click.option("--no-fmad", is_flag=True, help="Round after every multiplication: sums in order are equal bit for bit.")
@click.option("--in", "where", type=click.Choice(tuple(_TASKS)), help="Where; the simulator, unless there is a GPU.")
@click.option("--epsilon", type=click.FloatRange(0), metavar="E", help="The largest absolute error of an element.")
@click.option("--time-limit", type=float, default=120.0, show_default=True, metavar="S", help="Seconds for one point.")
@click.option("--print", "matrices", is_flag=True, help="Print small matrices, inputs and results.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object at the end.")
@arch_option
def command(
    kernels: tuple[str, ...],
    sizes: tuple[str, ...],
    blocks: tuple[str, ...],
    threads: tuple[str, ...],
    fill: str | None,
    no_fmad: bool,
    where: str | None,
    epsilon: float | None,
    time_limit: float,
    matrices: bool,
    as_json: bool,
    arch: Architecture | None,
) -> int:
    """Check the results of kernels, all of them unless some are named.

    \b
    right      every |C - C64| is within what float32 allows, γ_K (|A||B|); their Frobenius norm is within 1e-5
    of bound   the largest share of what is allowed
    L2         the sum of (C - C32)², where C32 is summed in order in float32
    bits       how many elements differ in any bit from C32: none with --no-fmad, where a kernel sums in order

    Without --size and --fill, the matrices that the teaching documents print are checked as well.
    Without --size, the simulator checks the smallest sizes first and stops after half a minute for each kernel.
    Exit status: 0 everything that can be launched is right, 1 something is wrong, 2 nothing can be checked, or a point
    was ended for its time.
    """  # noqa: D301  # \b keeps click from filling the lines
    chosen = tuple(find_kernel(name) for name in kernels)
    block_sizes = [Dim3.parse(text) for text in blocks]
    counts = thread_counts(threads)
    task = _task(where)
    if arch is not None and task != "simulate":
        raise InputError(f"--arch {arch}: the GPU runs its own code: give --in simulator, or omit --arch")
    if chosen:
        _require_checks(chosen)
        check_options(chosen, blocks=block_sizes, threads=counts)
    work = choose(
        CheckRequest(
            chosen or _every_kernel(),
            [Size.parse(text) for text in sizes],
            block_sizes,
            counts,
            Fills.parse(fill) if fill else None,
            task,
            not no_fmad,
            time_limit,
            matrices,
            arch or SM_80,
        )
    )
    found, complete = _check(work, epsilon, quiet=as_json)
    if complete:
        work = work.with_rest({(point.sample.point, point.fills) for point in found})
    if as_json:
        print_json(found, work)
    else:
        if matrices:
            print_matrices(found)
        print_report(found, work)
    if not complete:
        click.echo(f"stopped: {len(found)} of {work.count} points are checked", err=True)
        return INTERRUPTED
    if found and all(point.refused for point in found):
        click.echo("tilescope: none of this can be launched here: choose another size or block", err=True)
        return 2
    if any(point.wrong for point in found):
        return 1
    return 2 if any(point.unfinished for point in found) else 0


def _require_checks(kernels: Sequence[Kernel]) -> None:
    """Refuse a command that names only lessons, whose results are wrong by design and not checked."""
    if any(not kernel.flaw for kernel in kernels):
        return
    ids = ", ".join(kernel.id for kernel in kernels)
    lessons = f"{ids} is a lesson" if len(kernels) == 1 else f"{ids} are lessons"
    raise InputError(
        f"nothing to check: {lessons}, wrong by design: see what goes wrong with: tilescope trace {kernels[0].id}"
    )


def _every_kernel() -> tuple[Kernel, ...]:
    """Return the catalogue with every combination of options; lessons once."""
    return tuple(variant for kernel in catalog() for variant in ((kernel,) if kernel.flaw else kernel.variants()))


def _task(where: str | None) -> Task:
    """Choose the simulator on a machine without a GPU, and report that."""
    from kernels.gpu.device import missing

    reason = missing() if where != "simulator" else ""
    if reason and where == "gpu":
        raise UnavailableError(f"no GPU can be used here: {reason}; --in simulator needs none")
    if reason:
        click.echo(f"tilescope: checking in the simulator; no GPU can be used: {reason}", err=True)
    return "simulate" if reason or where == "simulator" else "check"


def _check(work: Work, epsilon: float | None, *, quiet: bool) -> tuple[list[CheckedPoint], bool]:
    """Check in worker processes; return the checked points, and False if the user ended it."""
    from kernels.bench.hosts.supervise import supervise

    found: list[CheckedPoint] = []
    environment: Environment | None = None
    end_s = monotonic() + (inf if work.budget_s is None else work.budget_s)
    with progress_bar(work.count, quiet=quiet, refusals=False) as show:
        try:
            for plan in work.plans:
                with closing(supervise(plan)) as messages:
                    for message in messages:
                        match message:
                            case EnvironmentMessage(environment):
                                pass
                            case Measured(sample) | Failed(sample):
                                found.append(CheckedPoint(sample, plan.fill, environment, epsilon))
                        show(message)
                        if isinstance(message, Measured | Failed) and monotonic() > end_s:
                            return found, True
        except KeyboardInterrupt:
            return found, False
    return found, True
