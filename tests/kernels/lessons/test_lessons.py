"""Every lesson: its moments are found, its numbers are those of the run, and its questions are answered by it."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

import pytest

from kernels import RESOURCES
from kernels.errors import InputError
from kernels.exercises import exercises
from kernels.lessons import (
    Asked,
    Choices,
    Narrator,
    Number,
    Place,
    Target,
    find_frame,
    find_lesson,
    find_target,
    lessons,
)
from kernels.lessons.facts import StepFacts
from kernels.lessons.load import read_lesson
from kernels.lessons.questions import parse_reply
from kernels.narration.narrate import describe
from kernels.simt import Options
from kernels.tracing import trace_kernel
from tests.cases import Cases

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.lessons import Lesson

CASES = Cases(__file__)

SMALL = CASES.text("small.toml")


def read(tmp_path: Path, text: str) -> Lesson:
    file = tmp_path / "small.toml"
    file.write_text(text, encoding="utf-8")
    return read_lesson(file)


NAMES = sorted(file.stem for file in (RESOURCES / "lessons").glob("*.toml"))


def lesson_of(name: str) -> Lesson:
    """Return a lesson by its file; one that cannot be read fails its cases, not the collection."""
    (lesson,) = (each for each in lessons() if each.id == name)
    return lesson


@pytest.mark.parametrize("name", NAMES)
def test_every_step_finds_its_moment_and_its_numbers(name: str) -> None:
    lesson = lesson_of(name)
    narrator = Narrator(lesson)
    for step in lesson.steps:
        words = narrator.words(step)
        texts = (words.caption, words.asked.text, words.asked.answer) if words.asked is not None else (words.caption,)
        assert not any(re.search(r"[{}]|nothing yet", text) for text in texts)
        facts = narrator.facts(step.run)
        if step.page == "explore" and not step.refused:
            frame = find_frame(facts.trace, step.at, facts.run.kernel.workload)
            find_target(facts.trace, frame, step.lit)
            assert describe(facts.trace, frame.step, frame.block).text


def test_lessons_lead_to_exercises_that_exist() -> None:
    assert len(lessons()) >= 15
    known = {exercise.id for exercise in exercises()}
    assert {id for lesson in lessons() for id in lesson.practice} == known


def test_the_lessons_of_a_subject_follow_each_other() -> None:
    subjects = [lesson.subject for lesson in lessons()]
    assert [name for name, _ in groupby(subjects)] == list(dict.fromkeys(subjects))
    ids = [lesson.id for lesson in lessons()]
    assert ids.index("missing_barrier") == ids.index("tiles") + 1  # races right behind tiles


def test_a_small_lesson_says_the_numbers_of_its_run(tmp_path: Path) -> None:
    lesson = read(tmp_path, SMALL)
    words = Narrator(lesson).words(lesson.steps[0])
    assert words.caption == "All 4 threads store; C[0][1] is 3, and A was read 2 times."


def test_a_lesson_says_the_bytes_used_of_those_moved(tmp_path: Path) -> None:
    lesson = read(tmp_path, SMALL.replace("All {threads}", "{efficiency:A}: All {threads}"))
    # The warp reads a float of each row in every step: 8 of the 32 bytes of one sector.
    assert Narrator(lesson).words(lesson.steps[0]).caption.startswith("25 %: ")


def test_a_lesson_says_how_warps_execute_a_line(tmp_path: Path) -> None:
    lesson = read(tmp_path, CASES.text("tree.toml"))
    words = Narrator(lesson).words(lesson.steps[0])
    # Each of 2 blocks: 4 warps in the steps 1 to 16, then 2 and 1; 127 additions; a barrier before and after each of 7.
    assert words.caption == "16 46 5.52 8 2 2"


def test_the_swizzled_column_of_the_lesson_is_that_of_the_run() -> None:
    lesson = find_lesson("transpose")
    step = next(step for step in lesson.steps if step.lit.thread)
    assert "A[{=3}][{=5}], which is {value:A[3][5]}, in column {=6} of row {=3}" in " ".join(step.caption.split())
    here = StepFacts(Narrator(lesson).facts(step.run), step)
    assert here.value("tile[3][6]") == here.value("A[3][5]") == 3 * 64 + 5  # the fill is iota


def test_a_pair_of_softmax_is_corrected_by_a_larger_element() -> None:
    lesson = find_lesson("softmax")
    facts = Narrator(lesson).facts("online")
    steps = [StepFacts(facts, step) for step in lesson.steps if step.run == "online" and step.lit.thread == (0,)]
    assert [here.register("largest") for here in steps[:3]] == [0, 0, 2]
    assert [here.register("sum") for here in steps[:3]] == pytest.approx([1, 1 + math.exp(-2), 1 + math.exp(-2)])
    assert all("thread" in here.step.panes for here in steps[:3])  # its card has the pair


def test_an_edited_source_changes_the_numbers_and_keeps_the_moments() -> None:
    lesson = find_lesson("tiles")
    step = next(s for s in lesson.steps if "{register:sum}" in s.caption)
    run = lesson.runs[step.run]
    source = "\n\n" + run.kernel.text.replace("float sum = 0.0f;", "float sum = 100.0f;")
    edited = trace_kernel(replace(run.kernel, source=source), run.size, run.block, options=Options(run.schedule))
    narrator = Narrator(lesson)
    before, after = narrator.words(step).caption, narrator.words(step, edited).caption
    value = re.search(r"sum (\d+)", before)
    assert value is not None
    assert after == before.replace(f"sum {value[1]}", f"sum {int(value[1]) + 100}")


def test_what_an_edited_source_no_longer_has_is_left_open() -> None:
    lesson = find_lesson("tiles")
    step = next(s for s in lesson.steps if "{register:sum}" in s.caption)
    run = lesson.runs[step.run]
    source = re.sub(r"\bsum\b", "total", run.kernel.text)
    edited = trace_kernel(replace(run.kernel, source=source), run.size, run.block)
    assert "…" in Narrator(lesson).words(step, edited).caption


@pytest.mark.parametrize(("old", "new", "words"), CASES("a_mistake_in_a_file_is_one_line"))
def test_a_mistake_in_a_file_is_one_line_that_names_it(tmp_path: Path, old: str, new: str, words: str) -> None:
    with pytest.raises(InputError) as refused:
        read(tmp_path, SMALL.replace(old, new, 1))
    assert words in str(refused.value)
    assert str(refused.value).startswith("small.toml: ")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("old", "new", "words"), CASES("what_a_run_does"))
def test_what_a_run_does_not_have_is_named(tmp_path: Path, old: str, new: str, words: str) -> None:
    lesson = read(tmp_path, SMALL.replace(old, new, 1))
    with pytest.raises(InputError, match=re.escape(words)):
        Narrator(lesson).words(lesson.steps[0])


def asked(tmp_path: Path, text: str, head: str = SMALL) -> Asked:
    """Return the question of the only step of a lesson."""
    lesson = read(tmp_path, head + f'question = "Which?"\nanswer = "It is {{threads}}."\n{text}')
    question = Narrator(lesson).words(lesson.steps[0]).asked
    assert question is not None
    return question


def test_a_choice_is_right_or_has_its_reason(tmp_path: Path) -> None:
    question = asked(tmp_path, 'right = "{threads} of them"\nwrong = [["none", "Each of {threads} stores."]]')
    assert isinstance(question.by, Choices)
    assert sorted(question.by.shown) == ["4 of them", "none"]
    assert question.judge("4 of them") == question.judge("4 of them").__class__(right=True, words="It is 4.")
    assert (question.judge("none").right, question.judge("none").words) == (False, "Each of 4 stores.")


@pytest.mark.parametrize(
    ("reply", "right", "words"),
    [("8", True, "It is 4."), ("8.0", True, "It is 4."), ("4", False, "Those are elements."), ("9", False, "large")],
)
def test_a_number_is_compared_with_the_run(tmp_path: Path, reply: str, right: bool, words: str) -> None:
    question = asked(tmp_path, 'number = "{reads:A}"\nwrong = [["{elements:A}", "Those are elements."]]')
    assert isinstance(question.by, Number)
    judged = question.judge(reply)
    assert judged.right is right
    assert words in judged.words


@pytest.mark.parametrize(("text", "value"), [("1,024", 1024), ("1 024", 1024), (" 75 % ", 75), ("1e3", 1000)])
def test_numbers_are_read_as_people_write_them(text: str, value: float) -> None:
    assert parse_reply(text) == value


@pytest.mark.parametrize("text", ["", "many", "nan", "inf", "0x10", "1/2"])
def test_what_is_no_number_is_no_answer(text: str) -> None:
    with pytest.raises(InputError, match="is not a number: write one, as in 12"):
        parse_reply(text)


def test_a_click_is_judged_by_what_the_thread_does(tmp_path: Path) -> None:
    question = asked(tmp_path, 'click.writes = "C[1][0]"')
    assert isinstance(question.by, Place)
    assert question.judge(Target("thread", lane=2)).right
    wrong = question.judge(Target("thread", lane=1))
    assert (wrong.right, wrong.words) == (False, "Thread (1,0) writes C[0][1] in this step.")
    assert question.judge(Target("element", array=0, index=0)).words == "Click a thread."
    assert question.judge(Target("thread", lane=99)).words.startswith("That thread is of another block")


def test_an_element_is_judged_by_who_accesses_it(tmp_path: Path) -> None:
    question = asked(tmp_path, "click.read_by = [1, 0]", SMALL.replace('at.does = "store"', 'at.line = "sum +="'))
    assert isinstance(question.by, Place)
    rights = {(target.array, target.index) for target in question.by.right}
    assert rights == {(0, 0), (1, 1)}  # A[0][0] and B[0][1]
    wrong = question.judge(Target("element", array=1, index=0))
    assert wrong.words == "B[0][0] is read by threads (0,0) and (0,1) in this step."
    assert question.judge(Target("element", array=0, index=3)).words == "No thread of the block reads it in this step."


@pytest.mark.parametrize(("text", "message"), CASES("a_question_that_cannot_be_judged"))
def test_a_question_that_cannot_be_judged_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        asked(tmp_path, text)


def test_a_number_that_the_run_does_not_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a number"):
        asked(tmp_path, 'number = "{shape:A}"')


@pytest.mark.parametrize("name", NAMES)
def test_every_lesson_asks_three_questions_with_one_right_answer(name: str) -> None:
    lesson = lesson_of(name)
    narrator = Narrator(lesson)
    questions = [(step, narrator.words(step).asked) for step in lesson.steps if step.ask is not None]
    assert len(questions) >= 3
    for step, question in questions:
        assert question is not None
        assert step.ask is not None
        match question.by:
            case Choices(right, wrong):
                assert len(wrong) == len(step.ask.wrong)
                assert question.judge(right).right
                assert all(not question.judge(text).right and question.judge(text).words for text in wrong)
            case Number(right, numbers):
                assert question.judge(repr(right)).right
                assert all(not question.judge(repr(value)).right for value, _ in numbers)
                assert len({value for value, _ in numbers}) == len(numbers)
            case Place(_, places, told):
                assert places
                assert set(told) - places, "anything is right"
