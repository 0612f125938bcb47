"""Every exercise: the given text fails, the right answer passes, wrong ones are told what is wrong; its file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kernels import RESOURCES
from kernels.catalog import find_kernel
from kernels.errors import InputError
from kernels.exercises import exercises, find_exercise, judge, reference
from kernels.exercises.gates import registers
from kernels.exercises.load import read_exercise
from kernels.exercises.progress import Progress, read_progress, write_progress
from kernels.exercises.words import sentence, summary, verdict
from kernels.lessons.moments import find_frame
from kernels.occupancy.resources import can_compile
from kernels.tracing import trace_kernel
from tests.cases import Cases
from tests.kernels.exercises.answers import NAMES, solution, wrong_answers, wrong_count
from tests.kernels.golden.reports import differing_fields, of_judgement

CASES = Cases(__file__)

_QUICK = 1
"""Wrong answers to each exercise that the plain command judges."""

WRONG = [
    pytest.param(name, number, id=f"{name}-{number}", marks=[pytest.mark.exhaustive] if number > _QUICK else [])
    for name in NAMES
    for number in range(1, 1 + wrong_count(name))
]


def test_the_list_is_in_teaching_order_and_has_an_answer_to_each() -> None:
    assert sorted(exercise.id for exercise in exercises()) == NAMES
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


@pytest.mark.parametrize(("name", "number"), WRONG)
def test_a_wrong_answer_is_told_what_is_wrong(name: str, number: int) -> None:
    answer, exercise = wrong_answers(name)[number - 1], find_exercise(name)
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


_TEXT = (RESOURCES / "exercises" / "coalesce.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(("old", "new", "told"), CASES("a_mistake_is_one_clear_line"))
def test_a_mistake_is_one_clear_line(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in _TEXT
    file = tmp_path / "coalesce.toml"
    file.write_text(_TEXT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_exercise(file)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_a_text_that_passed_outlives_later_edits_and_the_program(tmp_path: Path) -> None:
    path = tmp_path / "new" / "exercises.json"
    assert read_progress(path) == Progress()
    progress = Progress().judged("guard", "first", passed=False).judged("guard", "righт", passed=True)
    progress = progress.judged("guard", "broken again", passed=False, words="0 of 4")
    write_progress(progress, path)
    found = read_progress(path)
    assert found == progress
    assert found.has_passed("guard")
    assert (found.attempts["guard"].text, found.attempts["guard"].answer) == ("broken again", "righт")
    assert found.attempts["guard"].words == "0 of 4"
    assert found.without("guard") == Progress()


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b"[]", b'{"format": 1}', b'{"format": 1, "exercises": {"a": 1}}']
)
def test_a_damaged_file_is_one_clear_line_and_stays(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "exercises.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match="rename it to begin again"):
        read_progress(path)
    assert path.read_bytes() == content


needs_nvrtc = pytest.mark.skipif(not can_compile(), reason="NVRTC is not installed")

_FOUR = (("RESULTS", "4"), ("TILE_WIDTH", "16"))


@needs_nvrtc
def test_the_right_answer_passes_the_gate_on_registers() -> None:
    judgement = judge(find_exercise("register_tile"), solution("register_tile"))
    assert judgement.passed
    assert judgement.gates[-1].gate.kind == "registers"
    assert judgement.gates[-1].passed is True


@needs_nvrtc
def test_a_text_that_may_read_a_file_is_not_compiled() -> None:
    text = solution("register_tile")
    assert registers(text, "register_tile", _FOUR) is not None
    for line in ('#include "/etc/hosts"', "#inc\\\nlude </etc/hosts>", "%:include </etc/hosts>", '#embed "/etc/hosts"'):
        assert registers(f"{line}\n{text}", "register_tile", _FOUR) is None
