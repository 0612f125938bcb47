"""The gate on real time of exercises: the right answer passes it, the given source against itself does not."""

from __future__ import annotations

import pytest

from kernels.exercises import exercises, find_exercise
from kernels.exercises.real_time import time_on_gpu
from kernels.exercises.words import time_words
from tests.kernels.exercises.answers import solution

TIMED = [exercise.id for exercise in exercises() if exercise.time is not None]


@pytest.mark.parametrize("name", TIMED)
def test_the_right_answer_is_as_fast_as_asked(name: str) -> None:
    result = time_on_gpu(find_exercise(name), solution(name))
    assert result.outcome == "faster", time_words(result)
    assert result.passed, time_words(result)


@pytest.mark.parametrize("name", TIMED)
def test_the_given_source_is_not_faster_than_itself(name: str) -> None:
    exercise = find_exercise(name)
    result = time_on_gpu(exercise, exercise.text)
    assert result.outcome in ("faster", "slower", "no change"), time_words(result)
    assert result.speed_up is not None
    assert result.speed_up.middle == pytest.approx(1, abs=0.1)
    assert result.passed is False
