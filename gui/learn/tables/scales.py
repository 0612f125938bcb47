"""Scales at which an experiment can run here: points, estimated duration, omitted parts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from gui.measure.words import duration
from kernels.cpu.matmul import core_count
from kernels.experiments import Machine, estimate_s, experiment_plan

if TYPE_CHECKING:
    from gui.selection.session import Session
    from kernels.bench.plan import Plan
    from kernels.bench.store.database import RunSummary
    from kernels.experiments import Experiment, Scale

TITLES: Final[dict[Scale, str]] = {"quick": "Run quick", "full": "Run full", "cpu": "Run the CPU parts"}


@dataclass(frozen=True, slots=True)
class Offer:
    """One scale on this machine."""

    scale: Scale
    plan: Plan
    left_out: tuple[str, ...]
    """A line for each part that cannot run, with what it needs."""
    seconds: float
    """Estimated duration."""

    @property
    def possible(self) -> bool:
        """True if there is anything to measure."""
        return bool(self.plan.points)

    @property
    def words(self) -> str:
        """Extent in words: `24 points, about 40 s`."""
        count = len(self.plan.points)
        return f"{count} point{'s' * (count > 1)}, about {duration(self.seconds)}"


def machine_of(session: Session) -> Machine:
    """Describe this machine from the session; the window itself never calls the driver."""
    device = next((device for device in session.devices if device.present), None)
    return Machine(device, "" if device else session.gpu_missing, core_count())


def offers(experiment: Experiment, machine: Machine) -> tuple[Offer, ...]:
    """Return the scales for this machine: quick and full with a GPU, the CPU parts without; raises InputError."""
    scales: tuple[Scale, ...] = ("quick", "full") if machine.device is not None else ("cpu",)
    found = []
    for scale in scales:
        plan, left_out = experiment_plan(experiment, scale, machine)
        found.append(Offer(scale, plan, left_out, estimate_s(plan, machine)))
    return tuple(found)


def run_words(run: RunSummary) -> str:
    """Name an earlier run: when (UTC), which scale, how many points: `21 Nov 12:29, quick, 8 of 24`."""
    when = datetime.fromisoformat(run.started) if run.started else None
    total = "" if run.outcome_count == run.point_count else f" of {run.point_count}"
    day = f"{when.day} {when:%b %H:%M}" if when else "no date"
    return f"{day}, {run.purpose.partition(' ')[2]}, {run.outcome_count}{total} points"
