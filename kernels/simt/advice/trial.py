"""Trials of cures: edit the source, run it again, and advise the first cure after which the race is gone.

A race without such a cure, or whose cures could not be tried, is reported without advice.

A cure is accepted if the run of the edited source has neither the race nor any hazard that the first run lacked, such
as threads that do not reach the new barrier. Other races that disappear with it have the same cause, and are reported
with it.

Example: `s[t] = A[t]; x = s[63 - t];` The candidate `__syncthreads()` between the two is inserted, the edited source is
parsed and run without a record, and has no hazard: it is advised.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kernels.cancellation import Cancelled
from kernels.errors import TilescopeError
from kernels.frontend import parse
from kernels.simt.advice.candidates import candidates
from kernels.simt.advice.sentences import message
from kernels.trace.cures import apply_edits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kernels.frontend.ast import Program
    from kernels.launch import Launch
    from kernels.simt.advice.facts import Facts
    from kernels.simt.checkers.racecheck.reports import RaceReport
    from kernels.trace.cures import Cure
    from kernels.trace.model import Trace
    from kernels.trace.records import Hazard

    Rerun = Callable[[Program, Launch, int], Trace]
    """Runs a program without a record, for at most a number of steps."""

    Signature = tuple[object, ...]
    """Kind, array and places of a hazard: equal before and after an edit, since edits preserve the lines."""

_TIMES: Final = 4
"""Steps of all trials together, as a multiple of the steps of the run."""

_THREAD_STEPS: Final = 1 << 21
"""Steps × threads that they may take in any case: about a second."""

_MOST_TRIALS: Final = 24
"""Maximum number of trials for all races of a run."""

_LONGER: Final = 3
"""Steps of one trial, as a multiple of the steps of the run: barriers add steps."""


@dataclass(slots=True)
class Budget:
    """The steps and trials that are left."""

    steps: int
    trials: int = _MOST_TRIALS


def advise(
    facts: Facts,
    race_reports: Sequence[tuple[Hazard, RaceReport]],
    hazards: Sequence[Hazard],
    steps: int,
    rerun: Rerun,
) -> tuple[Hazard, ...]:
    """Return the hazards of a run with cures: one report for all races that one cure removes.

    Parameters
    ----------
    facts : Facts
    race_reports : sequence of (Hazard, RaceReport)
        The races, in the order of the report.
    hazards : sequence of Hazard
        All hazards of the run, the races among them.
    steps : int
        Steps of the run; 0 if it did not end, so that no edited source is expected to end.
    rerun : callable
        Runs an edited program.
    """
    before = {_signature(hazard) for hazard in hazards}
    budget = Budget(max(_TIMES * steps, _THREAD_STEPS // facts.launch.thread_count) if steps else 0)
    proposed: list[_Advice] = []
    for hazard, race in race_reports:
        if not any(_signature(hazard) in advice.gone for advice in proposed):
            # A lost update is not cured by ordering one read and one write: all updates of the array must be gone.
            lost = {_signature(hazard)} | {
                _signature(h) for h, r in race_reports if race.update and r.update and r.array == race.array
            }
            cure = _cure(facts, race, lost, before, steps, budget, rerun)
            if cure is not None:
                proposed.append(_Advice(hazard, race, *cure))
    reported, left = {}, {_signature(hazard) for hazard, _ in race_reports}
    # The cure that removes most races first: it may also remove a race that was found, and tried, earlier.
    for advice in sorted(proposed, key=lambda advice: -len(advice.gone)):
        if _signature(advice.hazard) not in left:
            continue
        others = [
            hazard
            for hazard, _ in race_reports
            if hazard is not advice.hazard and _signature(hazard) in left & advice.gone
        ]
        left -= {_signature(advice.hazard), *map(_signature, others)}
        reported[_signature(advice.hazard)] = replace(
            advice.hazard,
            message=message(advice.race, advice.cure, len(others)),
            cure=advice.cure,
            others=tuple(others),
        )
    races = {_signature(hazard) for hazard, _ in race_reports}
    return tuple(
        reported.get(_signature(hazard), hazard)
        for hazard in hazards
        if _signature(hazard) in reported or _signature(hazard) in left or _signature(hazard) not in races
    )


@dataclass(frozen=True, slots=True)
class _Advice:
    """A race with its cure, and all races that the cure removes."""

    hazard: Hazard
    race: RaceReport
    cure: Cure
    gone: set[Signature]


def _cure(
    facts: Facts,
    race: RaceReport,
    targets: set[Signature],
    before: set[Signature],
    steps: int,
    budget: Budget,
    rerun: Rerun,
) -> tuple[Cure, set[Signature]] | None:
    """Return the first cure whose trial removes all targets, and the hazards that it removes; None if there is none."""
    tried: set[object] = set()
    for cure in candidates(facts, race):
        # Different candidates may propose the same edit: a barrier after one statement is one before the next.
        if cure.edits in tried:
            continue
        tried.add(cure.edits)
        if budget.trials <= 0 or budget.steps <= 0:
            return None
        try:
            after = _hazards_after(facts, cure, steps, budget, rerun)
        # Cancelling ends the trials, not the report.
        except Cancelled:
            budget.trials = 0
            return None
        # No new hazard: a barrier that some threads do not reach, or an atomic of a wrong type, is not a cure.
        if after is not None and not targets & after and after <= before:
            return cure, before - after
    return None


def _hazards_after(facts: Facts, cure: Cure, steps: int, budget: Budget, rerun: Rerun) -> set[Signature] | None:
    """Return the hazards of the edited source; None if it cannot be run to its end."""
    program, launch = facts.source.program, facts.launch
    if cure.dynamic_shared_bytes:
        launch = replace(launch, dynamic_shared_bytes=cure.dynamic_shared_bytes)
    budget.trials -= 1
    try:
        trace = rerun(_edited_program(program, cure), launch, min(budget.steps, _LONGER * steps + 1000))
    except (TilescopeError, ValueError):
        return None
    budget.steps -= trace.steps
    return None if trace.stopped else {_signature(hazard) for hazard in trace.hazards}


def _edited_program(program: Program, cure: Cure) -> Program:
    """Parse the source with the edits of a cure."""
    own = [edit for edit in cure.edits if not edit.file]
    included = [
        (name, apply_edits(text, [edit for edit in cure.edits if edit.file == name])) for name, text in program.included
    ]
    return parse(apply_edits(program.text, own), program.file, program.defines, included=included)


def _signature(hazard: Hazard) -> Signature:
    sides = sorted((side.line, side.file, side.access) for side in hazard.accesses)
    # Either access of a race may be the later one, whose place the hazard has: the order of the two is left out.
    place = () if hazard.kind == "data-race" else (hazard.line, hazard.file)
    return hazard.kind, hazard.array, *place, *sides
