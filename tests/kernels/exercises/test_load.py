"""Mistakes in the file of an exercise: one line each, with the file, the field, and what would work."""

from pathlib import Path

import pytest

from kernels import RESOURCES
from kernels.errors import InputError
from kernels.exercises.load import read_exercise

_TEXT = (RESOURCES / "exercises" / "coalesce.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("order = 110", "", "coalesce.toml: 'order' is missing: give a whole number from 0 up"),
        ("order = 110", "order = 110\nlevel = 3", "coalesce.toml: unknown field 'level'"),
        ('answer_sets = ["grid"]', 'answer_sets = ["block"]', "'answer_sets' must be a list of words of grid"),
        ('kind  = "sectors"', 'kind  = "time"', "coalesce.toml: gate 2: 'kind' must be one of sectors, wavefronts"),
        ('array = "A"', 'array = "D"', "coalesce.toml: gate 2: 'array' must be one of A, B, C"),
        ("most  = 4.5", 'most  = "Q * 2"', "coalesce.toml: gate 2: 'most' has no value"),
        ('size  = "6"', 'size  = "6,6"', "coalesce.toml: case 1: 'size' is wrong: '6,6' is not a problem size"),
        ('kernel = "matmul_naive"', 'kernel = "matmul_nave"', "coalesce.toml: hint 3: 'kernel' is wrong: no kernel"),
        ('workload = "matmul"', 'workload = "knitting"', "coalesce.toml: 'given' cannot be launched"),
        ("[[hint]]", '[[hint]]\ntext = "More."\n\n[[hint]]', "coalesce.toml: 'hint' is there 4 times: give at most 3"),
        ("at_least = 1.5", "at_least = 0.5", "coalesce.toml: time: 'at_least' must be a number from 1 up"),
        ("at_least = 1.5", "faster = 1.5", "coalesce.toml: time: 'at_least' is missing"),
        ('size     = "2048"', 'size     = "0"', "coalesce.toml: time: 'size' is wrong"),
        ("title = ", "title = = ", "is not TOML"),
    ],
)
def test_a_mistake_is_one_clear_line(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in _TEXT
    file = tmp_path / "coalesce.toml"
    file.write_text(_TEXT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_exercise(file)
    assert told in str(error.value)
    assert "\n" not in str(error.value)
