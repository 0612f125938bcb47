"""Run one kernel launch and return its trace.

A run has four steps: compile the kernel under the present assumptions, execute it under the checkers, decide whether
it has to be repeated under other assumptions, and assemble the trace.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.cancellation import cancellable
from kernels.errors import InputError, SourceError
from kernels.frontend.ast import Template
from kernels.frontend.instances import Instances
from kernels.frontend.types import FunctionPointer, Pointer, Scalar, Struct
from kernels.simt.advice import advise
from kernels.simt.advice.facts import Facts
from kernels.simt.advice.positions import Source
from kernels.simt.advice.uniformity import Uniformity
from kernels.simt.binding.arguments import bind, expand_arguments
from kernels.simt.binding.results import check_results
from kernels.simt.binding.templates import explain_error, instantiate_kernel
from kernels.simt.checkers import ALL, unwanted_kinds
from kernels.simt.checkers.initcheck import Initcheck
from kernels.simt.checkers.memcheck import Memcheck
from kernels.simt.checkers.racecheck import Racecheck
from kernels.simt.checkers.racecheck.reports import RaceReport
from kernels.simt.checkers.synccheck import Synccheck
from kernels.simt.compiler.compiled_values import Frame
from kernels.simt.compiler.context import Context
from kernels.simt.compiler.declarations import file_variable, late_constants
from kernels.simt.compiler.dispatch import DISPATCH
from kernels.simt.compiler.expressions.fma_contraction import check_fused_products
from kernels.simt.compiler.hoisting import expressions_can_wait
from kernels.simt.compiler.statements import statement
from kernels.simt.compiler.structs.layout import leaves
from kernels.simt.intrinsics.printf import PrintedText
from kernels.simt.libraries import installed
from kernels.simt.machine import interleaving
from kernels.simt.machine.assumptions import Assumptions, Recompile
from kernels.simt.machine.budget import needs_interleaving, report_early_end
from kernels.simt.machine.hazards import Hazards
from kernels.simt.machine.machine import Machine
from kernels.simt.machine.observer import Checkers
from kernels.simt.machine.recorder import Budget, CountingTally, EarlyStop, Recorder, Tally
from kernels.simt.machine.schedule import Schedule
from kernels.simt.machine.scheduler import check_threads, execute
from kernels.trace.model import Trace
from kernels.trace.records import Unrecorded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from kernels.frontend.ast import Function, Program
    from kernels.launch import Launch
    from kernels.simt.binding.arguments import Argument
    from kernels.simt.compiler.registry import Registry
    from kernels.simt.machine.observer import AccessCounter
    from kernels.simt.machine.steps import Run, Step
    from kernels.trace.records import Hazard, Value

    Ranges = Callable[[], Mapping[int, tuple[int, int]]]
    """Returns the least and the largest element that each site touched."""


@dataclass(frozen=True, slots=True)
class Options:
    """The schedule of a run, its rounding, what is recorded and checked, and when it ends early."""

    schedule: str = "lockstep"
    """lockstep, warps, reversed or shuffle:SEED (`kernels.simt.machine.schedule.Schedule.parse`)."""
    max_steps: int = 2_000_000
    max_memory_bytes: int = 1 << 30
    """Limit of the trace, and of the state of racecheck."""
    cancelled: Callable[[], bool] | None = None
    """Called every 128 steps; if it returns True, the run ends with the trace so far."""
    progress: Callable[[int, float], None] | None = None
    """Called every 128 steps with the number of steps and the used part of the budget, 0 to 1."""
    contract: bool = True
    """Round a product and the sum that it is a term of once, as nvcc does by default (`-fmad=true`)."""
    record: bool = True
    """Record the steps. Without a record the trace has outputs, hazards, printf and the number of steps; the run takes
    less time, and its memory does not grow with its length."""
    may_outgrow: bool = False
    """Repeat a run whose trace exceeds the memory limit without recording (see `_steps_without_record`), unless threads
    seem to wait for each other."""
    checkers: frozenset[str] = ALL
    """The checkers that observe the run, of memcheck, initcheck, racecheck and synccheck. Hazards of the others' kinds
    are not reported; outputs and steps are the same."""
    counter: AccessCounter | None = None
    """Observes steps and accesses of a run without a record, without checkers and without outputs: values that decide
    neither an address nor a branch are not computed (`kernels.simt.machine.skipped_values`)."""
    advise: bool = True
    """Try the cures of data races in further runs, without a record; otherwise races are reported without advice."""


_LONGER: Final = 16
_AT_MOST: Final = 50_000


def _steps_without_record(steps: int) -> int:
    """Return the limit of a run without a record, after one whose record was full after `steps` steps: n.

    If the trace exceeds the memory limit, rerun without recording, for at most max(2n, min(16n, 50 000)) steps. A
    launch of many threads makes few steps, each of which takes long; an endless loop makes all of them.
    """
    return max(2 * steps, min(_LONGER * steps, _AT_MOST))


class _TraceTooLarge(Exception):
    """The trace exceeds the memory limit, after `steps` steps."""

    def __init__(self, steps: int) -> None:
        super().__init__(steps)
        self.steps = steps


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A finished run: its trace, its races, and a function that collects the facts for advice on them."""

    trace: Trace
    races: list[tuple[Hazard, RaceReport]]
    facts: Callable[[Ranges], Facts]


@dataclass(frozen=True, slots=True)
class _Request:
    """The parameters of `run` with names and defaults resolved."""

    instances: Instances
    function: Function
    launch: Launch
    arguments: Mapping[str, Argument]
    schedule: Schedule
    registry: Registry


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A kernel compiled for one launch."""

    context: Context
    body: Step
    starts: Sequence[Run]
    """Set the parameters in the registers of each group."""
    initial: Mapping[int, NDArray[Any] | None]
    """Contents of arrays before the launch, by number."""


def run(
    program: Program,
    launch: Launch,
    arguments: Mapping[str, Argument],
    *,
    kernel: str | None = None,
    template: Mapping[str, str] = MappingProxyType({}),
    options: Options = Options(),
    registry: Registry | None = None,
    instances: Instances | None = None,
) -> Trace:
    """Execute one launch of a kernel and record every step.

    Parameters
    ----------
    program : Program
        The parsed source.
    launch : Launch
        Grid, block and dynamic shared memory; not checked against a device's limits.
    arguments : mapping
        By parameter name: a number, an array (copied, never changed), or `Unwritten`. Names of
        `__constant__` and `__device__` variables may be given too.
    kernel : str, optional
        The name of the `__global__` function; needed if the source has several.
    template : mapping
        Arguments of a template kernel: types and numbers, as C writes them.
    options : Options
        Schedule and budget.
    registry : Registry, optional
        The libraries to run with; by default all that are installed.
    instances : Instances, optional
        Instantiates the program's templates; by default a new object for the program.

    Raises
    ------
    SourceError
        For what is not supported, before anything runs.
    InputError
        For a kernel or an argument that is missing, unknown or does not fit.
    Cancelled
        If it is cancelled while the kernel is compiled: there is no trace yet.
    """
    if options.counter is not None:
        options = replace(options, record=False, checkers=frozenset(), advise=False)
    registry = registry or installed()
    outcome = _run(instances or Instances(program), launch, arguments, kernel, template, options, registry)
    trace = outcome.trace
    if not (outcome.races and options.advise) or (options.cancelled is not None and options.cancelled()):
        return trace

    def rerun(edited: Program, launch: Launch, steps: int, *, record: bool = False) -> Trace:
        again = replace(options, record=record, max_steps=steps, progress=None, may_outgrow=False, advise=False)
        return run(edited, launch, arguments, kernel=kernel, template=template, options=again, registry=registry)

    def ranges() -> dict[int, tuple[int, int]]:
        whole = trace.unrecorded is None
        return _ranges(trace if whole else rerun(program, launch, options.max_steps, record=True))

    steps = 0 if trace.stopped else trace.steps
    return replace(trace, hazards=advise(outcome.facts(ranges), outcome.races, trace.hazards, steps, rerun))


def _ranges(trace: Trace) -> dict[int, tuple[int, int]]:
    """Return the least and the largest element that each site touched."""
    found: dict[int, tuple[int, int]] = {}
    for site, begin, end in zip(
        trace.group_site.tolist(),
        trace.group_first[:-1].tolist(),
        trace.group_first[1:].tolist(),
        strict=True,
    ):
        index = trace.index[begin:end]
        low, high = int(index.min()), int(index.max()) + trace.sites[site].width - 1
        least, most = found.get(site, (low, high))
        found[site] = min(low, least), max(high, most)
    return found


def _run(
    instances: Instances,
    launch: Launch,
    arguments: Mapping[str, Argument],
    kernel: str | None,
    template: Mapping[str, str],
    options: Options,
    registry: Registry,
) -> _Outcome:
    """Run until every assumption holds."""
    schedule = Schedule.parse(options.schedule)
    check_threads(launch)
    function = choose_kernel(instances.program, kernel, template, instances)
    request = _Request(instances, function, launch, expand_arguments(function, arguments), schedule, registry)
    assumptions = Assumptions()
    while True:
        try:
            # Numbers overflow, divide by zero and become NaN without a word, as on a GPU, folded constants too.
            with cancellable(options.cancelled), np.errstate(all="ignore"):
                return _attempt(request, options, assumptions)
        except Recompile:
            continue
        except _TraceTooLarge as end:
            limit = min(options.max_steps, _steps_without_record(end.steps))
            # With less memory and fewer steps, attempts that were ruled out before may succeed: start without facts.
            options, assumptions = replace(options, record=False, max_steps=limit), Assumptions()
        except SourceError as error:
            if not interleaving.abandon(assumptions):
                raise _with_advice(instances, function, error) from error


def _with_advice(instances: Instances, function: Function, error: SourceError) -> SourceError:
    """Return the error of a kernel; for an instance with advice on the arguments of its template."""
    templates = instances.program.templates
    found = (t for t in templates if t.kernel and t.name == function.name and function.template)
    return next((explain_error(instances, template, function.template, error) for template in found), error)


def _attempt(request: _Request, options: Options, assumptions: Assumptions) -> _Outcome:
    """Compile and run under the present assumptions.

    Raises
    ------
    Recompile
        If an assumption fails; `assumptions` contain the fact then.
    _TraceTooLarge
        If the trace exceeds the memory limit and the run may be repeated without a record.
    """
    hazards = Hazards(request.launch, unwanted_kinds(options.checkers))
    budget = Budget(
        interleaving.step_limit(assumptions, options.max_steps),
        options.max_memory_bytes,
        options.cancelled,
        options.progress,
    )
    recorder = _recorder(options, budget)
    machine = Machine(request.launch, recorder, hazards, assumptions)
    if options.counter is not None:
        options.counter.begin(machine)
    compiled = _compile(request, options, machine)
    c = compiled.context
    races = _racecheck(c) if "racecheck" in options.checkers else None
    recorder.checkers = Checkers(
        memcheck=Memcheck(hazards) if "memcheck" in options.checkers else None,
        initcheck=Initcheck(hazards, races) if "initcheck" in options.checkers else None,
        racecheck=races,
        synccheck=Synccheck(hazards, request.launch) if "synccheck" in options.checkers else None,
    )
    stopped = ""
    try:
        execute(machine, compiled.body, request.schedule, compiled.starts)
        if options.counter is None:
            check_results(c, request.arguments)
    except EarlyStop as end:
        _repeat_if_useful(machine, options, end)
        stopped = end.reason
        report_early_end(machine, request.function, end)
    if recorder.rerun_needed and not stopped:
        assumptions.recompile_touched_arrays()
    if races is not None and races.finish(hazards, c.text, c.racecheck.stores) and assumptions.atomics_order is None:
        assumptions.recompile_atomics_order(known=True)
    trace = _assemble(request, options, compiled, stopped)
    races_found = hazards.with_facts(RaceReport)

    def facts(ranges: Ranges) -> Facts:
        source = Source(request.instances.program, request.function, tuple(c.calls.functions.values()))
        block = request.launch.block
        return Facts(
            source,
            Uniformity(source, threads_x=block.y == block.z == 1),
            request.launch,
            trace.sites,
            trace.statements,
            trace.arrays,
            c.racecheck.atomics.block_scope,
            c.racecheck.block_fences,
            [race for _, race in races_found],
            ranges,
        )

    return _Outcome(trace, races_found, facts)


def _recorder(options: Options, budget: Budget) -> Tally:
    if options.counter is not None:
        return CountingTally(budget, options.counter)
    return Recorder(budget) if options.record else Tally(budget)


def _compile(request: _Request, options: Options, machine: Machine) -> _Compiled:
    """Compile a kernel for one launch; this also adds the machine's arrays, statements and sites."""
    c = Context(request.instances, machine, request.registry, DISPATCH, contract=options.contract)
    c.enter(Frame(request.function))
    c.log.can_wait = expressions_can_wait(c)
    for variable in request.instances.program.variables:
        file_variable(c, variable)
    late_constants(c)
    with c.scope():
        starts = bind(c, request.function, request.arguments)
        body = statement(c, request.function.body)
        filled = [m for m in machine.memories if m.info.space in ("global", "constant", "texture")]
        initial = {m.number: m.contents() for m in filled} if options.record else {}
        initial |= {m.number: m.initial.reshape(m.info.shape) for m in machine.memories if m.initial is not None}
    check_fused_products(c)
    return _Compiled(c, body, starts, initial)


def _racecheck(c: Context) -> Racecheck:
    """Return racecheck with the statements and sites that order accesses."""
    machine = c.machine
    return Racecheck(
        machine.launch,
        machine.sites,
        [memory.info for memory in machine.memories],
        machine.statements,
        c.racecheck.block_fences,
        c.racecheck.atomics,
        atomics_order=bool(machine.assumptions.atomics_order),
        async_proxy=c.racecheck.async_proxy,
    )


def _repeat_if_useful(machine: Machine, options: Options, end: EarlyStop) -> None:
    """Raise if a run that ended early may get further under other assumptions, or without a record.

    The order matters: the attempt that loses nothing is first, the one without a record last.

    Raises
    ------
    Recompile, _TraceTooLarge
    """
    recorder, assumptions = machine.recorder, machine.assumptions
    if recorder.rerun_needed and end.kind != "cancelled":
        assumptions.recompile_touched_arrays()
    # Threads may have waited for others that were never scheduled.
    if end.kind == "steps" and needs_interleaving(machine):
        interleaving.refine(machine)
    # A group for each thread makes 32 times as many steps.
    if end.kind in ("steps", "memory"):
        interleaving.rejoin_warps(assumptions)
    # Racecheck has recorded the order of every atomic.
    if end.kind == "memory" and assumptions.atomics_order:
        assumptions.recompile_atomics_order(known=False)
    if end.kind == "memory" and options.record and options.may_outgrow and not needs_interleaving(machine):
        raise _TraceTooLarge(recorder.current + 1) from end


def _assemble(request: _Request, options: Options, code: _Compiled, stop_reason: str) -> Trace:
    """Return the trace of a run; `stop_reason` is the reason if it ended early."""
    c, machine, program = code.context, code.context.machine, request.instances.program
    writable = (m for m in machine.memories if m.info.space in ("global", "texture") and not m.const)
    # The simulator's addresses mean nothing to a reader: no heap, no arrays of pointers.
    results = [m for m in writable if not m.on_heap and not isinstance(m.declared, FunctionPointer | Pointer)]
    if options.counter is not None:  # values were skipped
        results = []
    unrecorded = None
    if not options.record:
        unrecorded = Unrecorded(machine.recorder.current + 1, {m.info.name: m.written_elements() for m in results})
    return Trace(
        file=program.file,
        text=program.text,
        defines=program.defines,
        kernel=request.function.name,
        launch=request.launch,
        schedule=options.schedule,
        scalars=_scalars(request.function, request.arguments),
        statements=tuple(machine.statements),
        arrays=tuple(m.final_info() for m in machine.memories),
        sites=tuple(machine.sites),
        registers=tuple(c.registers),
        initial=tuple(code.initial.get(m.number) for m in machine.memories),
        outputs={m.info.name: m.result() for m in results},
        hazards=machine.hazards.all(),
        printf=_lines("".join(c.state_of(PrintedText).texts)),
        stopped=stop_reason,
        included=program.included,
        instances=c.calls.instances(),
        unrecorded=unrecorded,
        **machine.recorder.columns(),
    )


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.removesuffix("\n").split("\n")) if text else ()


def _scalars(function: Function, arguments: Mapping[str, Argument]) -> dict[str, Value]:
    """Return the numbers among the arguments in their parameters' types; those of structs by member."""
    found: dict[str, Value] = {}
    for parameter in function.parameters:
        for leaf in leaves(parameter.type) if isinstance(parameter.type, Scalar | Struct) else ():
            if isinstance(leaf.type, Scalar) and not isinstance(leaf.type, FunctionPointer):
                name = parameter.name + leaf.path
                found[name] = np.asarray(arguments[name], leaf.type.dtype).item()
    return found


def choose_kernel(
    program: Program,
    name: str | None,
    template: Mapping[str, str] = MappingProxyType({}),
    instances: Instances | None = None,
) -> Function:
    """Return the `__global__` function of a name, or the only one; of a template the instance with these arguments.

    Without a name, the kernels of the file itself precede those that it includes. The caller needs the same `instances`
    to compile an instance; by default they are a new object for the program.

    Raises
    ------
    InputError
        If there is none, or several without a name.
    SourceError
        If its source cannot be parsed.
    """
    kernels: list[Function | Template] = [*program.kernels, *(t for t in program.templates if t.kernel)]
    names = ", ".join([kernel.name for kernel in kernels] + [unread for unread, _ in program.kernel_errors])
    if not names:
        raise InputError(f"{program.file}: has no __global__ function")
    own = [kernel for kernel in kernels if kernel.span.inside is None]
    if name is None and len(own) == 1 and not program.kernel_errors:
        kernels = own
    if name is None and len(kernels) + len(program.kernel_errors) > 1:
        raise InputError(f"{program.file}: choose one of its kernels: {names}")
    for kernel in sorted(kernels, key=lambda one: bool(template) and not isinstance(one, Template)):
        if name is None or kernel.name == name:
            if isinstance(kernel, Template):
                return instantiate_kernel(instances or Instances(program), kernel, template)
            if template:
                raise InputError(f"{kernel.name} is not a template: it takes no template arguments")
            return kernel
    for unread, error in program.kernel_errors:
        if unread == name:
            raise error
    raise InputError(f"{program.file}: has no kernel '{name}', only {names}")
