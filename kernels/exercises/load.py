"""Exercises from their files: one TOML file each in `resources/exercises`.

title, goal     words for people
order           place in the list
begin           text of the line of `given` on which the answer begins: the editor opens there
given           the source to complete, with its tilescope comment, which is the launch rule
answer_sets     fields of the comment that an answer may change: grid, dynamic_shared, clear
fill            inputs of every case; by default small whole numbers, whose sums are exact in float32
[[case]]        size, block, fill: the launches that are checked
[[gate]]        kind, most, array, access, size, block, advice: a limit of a count, and what to do about it
[advice]        by kind of mistake (`model.ADVICE`): a sentence where nothing more specific is known
[time]          size, block, at_least: how many times as fast as `given` on a GPU; only where `given` is right, but slow
[[hint]]        text; the last one may show a kernel with a size and block, `at` a moment as in lessons
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

from kernels import RESOURCES
from kernels.architecture import SM_80, Architecture
from kernels.catalog import find_kernel, kernel_of
from kernels.errors import InputError, LaunchError, SourceError
from kernels.exercises.model import ADVICE, COUNTS, LAUNCH_FIELDS, Case, Exercise, Gate, Hint, Picture, TimeGate
from kernels.fill import Fill, Fills
from kernels.frontend import evaluate, parse_expression
from kernels.launch import Dim3
from kernels.lessons.load import read_moment
from kernels.toml_fields import Fields, read_fields
from kernels.trace.records import Access
from kernels.workload import Size

if TYPE_CHECKING:
    from kernels.catalog import Kernel

MOST_HINTS: Final = 3


@cache
def exercises() -> tuple[Exercise, ...]:
    """Return every exercise in teaching order.

    Raises
    ------
    InputError
        When a file is wrong; with its name, the field, and what would work.
    """
    found = [read_exercise(file) for file in sorted((RESOURCES / "exercises").glob("*.toml"))]
    return tuple(sorted(found, key=lambda exercise: (exercise.order, exercise.id)))


def find_exercise(name: str) -> Exercise:
    """Return the exercise of that id.

    Raises
    ------
    InputError
        When there is none; the message lists the ids.
    """
    for exercise in exercises():
        if exercise.id == name:
            return exercise
    raise InputError(f"no exercise '{name}': choose one of {', '.join(e.id for e in exercises())}")


def read_exercise(file: Path) -> Exercise:
    """Read one file; raises InputError as `exercises` does."""
    top = read_fields(file)
    given = top.text("given")
    try:
        kernel = kernel_of(Path(f"{file.stem}.cu"), given, with_block_rules=False)
    except InputError as error:
        raise top.refuse("given", f"cannot be launched: {error}") from error
    fills = top.parsed("fill", Fills.parse, _small_numbers(kernel))
    found = Exercise(
        id=file.stem,
        order=top.whole_number("order"),
        title=top.text("title"),
        goal=top.text("goal"),
        text=given,
        begin=top.text("begin"),
        kernel=kernel,
        cases=tuple(_case(table, kernel, fills) for table in top.tables("case")),
        gates=(
            Gate("right"),
            Gate("hazards"),
            *(_gate(table, kernel, fills) for table in top.tables("gate", required=False)),
        ),
        hints=tuple(_hint(table) for table in top.tables("hint", required=False)),
        advice=_advice(top.table("advice", required=False)),
        answer_sets=top.values(
            "answer_sets", lambda v: v in LAUNCH_FIELDS, f"words of {', '.join(LAUNCH_FIELDS)}", '["grid"]', ()
        ),
        time=_time(top.table("time"), kernel, fills) if "time" in top.names else None,
        architecture=top.parsed("arch", Architecture.parse, SM_80),
    )
    top.refuse_unknown()
    if found.begin not in given:
        raise top.refuse("begin", "is no part of a line of 'given'")
    if len(found.hints) > MOST_HINTS:
        raise top.refuse("hint", f"is there {len(found.hints)} times: give at most {MOST_HINTS}")
    if any(hint.picture for hint in found.hints[:-1]):
        raise top.refuse("hint", "shows a kernel before the last hint: move the picture to the last one")
    return found


def _small_numbers(kernel: Kernel) -> Fills:
    """Return fills with whole numbers from 1 to 9 for all inputs, different ones for each."""
    workload, size = kernel.workload, kernel.size
    specs = workload.filled(size) if workload.filled else workload.arrays(size)
    inputs = [spec.name for spec in specs if not spec.output]
    return Fills(None, tuple((name, Fill("randint", (1, 9, seed))) for seed, name in enumerate(inputs, 1)))


def _case(table: Fields, kernel: Kernel, fills: Fills) -> Case:
    case = _launch(table, kernel, table.parsed("fill", Fills.parse, fills))
    table.refuse_unknown()
    return case


def _launch(table: Fields, kernel: Kernel, fills: Fills) -> Case:
    case = _shape(table, kernel, fills)
    try:
        kernel.workload.inputs(case.size, case.fills)
    except InputError as error:
        raise table.refuse("size", f"cannot be launched: {error}") from error
    return case


def _shape(table: Fields, kernel: Kernel, fills: Fills) -> Case:
    size = kernel.workload.fit(table.parsed("size", Size.parse))
    case = Case(size, table.parsed("block", Dim3.parse, kernel.block), fills, kernel.schedule)
    try:
        kernel.launch(case.size, case.block)
    except (InputError, LaunchError) as error:
        raise table.refuse("size", f"cannot be launched: {error}") from error
    return case


def _time(table: Fields, kernel: Kernel, fills: Fills) -> TimeGate:
    """Read a launch for a GPU; its inputs are large, and made when it is timed."""
    gate = TimeGate(_shape(table, kernel, fills), table.number("at_least", least=1))
    table.refuse_unknown()
    return gate


def _gate(table: Fields, kernel: Kernel, fills: Fills) -> Gate:
    case = _launch(table, kernel, fills)
    names = [spec.name for spec in kernel.workload.arrays(case.size)]
    gate = Gate(
        kind=table.one_of("kind", COUNTS),
        most=table.expression("most"),
        array=table.one_of("array", names, ""),
        access=table.one_of("access", get_args(Access), "read"),
        case=case,
        advice=table.text("advice", ""),
    )
    table.refuse_unknown()
    try:
        limit(gate, kernel)
    except (InputError, SourceError) as error:
        raise table.refuse("most", f"has no value: {error}") from error
    return gate


def limit(gate: Gate, kernel: Kernel) -> float:
    """Return the number that a gate's count may reach; raises InputError or SourceError for one without a value."""
    if gate.case is None:
        return 0.0
    return float(evaluate(parse_expression(gate.most), kernel.names(gate.case.size, gate.case.block)))


def _advice(table: Fields) -> dict[str, str]:
    found = {kind: table.text(kind, "") for kind in ADVICE}
    table.refuse_unknown()
    return {kind: text for kind, text in found.items() if text}


def _hint(table: Fields) -> Hint:
    text = table.text("text")
    kernel = table.parsed("kernel", find_kernel, None)
    picture = None
    if kernel is not None:
        picture = Picture(
            kernel.id,
            table.parsed("size", Size.parse, kernel.size),
            table.parsed("block", Dim3.parse, kernel.block),
            read_moment(table.table("at")),
        )
    table.refuse_unknown()
    return Hint(text, picture)
