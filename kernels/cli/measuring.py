"""Measuring a plan from the command line: worker processes, the store, progress, and Ctrl+C."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from kernels.bench.protocol import Failed, Measured, Surroundings
from kernels.bench.store import Row, Store
from kernels.cli.bench_report import progress_bar

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.bench.environment import Environment
    from kernels.bench.plan import Plan


def measure(
    plan: Plan, store_file: Path | None, *, keep: bool, quiet: bool, purpose: str = ""
) -> tuple[list[Row], bool]:
    """Measure in worker processes; return what there is and whether that is all.

    Every sample is stored when it arrives, so that an interrupt loses none. `purpose` is kept with the run.
    """
    from kernels.bench.supervise import supervise

    rows: list[Row] = []
    environment: Environment | None = None
    with ExitStack() as opened:
        store = opened.enter_context(Store(store_file)) if keep else None
        run = store.begin_run(plan, purpose) if store else 0
        tell = opened.enter_context(progress_bar(len(plan.points), quiet=quiet))
        try:
            for message in opened.enter_context(closing(supervise(plan))):
                match message:
                    case Surroundings(environment):
                        if store:
                            store.add_environment(environment)
                    case Measured(sample) | Failed(sample):
                        rows.append(Row(run, sample, environment))
                        if store:
                            store.add(run, sample)
                tell(message)
        except KeyboardInterrupt:
            return rows, False
    return rows, True
