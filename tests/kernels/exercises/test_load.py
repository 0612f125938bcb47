"""Mistakes in the file of an exercise: one line each, with the file, the field, and what would work."""

from pathlib import Path

import pytest

from kernels import RESOURCES
from kernels.errors import InputError
from kernels.exercises.load import read_exercise
from tests.cases import Cases

CASES = Cases(__file__)

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
