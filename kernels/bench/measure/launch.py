"""Measurement of a file that describes neither its problem nor its launch: one launch with the user's values.

The result is compared with the simulator's, of the same launch and the same values. A kernel in which the simulator
finds a hazard is not run. Where the simulator cannot finish, the launch is timed and its result is not verified: such
a point has a time and says why it is not verified. No point has a rate: nothing says how many operations it needs.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

from kernels.bench.measure.machine_load import LoadMeter, conditions_of
from kernels.bench.measure.stopping import StopRule
from kernels.bench.measure.time_run import time_run, total_ms
from kernels.cancellation import Cancelled
from kernels.catalog import read_source
from kernels.custom_launch.model import CustomLaunch
from kernels.custom_launch.run import prepare, simulate
from kernels.errors import TilescopeError
from kernels.gpu.telemetry import present_reader
from kernels.recorder.plain_run import PlainRun
from kernels.simt import Options
from kernels.verify.simulate import difference

if TYPE_CHECKING:
    from kernels.bench.plan import Plan
    from kernels.bench.sample import Sample
    from kernels.trace import Trace
    from kernels.tracing import Job

REFERENCE_S: Final = 10.0
"""Most seconds in the simulator."""


def measure_launch(sample: Sample, plan: Plan) -> Sample:
    """Measure the launch of a point without an outcome.

    Raises
    ------
    TilescopeError
        When the source or a value is refused, or it cannot run on this machine's GPU.
    """
    entry = sample.point.entry
    file = Path(entry.kernel)
    custom = CustomLaunch.of_settings(file, read_source(file), entry.launch)
    job = prepare(custom)
    reference, missing = reference_of(custom, job, fmad=plan.fmad)
    if reference is not None and reference.hazards:
        hazard = reference.hazards[0]
        return replace(sample, error=f"not run: {hazard.kind} in line {hazard.at}: {hazard.message}")
    with PlainRun(job, fmad=plan.fmad, capture=plan.graphs) as run:
        if reference is not None:
            unlike = difference(reference.outputs, run.outputs())
            if unlike:
                return replace(sample, error=unlike)
        meter, reader = LoadMeter(), present_reader()
        timed = time_run(run, None, StopRule(plan.budget_s, plan.min_samples), reader)
        restored = "; arrays restored before every launch" if run.restores else ""
        return replace(
            sample,
            outcome="unverified" if reference is None else "measured",
            error=missing,
            stopped=timed.stopped,
            conditions=conditions_of(meter, timed.reading, reader, 1),
            checked="" if reference is None else f"every element, against the simulator{restored}",
            launches=run.launches_per_sample,
            captured=run.captured,
            times_ms=total_ms(timed.parts),
        )


def reference_of(
    custom: CustomLaunch, job: Job, *, fmad: bool, seconds: float = REFERENCE_S
) -> tuple[Trace | None, str]:
    """Return the simulator's run of the launch, or None and the reason that there is none."""
    end_s = monotonic() + seconds
    options = Options(contract=fmad, record=False, cancelled=lambda: monotonic() > end_s)
    try:
        found = simulate(custom, job, options)
        if not found.stopped:
            return found, ""
    except Cancelled:
        pass
    except TilescopeError as error:
        return None, f"there is no reference: {error}"
    return None, (
        f"there is no reference: the simulator did not finish in {seconds:g} s; a smaller launch can be verified"
    )
