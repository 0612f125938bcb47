"""Runs one kernel launch and returns what happened."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

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
from kernels.simt.checkers.racecheck import Watch
from kernels.simt.compiler import functions
from kernels.simt.compiler.compiled_values import Frame
from kernels.simt.compiler.context import Context
from kernels.simt.compiler.declarations import file_variable, late_constants
from kernels.simt.compiler.expressions import expression
from kernels.simt.compiler.fma_contraction import settle
from kernels.simt.compiler.function_pointers import named
from kernels.simt.compiler.reference_returns import designated
from kernels.simt.compiler.statements import statement
from kernels.simt.compiler.structs import leaves
from kernels.simt.launch.arguments import bind, spread
from kernels.simt.launch.results import check_results
from kernels.simt.launch.templates import advised, choose
from kernels.simt.libraries import installed
from kernels.simt.libraries.device_heap.heap import Heap
from kernels.simt.machine import interleaving
from kernels.simt.machine.assumptions import Assumptions, Recompile
from kernels.simt.machine.budget import out_of_budget, out_of_turn
from kernels.simt.machine.hazards import Hazards
from kernels.simt.machine.machine import Machine
from kernels.simt.machine.recorder import Budget, Recorder, Stopped, Tally
from kernels.simt.machine.schedule import Schedule, check_threads, execute
from kernels.trace.model import Trace
from kernels.trace.records import Unrecorded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kernels.frontend.ast import Function, Program
    from kernels.launch import Launch
    from kernels.simt.checkers.racecheck.reports import RaceReport
    from kernels.simt.compiler.registry import Registry
    from kernels.simt.launch.arguments import Argument
    from kernels.trace.records import Hazard, Value

    Ranges = Callable[[], Mapping[int, tuple[int, int]]]
    """Returns the least and the largest element that each site touched."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a run is made: the schedule, how floating point is rounded, what is kept, and when the run ends early.

    With `contract` a product and the sum it goes into are rounded once, as nvcc does by default (`-fmad=true`).
    Without `record` nothing is kept but outputs, hazards, printf and the number of steps, which takes less time
    and no more memory the longer it runs. `cancelled` is asked now and then; when it says yes the run ends with
    the trace so far. `progress` is told as often how many steps were made, and what part of the budget is used.
    A run that `may_outgrow` its record, and does, and seems to wait for nobody, is made again without one, and ends at
    the latest after twice as many steps, or up to 16 times as many where those are no more than 50,000. With `advise`
    the cures of data races are tried out in further runs, without a record; otherwise races are told without advice.
    """

    schedule: str = "lockstep"
    max_steps: int = 2_000_000
    max_memory_bytes: int = 1 << 30
    cancelled: Callable[[], bool] | None = None
    progress: Callable[[int, float], None] | None = None
    contract: bool = True
    record: bool = True
    may_outgrow: bool = False
    advise: bool = True


_LONGER: Final = 16
_AT_MOST: Final = 50_000
"""Times as many steps as its record held that a run may make without one, and when twice as many are enough: a launch
of many threads makes few steps, each of which takes long, and an endless loop makes them all."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A finished run: its trace, its races, and what makes the facts from which they are advised on."""

    trace: Trace
    races: list[tuple[Hazard, RaceReport]]
    facts: Callable[[Ranges], Facts]


class _Outgrown(Exception):
    """The record is larger than the budget allows, after so many steps."""

    def __init__(self, steps: int) -> None:
        super().__init__(steps)
        self.steps = steps


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
        Which `__global__` function; needed where the source has several.
    template : mapping
        Arguments of a template kernel: types and numbers, as C writes them.
    options : Options
        Schedule and budget.
    registry : Registry, optional
        The libraries to run with; all that are installed unless given.
    instances : Instances, optional
        Instantiates the program's templates; made from the program unless given.

    Raises
    ------
    SourceError
        For what is not supported, before anything runs.
    InputError
        For a kernel or an argument that is missing, unknown or does not fit.
    Cancelled
        When it was cancelled while the kernel was compiled: there is no trace yet.
    """
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
    arguments, assumptions = spread(function, arguments), Assumptions()
    while True:
        try:
            with cancellable(options.cancelled):
                return _attempt(
                    instances,
                    function,
                    launch,
                    arguments,
                    schedule,
                    options,
                    assumptions,
                    registry,
                )
        except Recompile:
            continue
        except _Outgrown as end:
            most = min(options.max_steps, max(2 * end.steps, min(_LONGER * end.steps, _AT_MOST)))
            options, assumptions = replace(options, record=False, max_steps=most), Assumptions()
        except SourceError as error:
            if not interleaving.give_up(assumptions):
                raise _advised(instances, function, error) from error


def _advised(instances: Instances, function: Function, error: SourceError) -> SourceError:
    """Return the error of a kernel; that of an instance tells what its template would rather be given."""
    templates = instances.program.templates
    found = (t for t in templates if t.kernel and t.name == function.name and function.template)
    return next((advised(instances, template, function.template, error) for template in found), error)


def _attempt(
    instances: Instances,
    function: Function,
    launch: Launch,
    arguments: Mapping[str, Argument],
    schedule: Schedule,
    options: Options,
    assumptions: Assumptions,
    registry: Registry,
) -> _Outcome:
    """Compile and run with what is known about the kernel so far."""
    program, hazards = instances.program, Hazards(launch)
    kind = Recorder if options.record else Tally
    steps = interleaving.most_steps(assumptions, options.max_steps)
    recorder = kind(Budget(steps, options.max_memory_bytes, options.cancelled, options.progress))
    machine = Machine(launch, recorder, hazards, assumptions)
    c = Context(instances, machine, registry)
    c.expression, c.step = expression, statement
    c.call, c.designated, c.named = functions.call, designated, named
    c.contract = options.contract
    c.enter(Frame(function))
    for variable in program.variables:
        file_variable(c, variable)
    late_constants(c)
    with c.scope():
        starts = bind(c, function, arguments)
        body = statement(c, function.body)
        given = [m for m in machine.memories if m.info.space in ("global", "constant", "texture")]
        initial = {m.number: m.contents() for m in given} if options.record else {}
        initial |= {m.number: m.begin.reshape(m.info.shape) for m in machine.memories if m.begin is not None}
    settle(c)
    recorder.watch = watch = Watch(
        launch,
        machine.sites,
        [m.info for m in machine.memories],
        machine.statements,
        c.block_fences,
        c.atomics,
        observes=bool(assumptions.observes),
    )
    stopped = ""
    with np.errstate(all="ignore"):
        try:
            execute(machine, body, schedule, starts)
            check_results(c, arguments)
        except Stopped as end:
            if recorder.again and end.kind != "cancelled":
                raise Recompile from end
            if end.kind == "steps" and out_of_turn(machine) and interleaving.finer(machine):
                raise Recompile from end
            if end.kind in ("steps", "memory") and interleaving.join(assumptions):
                raise Recompile from end
            if end.kind == "memory" and assumptions.observes:
                assumptions.observes = False
                raise Recompile from end
            if end.kind == "memory" and options.record and options.may_outgrow and not out_of_turn(machine):
                raise _Outgrown(recorder.current + 1) from end
            stopped = end.reason
            out_of_budget(machine, function, end)
    if recorder.again and not stopped:
        raise Recompile
    if watch.finish(hazards, c.text, c.stores) and assumptions.observes is None:
        assumptions.observes = True
        raise Recompile
    writable = (m for m in machine.memories if m.info.space in ("global", "texture") and not m.const)
    results = [
        m for m in writable if not isinstance(m, Heap) and not isinstance(m.declared, FunctionPointer | Pointer)
    ]  # an address says nothing
    unrecorded = None
    if not options.record:
        unrecorded = Unrecorded(recorder.current + 1, {m.info.name: m.written() for m in results})
    trace = Trace(
        file=program.file,
        text=program.text,
        defines=program.defines,
        kernel=function.name,
        launch=launch,
        schedule=options.schedule,
        scalars=_scalars(function, arguments),
        statements=tuple(machine.statements),
        arrays=tuple(m.trimmed() for m in machine.memories),
        sites=tuple(machine.sites),
        registers=tuple(c.registers),
        initial=tuple(initial.get(m.number) for m in machine.memories),
        outputs={m.info.name: m.result() for m in results},
        hazards=hazards.all(),
        printf=_lines("".join(c.printed)),
        stopped=stopped,
        included=program.included,
        instances=tuple(c.instances),
        unrecorded=unrecorded,
        **recorder.columns(),
    )
    races = hazards.races()

    def facts(ranges: Ranges) -> Facts:
        source = Source(program, function, tuple(c.entered.values()))
        return Facts(
            source,
            Uniformity(source, threads_x=launch.block.y == launch.block.z == 1),
            launch,
            trace.sites,
            trace.statements,
            trace.arrays,
            c.atomics.narrow,
            c.block_fences,
            [race for _, race in races],
            ranges,
        )

    return _Outcome(trace, races, facts)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.removesuffix("\n").split("\n")) if text else ()


def _scalars(function: Function, arguments: Mapping[str, Argument]) -> dict[str, Value]:
    """Return the numbers given, in their parameters' types; those of structs by their members."""
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
    """Return the `__global__` function of that name, or the only one; of a template the instance asked for.

    Without a name, what a file declares itself goes before what it includes. An instance is made by `instances`, which
    whatever compiles it needs too; they are made from the program unless given.

    Raises
    ------
    InputError
        When there is none, or a choice is needed.
    SourceError
        When it cannot be read.
    """
    kernels: list[Function | Template] = [*program.kernels, *(t for t in program.templates if t.kernel)]
    names = ", ".join([kernel.name for kernel in kernels] + [unread for unread, _ in program.unread])
    if not names:
        raise InputError(f"{program.file}: has no __global__ function")
    own = [kernel for kernel in kernels if kernel.span.inside is None]
    if name is None and len(own) == 1 and not program.unread:
        kernels = own
    if name is None and len(kernels) + len(program.unread) > 1:
        raise InputError(f"{program.file}: choose one of its kernels: {names}")
    for kernel in sorted(kernels, key=lambda one: bool(template) and not isinstance(one, Template)):
        if name is None or kernel.name == name:
            if isinstance(kernel, Template):
                return choose(instances or Instances(program), kernel, template)
            if template:
                raise InputError(f"{kernel.name} is no template: it takes no template arguments")
            return kernel
    for unread, error in program.unread:
        if unread == name:
            raise error
    raise InputError(f"{program.file}: has no kernel '{name}', only {names}")
