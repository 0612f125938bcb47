"""Every exercise: the given text fails, the right answer passes, and wrong answers are told what is wrong."""

import re
from pathlib import Path

import pytest

from kernels.catalog import find_kernel
from kernels.exercises import exercises, find_exercise, judge, reference
from kernels.exercises.words import sentence, summary, verdict
from kernels.lessons.moments import find_frame
from kernels.tracing import trace_kernel
from tests.kernels.exercises.answers import WrongAnswer, solution, wrong_answers
from tests.kernels.golden.reports import differing_fields, of_judgement

NAMES = [exercise.id for exercise in exercises()]
_QUICK = 1
"""Wrong answers to each exercise that the plain command judges."""

WRONG = [
    pytest.param(
        answer,
        id=f"{name}-{answer.number}",
        marks=[pytest.mark.exhaustive] if answer.number > _QUICK else [],
    )
    for name in NAMES
    for answer in wrong_answers(name)
]


def test_the_list_is_in_teaching_order_and_has_an_answer_to_each() -> None:
    orders = [exercise.order for exercise in exercises()]
    assert orders == sorted(set(orders))
    folder = Path(__file__).parent
    assert sorted(file.stem for file in (folder / "solutions").iterdir()) == sorted(NAMES)
    assert sorted(file.stem for file in (folder / "wrong").iterdir()) == sorted(NAMES)
    assert all(len(wrong_answers(name)) >= 3 for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_given_text_fails_and_the_right_answer_passes(name: str) -> None:
    exercise = find_exercise(name)
    given = judge(exercise, exercise.text)
    assert not given.passed
    assert summary(given)
    assert len(sentence(exercise, given.findings[0])) > 40
    assert reference(given.findings[0]) is not None
    assert differing_fields("exercise", f"{name}:given", of_judgement(given, exercise.text)) == []
    right = judge(exercise, solution(name))
    assert right.passed, summary(right)
    assert not right.findings
    assert summary(right).startswith("Passed: ")
    assert differing_fields("exercise", f"{name}:right", of_judgement(right, solution(name))) == []


@pytest.mark.parametrize("answer", WRONG)
def test_a_wrong_answer_is_told_what_is_wrong(answer: WrongAnswer) -> None:
    exercise = find_exercise(answer.exercise)
    judgement = judge(exercise, answer.text)
    assert not judgement.passed
    told = sentence(exercise, judgement.findings[0])
    assert told not in verdict(judgement)
    assert verdict(judgement) not in told
    assert answer.told
    assert answer.told in told
    assert re.search(r"[.!?]$", told)
    name = f"{answer.exercise}:{answer.number}"
    assert differing_fields("exercise", name, of_judgement(judgement, answer.text)) == []


@pytest.mark.parametrize("name", NAMES)
def test_hints_end_with_a_picture_of_a_kernel_that_is_not_the_answer(name: str) -> None:
    exercise = find_exercise(name)
    assert 2 <= len(exercise.hints) <= 3
    picture = exercise.hints[-1].picture
    assert picture is not None
    kernel = find_kernel(picture.kernel)
    trace = trace_kernel(kernel, picture.size, picture.block)
    assert find_frame(trace, picture.at, kernel.workload).step >= 0


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_begins_below_the_head_of_the_file(name: str) -> None:
    exercise = find_exercise(name)
    before, begin, _ = exercise.text.partition(exercise.begin)
    assert begin
    assert "__global__" in before
