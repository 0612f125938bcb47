"""Judge an answer: run it on every hidden size under the checkers, compare the results, then count.

Nothing but the text is read: an answer that includes a file is refused, unless it is a library's header. Every run has
limits of steps, memory and time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis import LaunchCounter, play_order
from kernels.analysis.order.races import first_wrong_read
from kernels.analysis.values.result_check import check_result
from kernels.cancellation import Cancelled, cancellable
from kernels.catalog import kernel_of
from kernels.errors import NOT_ENOUGH_MEMORY, InputError, LaunchError, SourceError
from kernels.exercises.diagnosis import region_of, relation_of
from kernels.exercises.findings import (
    GateFinding,
    HazardFinding,
    LaunchFinding,
    ParameterFinding,
    Reference,
    SourceFinding,
    TimeFinding,
    UnwrittenFinding,
    WrongFinding,
)
from kernels.exercises.gates import exceeded, measure, registers
from kernels.exercises.judgement import CaseResult, GateResult, Judgement
from kernels.exercises.load import limit
from kernels.frontend import parse_with_instances
from kernels.launch import Dim3, Limits, check
from kernels.narration.hazards import hazard_message, wrong_read_sentence
from kernels.simt import Options, choose_kernel, run
from kernels.simt.checkers import KINDS
from kernels.trace import element_name
from kernels.tracing import arguments_of, static_shared_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kernels.analysis import LaunchCounts
    from kernels.analysis.values.result_check import OutputCheck
    from kernels.catalog import Kernel
    from kernels.exercises.findings import Finding, RelationKind
    from kernels.exercises.model import Case, Exercise, Gate
    from kernels.frontend.ast import Function, Program
    from kernels.frontend.instances import Instances
    from kernels.reference import Result
    from kernels.trace import Hazard, Trace

ANSWER: Final = "answer.cu"
"""Name of an answer's text in messages."""

MOST_SECONDS: Final = 10.0
"""Default time for all runs of one answer; those of a right one take less than one second."""

_MOST_STEPS: Final = 100_000
_MOST_BYTES: Final = 1 << 26

_SYNCHRONISATION: Final = KINDS["synccheck"]
"""Hazards that explain a wrong result better than its relation does: values from lanes that do not take part."""

_STRONG: Final[tuple[RelationKind, ...]] = (
    "transposed",
    "left-transposed",
    "right-transposed",
    "left-pitch",
    "right-pitch",
    "multiple",
    "tiles-transposed",
    "tiles-mirrored",
)
"""Relations that explain a result better than the hazards of the same run do."""


def judge(
    exercise: Exercise,
    text: str,
    *,
    seconds: float = MOST_SECONDS,
    cancelled: Callable[[], bool] | None = None,
    compiles: bool = True,
) -> Judgement:
    """Judge an answer to an exercise.

    Parameters
    ----------
    exercise : Exercise
    text : str
        The whole source of the answer.
    seconds : float
        Time for all runs together.
    cancelled : callable, optional
        Polled regularly; returns whether the judgement is not wanted any more.
    compiles : bool
        Whether registers are counted, by a compiler that loads libraries and reads its own headers.

    Raises
    ------
    Cancelled
        If `cancelled` returned true.
    """
    work = _Work(exercise, text, _Clock(seconds, cancelled), compiles)
    try:
        work.run_cases()
    except _Ended:
        pass
    except MemoryError:
        work.findings.append(LaunchFinding(NOT_ENOUGH_MEMORY))
    except RecursionError:
        work.findings.append(LaunchFinding("the text is nested too deeply: write it in more statements"))
    return work.judgement()


class _Ended(Exception):
    """A mistake that leaves nothing more to judge; its finding is stored."""


@dataclass(slots=True)
class _Clock:
    """Time of a judgement, and its cancellation."""

    seconds: float
    cancelled: Callable[[], bool] | None
    end: float = 0.0

    def __post_init__(self) -> None:
        self.end = time.monotonic() + self.seconds

    def stops(self) -> bool:
        """Return whether a run has to end."""
        return time.monotonic() > self.end or (self.cancelled is not None and self.cancelled())

    def check(self) -> None:
        """Raise Cancelled if the judgement is not wanted any more."""
        if self.cancelled is not None and self.cancelled():
            raise Cancelled


@dataclass(frozen=True, slots=True)
class _Program:
    """An answer as parsed for one case, with its launch rule."""

    kernel: Kernel
    program: Program
    function: Function
    instances: Instances


class _Work:
    """One judgement in progress."""

    def __init__(self, exercise: Exercise, text: str, clock: _Clock, compiles: bool) -> None:
        self.exercise = exercise
        self.text = text
        self.clock = clock
        self.compiles = compiles
        self.cases: list[CaseResult] = []
        self.findings: list[Finding] = []
        self.hazards: set[tuple[str, int, int]] = set()
        self.traces: list[Trace] = []
        self.counted: list[GateResult] = []

    # --- cases -----------------------------------------------------------------------------------------

    def run_cases(self) -> None:
        """Run all cases, then the counts if everything is right; raises _Ended at a mistake that ends the runs."""
        kernel = self._launch_rule()
        for case in self.exercise.cases:
            self._run_case(kernel, case)
        if all(result.right for result in self.cases) and not self.hazards:
            self._count(kernel)

    def judgement(self) -> Judgement:
        """Return the judgement so far."""
        cases, right = self.exercise.cases, sum(result.right for result in self.cases)
        ran = len(self.cases) == len(cases)
        gates = [
            GateResult(self.exercise.gates[0], right == len(cases), right, len(cases)),
            GateResult(self.exercise.gates[1], not self.hazards, len(self.hazards), 0)
            if ran or self.hazards
            else GateResult(self.exercise.gates[1], None),
            *self.counted,
        ]
        gates += [GateResult(gate, None) for gate in self.exercise.gates[len(gates) :]]
        findings = _distinct(sorted(self.findings, key=_rank))
        return Judgement(self.exercise, self.text, tuple(self.cases), tuple(gates), tuple(findings))

    def _launch_rule(self) -> Kernel:
        """Return the given launch rule, with the fields that the answer may change."""
        kernel, fields = self.exercise.kernel, self.exercise.answer_sets
        if not fields:
            return kernel
        try:
            answer = kernel_of(Path(ANSWER), self.text, with_block_rules=False)
        except (InputError, RecursionError) as error:
            raise self._ended(LaunchFinding(str(error))) from error
        return replace(kernel, **{field: getattr(answer, field) for field in fields})

    def _run_case(self, kernel: Kernel, case: Case) -> None:
        parsed = self._parse(kernel, case)
        options = Options(
            case.schedule,
            max_steps=_MOST_STEPS,
            max_memory_bytes=_MOST_BYTES,
            cancelled=self.clock.stops,
        )
        trace = self._run(parsed, case, options)
        self.traces.append(trace)
        for hazard in trace.hazards:
            if hazard.kind != "result-never-written":  # the findings about results say more of it
                self.findings.append(_hazard(trace, case, hazard))
            self.hazards.add((hazard.kind, hazard.line, hazard.column))
        if trace.stopped:
            raise _Ended
        wrong = self._wrong_results(trace, case)
        self.findings += wrong
        self.cases.append(CaseResult(case, not wrong))

    def _parse(self, kernel: Kernel, case: Case) -> _Program:
        given = self.exercise.kernel
        try:
            with cancellable(self.clock.stops):
                defines = self.exercise.macros(kernel, case)
                program, instances = parse_with_instances(self.text, ANSWER, defines, alone=True)
                function = choose_kernel(program, given.entry, instances=instances)
        except SourceError as error:
            raise self._ended(SourceFinding(error.line, error.column, error.reason)) from error
        except InputError as error:
            raise self._ended(LaunchFinding(str(error))) from error
        except Cancelled as error:
            raise self._out_of_time(case) from error
        names = [parameter.name for parameter in function.parameters]
        wanted = _parameters(self.exercise, defines)
        if set(names) != set(wanted):
            missing = tuple(name for name in wanted if name not in names)
            unknown = tuple(name for name in names if name not in wanted)
            raise self._ended(ParameterFinding(function.name, missing, unknown))
        return _Program(kernel, program, function, instances)

    def _run(self, parsed: _Program, case: Case, options: Options) -> Trace:
        kernel = parsed.kernel
        try:
            launch = kernel.launch(case.size, case.block)
            check(launch, Limits(), static_shared_bytes(parsed.function))
            arguments = arguments_of(kernel, case.size, case.block, case.fills)
            used = {p.name for p in parsed.function.parameters} | {v.name for v in parsed.program.variables}
            trace = run(
                parsed.program,
                launch,
                {name: value for name, value in arguments.items() if name in used},
                kernel=parsed.function.name,
                options=options,
                instances=parsed.instances,
            )
        except SourceError as error:
            if error.file != ANSWER:  # an expression of the launch rule
                reason = f"the comment at the end of the text is wrong: {error.reason}"
                raise self._ended(LaunchFinding(reason)) from error
            raise self._ended(SourceFinding(error.line, error.column, error.reason)) from error
        except (InputError, LaunchError) as error:
            raise self._ended(LaunchFinding(str(error), case)) from error
        except Cancelled as error:
            raise self._out_of_time(case) from error
        if self.clock.stops():
            raise self._out_of_time(case)
        return trace

    def _out_of_time(self, case: Case) -> _Ended:
        self.clock.check()
        return self._ended(TimeFinding(case, self.clock.seconds))

    def _ended(self, finding: Finding) -> _Ended:
        self.findings.append(finding)
        return _Ended()

    # --- results ---------------------------------------------------------------------------------------

    def _wrong_results(self, trace: Trace, case: Case) -> list[Finding]:
        """Return the findings about the outputs of a case; none if they are right."""
        workload = self.exercise.kernel.workload
        checked = check_result(play_order(trace), workload)
        if checked is None:
            return [LaunchFinding("the results cannot be compared with the correct ones", case)]
        inputs = workload.inputs(case.size, case.fills)
        found: list[Finding] = []
        for output in checked.outputs:
            if output.wrong.any():
                info = trace.arrays[output.array]
                rows = np.arange(info.shape[0])
                found += _wrong(trace, case, output, workload.results(inputs, case.size, rows)[info.name])
        return found

    # --- counts ----------------------------------------------------------------------------------------

    def _count(self, kernel: Kernel) -> None:
        known: dict[Case, LaunchCounts] = {}
        for gate in self.exercise.gates[len(self.counted) + 2 :]:
            assert gate.case is not None
            most = limit(gate, self.exercise.kernel)
            if gate.kind == "registers":
                defines = kernel.defines(gate.case.size, gate.case.block)
                figure = registers(self.text, self.exercise.kernel.entry, defines) if self.compiles else None
                self._judge_count(gate, most, figure)
                continue
            if gate.case not in known:
                counter = LaunchCounter()
                options = Options(max_steps=_MOST_STEPS, cancelled=self.clock.stops, counter=counter)
                trace = self._run(self._parse(kernel, gate.case), gate.case, options)
                known[gate.case] = counter.result(trace)
            self._judge_count(gate, most, measure(gate, known[gate.case]), known[gate.case])

    def _judge_count(self, gate: Gate, most: float, figure: float | None, counts: LaunchCounts | None = None) -> None:
        passed = None if figure is None else figure <= most
        self.counted.append(GateResult(gate, passed, figure, most))
        if figure is not None and not passed:
            unknown = GateFinding(gate, figure, most)
            self.findings.append(exceeded(gate, figure, most, counts, self.traces) if counts else unknown)


def _parameters(exercise: Exercise, defines: tuple[tuple[str, str], ...]) -> list[str]:
    """Return the names of the parameters of the given source."""
    program, instances = parse_with_instances(exercise.text, ANSWER, defines)
    return [p.name for p in choose_kernel(program, exercise.kernel.entry, instances=instances).parameters]


def _hazard(trace: Trace, case: Case, hazard: Hazard) -> HazardFinding:
    launch, race = trace.launch, first_wrong_read(trace, hazard)
    block = launch.grid.linear(*hazard.accesses[0].block) if hazard.accesses else -1
    shown = Reference(case, hazard.line, hazard.array, hazard.index, block, hazard.step)
    if race is not None:
        shown = Reference(case, hazard.line, trace.arrays[race.array].name, race.index, race.block, race.step)
    array = next((array for array in trace.arrays if array.name == hazard.array), None)
    return HazardFinding(
        case,
        hazard,
        hazard_message(launch, hazard),
        element_name(array, hazard.index) if array is not None and hazard.index >= 0 else hazard.array,
        tuple(f"thread {launch.index_text(a.thread)} of block {launch.index_text(a.block)}" for a in hazard.accesses),
        shown,
        wrong_read_sentence(trace, hazard),
    )


def _wrong(trace: Trace, case: Case, output: OutputCheck, result: Result) -> list[Finding]:
    info = trace.arrays[output.array]
    shape = info.shape if len(info.shape) == 2 else (1, -1)
    unwritten = output.wrong & (output.step < 0)
    wrong = output.wrong & ~unwritten
    found: list[Finding] = []
    if wrong.any():
        index = int(np.argmax(wrong))
        values = np.where(output.written, output.values, 0).astype(np.float64).reshape(shape)
        relation = relation_of(values, wrong.reshape(shape), output.expected.reshape(shape), result)
        step = int(output.step[index])
        found.append(
            WrongFinding(
                case,
                info.name,
                element_name(info, index),
                index,
                output.values[index].item(),
                float(output.expected[index]),
                int(wrong.sum()),
                info.size,
                region_of(wrong.reshape(shape)),
                relation,
                int(output.block[index]),
                step,
                trace.statement(step).span.line,
            )
        )
    if unwritten.any():
        index = int(np.argmax(unwritten))
        grid, block = trace.launch.grid, trace.launch.block
        found.append(
            UnwrittenFinding(
                case,
                info.name,
                element_name(info, index),
                index,
                int(unwritten.sum()),
                info.size,
                region_of(unwritten.reshape(shape)),
                bool(unwritten[index:].all()),
                Dim3(grid.x * block.x, grid.y * block.y, grid.z * block.z),
                bool((output.step >= 0).any()),
            )
        )
    return found


def _distinct(findings: Sequence[Finding]) -> list[Finding]:
    """Return the first of all findings about one mistake at several sizes."""
    known: set[tuple[object, ...]] = set()
    found = []
    for finding in findings:
        match finding:
            case HazardFinding(hazard=hazard):
                key: tuple[object, ...] = (hazard.kind, hazard.line, hazard.column)
            case WrongFinding(array=array):
                key = ("wrong", array)
            case UnwrittenFinding(array=array):
                key = ("unwritten", array)
            case _:
                key = (finding,)
        if key not in known:
            known.add(key)
            found.append(finding)
    return found


def _rank(finding: Finding) -> int:
    """Return the place of a finding among others: the lower, the better it explains what is wrong."""
    match finding:
        case HazardFinding(hazard=hazard):
            return 0 if hazard.kind == "budget-exceeded" else 1 if hazard.kind in _SYNCHRONISATION else 3
        case WrongFinding(relation=relation):
            return 6 if relation is None else 2 if relation.kind in _STRONG else 4
        case UnwrittenFinding():
            return 5
        case GateFinding():
            return 7
    return 0
