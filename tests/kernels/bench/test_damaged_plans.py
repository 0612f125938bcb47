"""Every field of a plan file with values of another type or range: each is refused in one line that names the field."""

from __future__ import annotations

import copy
import json
import math
from typing import TYPE_CHECKING, Any, Final

import pytest
from click.testing import CliRunner

from kernels.bench.plan import Plan
from kernels.bench.protocol import read_plan_file
from kernels.bench.sample import Entry, Point
from kernels.cli import main
from kernels.errors import InputError
from kernels.launch import Dim3
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Steps = tuple[str | int, ...]

VALID: Final = Plan(
    points=(
        Point(Entry("cpu_blas", threads=2), Size(2, 3, 4)),
        Point(Entry("own.cu", Dim3(16, 8), memory="pinned", cold=True, launch="--grid 2"), Size(1, 1, 1)),
    ),
    total_s=90.0,
    baselines=(Entry("cublas_sgemm", Dim3(4)),),
    graphs=False,
    texts={"own.cu": {"own.cu": "a text", "own.cuh": "another"}},
    shards=2,
    run="a run",
)
"""A plan that writes every field."""

STRANGE: Final[tuple[Any, ...]] = (
    *(None, True, False, "x", "", "12", [], ["x"], [[1]], [1, 2, 3, 4], {}, {"x": 1}),
    *(0.5, -1, -1.5, -(10**400), 10**400, math.nan, math.inf, -math.inf),
)

OPTIONAL: Final = frozenset(
    [
        *("total_s", "task", "every_element", "baselines", "graphs", "texts", "shards", "run"),
        *("memory", "cold", "launch", "own.cu", "own.cuh"),
    ]
)
"""Fields that older versions did not write, and free names."""

NULL: Final = frozenset(["total_s", "block"])


def fields(value: Any, path: Steps = ()) -> Iterator[Steps]:
    """Yield the path of every value in a value."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in inner:
        yield from fields(part, (*path, step))


def at(value: Any, path: Steps) -> Any:
    for step in path:
        value = value[step]
    return value


def changed(path: Steps, value: Any) -> Any:
    """Return the plan's JSON with another value in one place."""
    if not path:
        return value
    data = copy.deepcopy(VALID.to_json())
    at(data, path[:-1])[path[-1]] = value
    return data


def fits(value: Any, old: Any, path: Steps) -> bool:
    """Return whether a strange value is of the type and in the range of the valid one; no whole number of them is."""
    if value is None:
        return path[-1:] != () and path[-1] in NULL
    if type(value) is not type(old):
        return False
    if isinstance(value, float):
        return math.isfinite(value) and value > 0
    if isinstance(value, list):
        return not isinstance(old[0], int)
    return isinstance(value, str | dict | bool)


def damages(path: Steps) -> Iterator[tuple[str, Any]]:
    """Yield the plan's JSON with one place damaged, and what the damage is."""
    old = at(VALID.to_json(), path)
    for value in STRANGE:
        if not fits(value, old, path):
            yield repr(value)[:30], changed(path, value)
    if path and path[-1] not in OPTIONAL and not isinstance(old, dict):
        data = copy.deepcopy(VALID.to_json())
        del at(data, path[:-1])[path[-1]]
        yield "missing", data


def words(path: Steps) -> str:
    """Return the field as a message names it; a number of three by the field that holds them."""
    if path[-2:-1] in (("size",), ("block",)):
        path = path[:-1]
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".") or "the whole"


@pytest.mark.parametrize("path", list(fields(VALID.to_json())), ids=lambda path: ".".join(map(str, path)) or "all")
def test_a_damaged_field_is_refused_by_its_name(path: Steps, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    wrong, count = [], 0
    for damage, data in damages(path):
        file.write_text(json.dumps(data), encoding="utf-8")
        count += 1
        try:
            read_plan_file(file)
            wrong.append(f"{damage} is accepted")
        except InputError as error:
            text = str(error)
            named = text.startswith(f"{file}: this is not a plan: {words(path)} is ") and ": give " in text
            if not named or "\n" in text or len(text) > len(str(file)) + 300:
                wrong.append(f"{damage}: {text}")
        except Exception as error:
            wrong.append(f"{damage}: {type(error).__name__}: {error}")
    assert wrong == []
    assert count > 10


def test_the_valid_plan_is_read(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(VALID.to_json()), encoding="utf-8")
    assert read_plan_file(file) == VALID


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (json.dumps(changed(("points", 0, "size"), "512")), 'points[0].size is "512": give three whole numbers'),
        (json.dumps(changed(("points", 1, "cold"), "no")), 'points[1].cold is "no": give true or false'),
        (json.dumps(changed(("shards",), 2**62)), "the number of shards must be a whole number from 1 to 100,000"),
        (json.dumps(changed(("fill",), "much")), "fill: 'much' is not a fill: use zeros, ones"),
        ("[" * 100_000, "this is not a plan: its lists and objects are nested too deeply"),
        ('{"points": ' + "9" * 5000 + "}", "this is not a plan: it has a whole number of more than 4,300 digits"),
    ],
    ids=["size", "cold", "shards", "fill", "deep", "digits"],
)
def test_the_command_refuses_a_damaged_plan_with_status_2(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text(text, encoding="utf-8")
    done = CliRunner().invoke(main, ["bench", str(file), "--predict"])
    assert done.exit_code == 2
    assert done.stderr.startswith(f"tilescope: {file}: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_plan_on_standard_input_that_is_no_text_is_one_line() -> None:
    done = CliRunner().invoke(main, ["bench", "--plan", "-", "--predict"], input=b"\xff\xfe")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("tilescope: --plan: cannot be read: it is not UTF-8 text")
