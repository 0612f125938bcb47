"""Questions of lessons: what is right follows from the run, and every wrong answer has its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.errors import InputError
from kernels.lessons import Asked, Choices, Narrator, Number, Place, Target, lessons
from kernels.lessons.questions import parse_reply
from tests.cases import Cases
from tests.kernels.lessons.test_lessons import SMALL, read

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.lessons import Lesson

CASES = Cases(__file__)


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


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.id)
def test_every_lesson_asks_three_questions_with_one_right_answer(lesson: Lesson) -> None:
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
