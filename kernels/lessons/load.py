"""Lessons from their files: one TOML file each in `resources/lessons`.

title, goal, minutes          words for people
subject, order                part of the course, and place in it
practice                      ids of exercises that follow
[runs.NAME]                   kernel (of the catalogue, or a .cu file beside the lesson), size and block (by default
                              the kernel's own), order (lockstep, warps, reversed), device (of its occupancy)
[[step]]                      run (by default that of the step before), caption; page, table; zoom, colour, panes,
                              reads, compare, refused; question, answer, and how it is answered
step.at                       block, phase, does, line, number: the moment (`kernels.lessons.moments`)
step.lit                      thread, element or line: what is in focus

A question is answered in one of three ways, and `answer` says why the right one is right:

right = "a text"              one of several choices
number = "{reads:A}"          a number of the run, to three digits if it is no whole number
click.reads = "A[0][1]"       a click on a thread that reads an element in the step (or click.writes), on an element, by
                              click.read_by = [1, 0] (or click.written_by), or on a thread that is, by click.role,
                              "guarded-off", "idle", "active" or "zero-fill"
wrong = [["text", "reason"]]  wrong choices, or wrong numbers as fields, and what is said of each
"""

from __future__ import annotations

import tomllib
from functools import cache
from typing import TYPE_CHECKING, Final

from kernels import RESOURCES
from kernels.analysis.values.roles import ROLES
from kernels.catalog import find_kernel, read_kernel
from kernels.device import find_device
from kernels.errors import InputError
from kernels.experiments import experiments
from kernels.launch import Dim3
from kernels.lessons.fields import check_fields
from kernels.lessons.model import (
    COLOURS,
    DOES,
    PAGE_NAMES,
    PANES,
    ZOOMS,
    Ask,
    Click,
    Lesson,
    LessonStep,
    Lit,
    Moment,
    Run,
)
from kernels.toml_fields import Fields
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_ORDERS: Final = ("lockstep", "warps", "reversed")
_DEVICE: Final = "t4"
_MOST_MINUTES: Final = 10


@cache
def lessons() -> tuple[Lesson, ...]:
    """Return every lesson in teaching order; raises InputError when a file is wrong, as `read_lesson`."""
    found = [read_lesson(file) for file in sorted((RESOURCES / "lessons").glob("*.toml"))]
    return tuple(sorted(found, key=lambda lesson: (lesson.order, lesson.id)))


def find_lesson(name: str) -> Lesson:
    """Return the lesson of that id; raises InputError when there is none, with the ids."""
    for lesson in lessons():
        if lesson.id == name:
            return lesson
    raise InputError(f"no lesson '{name}': choose one of {', '.join(lesson.id for lesson in lessons())}")


def read_lesson(file: Path) -> Lesson:
    """Read one file.

    Raises
    ------
    InputError
        When it is wrong: one line with its name, the step, the field, and what would work.
    """
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file.name}: is no TOML file: {error}") from None
    top = Fields(data, file.name)
    runs = _runs(top, file.parent)
    steps: list[LessonStep] = []
    for table in top.tables("step"):
        steps.append(_step(table, runs, steps[-1].run if steps else next(iter(runs))))
    lesson = Lesson(
        id=file.stem,
        order=int(top.number("order")),
        subject=top.text("subject"),
        title=top.text("title"),
        goal=top.text("goal"),
        minutes=int(top.number("minutes", least=1)),
        runs=runs,
        steps=tuple(steps),
        practice=top.sentences("practice", ()),
    )
    top.refuse_unknown()
    if lesson.minutes > _MOST_MINUTES:
        raise top.refuse("minutes", f"is {lesson.minutes}: a lesson takes at most {_MOST_MINUTES}")
    return lesson


def _runs(top: Fields, folder: Path) -> dict[str, Run]:
    tables = top.table("runs")
    found: dict[str, Run] = {}
    for name in tables.names:
        found[name] = _run(name, tables.table(name), folder)
    if not found:
        raise top.refuse("runs", 'is empty: give one run, as in [runs.tiled] kernel = "matmul_tiled"')
    return found


def _run(name: str, table: Fields, folder: Path) -> Run:
    try:
        source = table.text("kernel")
        kernel = read_kernel(folder / source) if source.endswith(".cu") else find_kernel(source)
        device = find_device(table.text("device", _DEVICE))
    except InputError as error:
        raise table.refuse("kernel", f"or 'device' is unknown: {error}") from None
    size, block = table.whole_numbers("size"), table.whole_numbers("block")
    if len(size) not in (0, 1, 3) or len(block) > 3:
        raise table.refuse("size", "is [n] or [M, N, K], and 'block' has up to three numbers")
    run = Run(
        name,
        kernel,
        kernel.workload.fit(Size(*(size * 3 if len(size) == 1 else size))) if size else kernel.size,
        Dim3(*block) if block else kernel.block,
        table.one_of("order", _ORDERS, kernel.schedule),
        device,
    )
    table.refuse_unknown()
    return run


def _step(table: Fields, runs: dict[str, Run], before: str) -> LessonStep:
    names = tuple(runs)
    step = LessonStep(
        run=table.one_of("run", names, before),
        caption=" ".join(table.text("caption").split()),
        at=read_moment(table.table("at", required=False)),
        lit=_lit(table.table("lit", required=False)),
        zoom=table.one_of("zoom", ZOOMS, "block"),
        colour=table.one_of("colour", COLOURS, "block"),
        panes=table.values("panes", lambda v: v in PANES, f"words of {', '.join(PANES)}", '["code", "thread"]', ()),
        reads=table.flag("reads", default=False),
        refused=table.flag("refused", default=False),
        compare=table.one_of("compare", ("", *names), ""),
        page=table.one_of("page", PAGE_NAMES, "explore"),
        table=table.one_of("table", _tables(), ""),
        ask=_ask(table, names),
    )
    table.refuse_unknown()
    if step.zoom == "warp" and step.ask is not None and step.ask.click is not None and step.ask.click.wants_element:
        raise table.refuse("click", 'asks for an element, which zoom = "warp" does not draw: ask for a thread')
    _check_texts(table, {"caption": [step.caption]}, names)
    return step


def _ask(table: Fields, names: tuple[str, ...]) -> Ask | None:
    text, answer, right, number = (table.words(name) for name in ("question", "answer", "right", "number"))
    click = _click(table.table("click", required=False))
    wrong = table.values("wrong", _is_wrong_answer, "pairs of texts", '[["text", "reason"]]', ())
    if bool(text) != bool(answer):
        raise table.refuse("question", "and 'answer' go together: give both or none")
    if sum(map(bool, (right, number, click))) != bool(text):
        raise table.refuse("question", "is answered by one of 'right', 'number' and 'click'")
    if bool(right) > bool(wrong) or (wrong and click):
        raise table.refuse("wrong", "has the other choices of 'right', or wrong numbers: give at least one choice")
    if not text:
        return None
    ask = Ask(text, answer, right, number, click, tuple((wrong, why) for wrong, why in wrong))
    texts = {"question": [text], "answer": [answer], "right": [right], "number": [number]}
    _check_texts(table, texts | {"wrong": [part for pair in ask.wrong for part in pair]}, names)
    return ask


def _is_wrong_answer(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(part, str) and part for part in value)


def _click(table: Fields) -> Click | None:
    click = Click(
        reads=table.words("reads"),
        writes=table.words("writes"),
        read_by=_indices(table, "read_by"),
        written_by=_indices(table, "written_by"),
        role=table.one_of("role", ("", *ROLES), ""),
    )
    table.refuse_unknown()
    given = sum(map(bool, (click.reads, click.writes, click.read_by, click.written_by, click.role)))
    if given > 1:
        raise table.refuse("reads", "is given with another thing to click: give one")
    return click if given else None


def _check_texts(table: Fields, texts: Mapping[str, Sequence[str]], names: Sequence[str]) -> None:
    for field, parts in texts.items():
        for part in parts:
            try:
                check_fields(part, names)
            except InputError as error:
                raise table.refuse(field, str(error)) from None


def _tables() -> Sequence[str]:
    return ("", *(experiment.id for experiment in experiments()))


def read_moment(table: Fields) -> Moment:
    """Read the description of a moment; raises InputError for a field that is wrong."""
    phase = table.number("phase", None)
    moment = Moment(
        block=_indices(table, "block"),
        phase=None if phase is None else int(phase),
        does=table.one_of("does", DOES, ""),
        line=table.words("line"),
        number=table.integer("number", 1),
    )
    table.refuse_unknown()
    if moment.number == 0:
        raise table.refuse("number", "is 0: count from 1, or from -1 backwards")
    return moment


def _lit(table: Fields) -> Lit:
    lit = Lit(_indices(table, "thread"), table.words("element"), table.words("line"))
    table.refuse_unknown()
    if sum(map(bool, (lit.thread, lit.element, lit.line))) > 1:
        raise table.refuse("thread", "is given with 'element' or 'line': one thing can be in focus")
    return lit


def _indices(table: Fields, name: str) -> tuple[int, ...]:
    return table.values(name, lambda v: type(v) is int and v >= 0, "indices from 0 up", "[1, 0]", ())
