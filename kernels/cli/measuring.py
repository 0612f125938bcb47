"""Measuring a plan from the command line: worker processes, the store, progress, and Ctrl+C."""

from __future__ import annotations

import sys
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from kernels.bench.measure.environment import this_machine
from kernels.bench.point_ids import point_ids
from kernels.bench.prediction import predict
from kernels.bench.protocol import EnvironmentMessage, Failed, Measured, SlotLost, message_text
from kernels.bench.store.database import Row, Store
from kernels.cli.bench_report import progress_bar
from kernels.cpu.matmul import core_count
from kernels.errors import InputError, TilescopeError, UnavailableError
from kernels.startup import INTERRUPTED
from kernels.words import plural

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from kernels.bench.hosts.host import Slot
    from kernels.bench.measure.environment import Environment
    from kernels.bench.plan import Plan
    from kernels.bench.protocol import Message
    from kernels.bench.sample import Sample

store_option: Final = click.option(
    "--store",
    "store_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Store the samples in this file, not in the one that 'tilescope paths' shows.",
)
"""Option of the commands that measure."""


@dataclass(slots=True)
class MeasuredRun:
    """A run from the command line."""

    rows: list[Row]
    """The samples so far; of a point that was measured again, both."""
    complete: bool = True
    """Whether these are all."""
    error: TilescopeError | None = None
    """The first error of storing them, or the reason that no host is left to measure the rest."""

    @property
    def latest(self) -> list[Row]:
        """One sample of each point: of two the later."""
        return list({row.sample.point: row for row in self.rows}.values())

    @contextmanager
    def storing(self) -> Iterator[None]:
        """Catch an InputError of the block, and keep the first one in `error`."""
        try:
            yield
        except InputError as error:
            self.error = self.error or error

    def raise_error(self) -> None:
        """Raise `error` if there is one; called after the samples are printed."""
        if self.error is not None:
            raise self.error


_RECENT_RUNS: Final = 5
"""Latest runs of the store that a prediction uses."""


def predicted_words(plan: Plan, store_file: Path | None, *, keep: bool) -> str:
    """Predict the duration of a plan from its size and, with `keep`, from recent runs on this machine in the store."""
    earlier: list[Sample] = []
    here = this_machine()
    if keep:
        with Store(store_file) as store:
            for run in reversed(store.runs()[:_RECENT_RUNS]):
                earlier += [
                    row.sample
                    for row in store.rows(run.id)
                    if row.environment and (row.environment.machine, row.environment.cpu) == here
                ]
    found = predict(plan, earlier, cores=core_count())
    count = f"{plural(found.point_count, 'point')}"
    return f"about {found.seconds:,.0f} s for {count}, of which {found.known_points:,} have been measured before"


def measure(
    plan: Plan, store_file: Path | None, *, keep: bool, quiet: bool, purpose: str = "", slots: Sequence[Slot] = ()
) -> MeasuredRun:
    """Measure in worker processes: in one after another on this machine, or in one for each of the slots.

    Every sample is stored when it arrives, so that an interrupt loses none. If one cannot be stored, the run
    continues. `purpose` is stored with the run.

    Raises
    ------
    InputError
        When the file cannot be opened, before anything is measured.
    """
    run = MeasuredRun([])
    environments: dict[str, Environment] = {}
    with ExitStack() as opened:
        store = opened.enter_context(Store(store_file)) if keep else None
        number = store.begin_run(plan, purpose) if store else 0
        show = opened.enter_context(progress_bar(len(plan.points), quiet=quiet))
        try:
            for message in opened.enter_context(closing(_messages(plan, slots))):
                match message:
                    case EnvironmentMessage(environment):
                        environments[environment.id] = environment
                        if store:
                            with run.storing():
                                store.add_environment(environment)
                    case Measured(sample) | Failed(sample):
                        run.rows.append(Row(number, sample, environments.get(sample.environment)))
                        if store:
                            with run.storing():
                                store.add(number, sample)
                    case SlotLost(slot, error):
                        click.echo(f"tilescope: {slot} {error}", err=True)
                show(message)
        except KeyboardInterrupt:
            run.complete = False
        except UnavailableError as error:
            if not run.rows:
                raise
            run.error = run.error or error
    return run


def _messages(plan: Plan, slots: Sequence[Slot]) -> Generator[Message]:
    from kernels.bench.hosts.fan_out import fan_out
    from kernels.bench.hosts.supervise import supervise

    return fan_out(plan, slots) if slots else supervise(plan)


def print_events(plan: Plan, slots: Sequence[Slot] = ()) -> int:
    """Measure in worker processes and print each message as a line of JSON; return the exit status."""
    ids = point_ids(plan)
    verified = True
    try:
        with closing(_messages(plan, slots)) as messages:
            for message in messages:
                if isinstance(message, Measured | Failed):
                    verified = verified and message.sample.verified
                    message = replace(message, id=ids[message.sample.point])
                click.echo(message_text(message))
                sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0 if verified else 1
