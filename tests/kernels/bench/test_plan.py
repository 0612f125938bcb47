"""Plans: sizes, shared problems, predicted times, and fields of another type or range."""

from __future__ import annotations

import copy
import json
import math
import weakref
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import pytest
from click.testing import CliRunner

from kernels.bench.measure.problems import Problems
from kernels.bench.plan import Plan, all_entries, entries, points, remaining
from kernels.bench.prediction import START_S, Predictor, predict
from kernels.bench.protocol import read_plan_file
from kernels.bench.sample import MEMORIES, Entry, Point, Sample
from kernels.bench.sizes import SizeRule, coarse_to_fine, sizes_of
from kernels.bench.time_left import TimeLeft
from kernels.catalog import find_kernel
from kernels.cli import main
from kernels.errors import InputError
from kernels.fill import Fills
from kernels.launch import Dim3
from kernels.workload import WORKLOADS, Size
from tests.cases import Cases

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kernels.gpu.memory import Memory
    from kernels.workload import Workload

CASES = Cases(__file__)

ENTRIES = (Entry("matmul_tiled", Dim3(16, 16)), Entry("cpu_parallel", threads=4), Entry("cublas_sgemm"))
SIZES = (Size(2, 2, 2), Size(3, 4, 5))


def test_points_go_by_size_first_and_each_is_there_once() -> None:
    found = points((*ENTRIES, ENTRIES[0]), (*SIZES, SIZES[0]))
    assert found == tuple(Point(entry, size) for size in SIZES for entry in ENTRIES)


def test_a_plan_survives_json() -> None:
    plan = Plan(points(ENTRIES, SIZES), 0.5, 3, 7.0, Fills.parse("A=mod(3);B=mod(4)"), fmad=False)
    plan = replace(plan, every_element=True, total_s=90.0)
    assert Plan.from_json(json.loads(json.dumps(plan.to_json()))) == plan


@pytest.mark.parametrize("data", [{}, {"points": 3}, [], {"points": [{"kernel": "a"}]}])
def test_invalid_plans_are_refused(data: object) -> None:
    with pytest.raises(InputError, match="not a plan"):
        Plan.from_json(data)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"budget_s": 0.0}, "give a"),
        ({"time_limit_s": float("nan")}, "give a"),
        ({"total_s": 0.0}, "time limit of the plan is 0 s: give a"),
        ({"min_samples": 0}, "must be a whole number from 1 up"),
    ],
)
def test_a_plan_without_time_is_refused(changes: dict[str, float], words: str) -> None:
    with pytest.raises(InputError, match=words):
        replace(Plan(()), **changes)  # type: ignore[arg-type]


def test_the_remaining_plan_keeps_order_and_settings() -> None:
    plan = Plan(points(ENTRIES, SIZES), budget_s=0.25)
    left = remaining(plan, {plan.points[1], plan.points[3]})
    assert left == replace(plan, points=tuple(plan.points[i] for i in (0, 2, 4, 5)))


def test_a_kernel_brings_the_blocks_that_it_declares() -> None:
    kernel = find_kernel("matmul_tiled")
    assert [entry.block for entry in entries(kernel)] == list(kernel.blocks)
    assert entries(kernel, [Dim3(4, 4)], [9]) == (Entry("matmul_tiled", Dim3(4, 4)),)


@pytest.mark.parametrize(("kernel", "labels"), CASES("labels_name_what_was_chosen"))
def test_labels_name_what_was_chosen(kernel: str, labels: list[str]) -> None:
    assert [entry.label for entry in entries(find_kernel(kernel), [Dim3(2, 3)], [1, 8])] == labels


def test_a_kernel_without_arithmetic_has_no_rate() -> None:
    with pytest.raises(InputError, match=r"hello_grid does no arithmetic.*matmul_tiled"):
        entries(find_kernel("hello_grid"))


def test_a_lesson_is_not_measured() -> None:
    lesson = replace(find_kernel("matmul_tiled"), flaw="The last tile is lost.")
    with pytest.raises(InputError, match=r"is a lesson: it is wrong on purpose: The last tile is lost\."):
        entries(lesson)
    assert [entry.block for entry in all_entries(lesson)] == list(lesson.blocks)


@pytest.mark.parametrize(("kernel", "memories", "labels"), CASES("labels_say_where_the_arrays_live"))
def test_labels_say_where_the_arrays_live(kernel: str, memories: list[Memory], labels: list[str]) -> None:
    found = entries(find_kernel(kernel), [Dim3(2, 3)], memories=memories)
    assert [entry.label for entry in found] == labels


def test_a_kernel_of_managed_memory_stays_there() -> None:
    kernel = replace(find_kernel("matmul_naive"), memory="managed")
    assert {entry.memory for memory in MEMORIES for entry in entries(kernel, memories=[memory])} == {"managed"}


def test_a_file_of_ones_own_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = find_kernel("matmul_naive").text
    (tmp_path / "mine.cu").write_text(source, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (entry,) = entries(find_kernel("mine.cu"), [Dim3(2, 3)])
    assert entry.kernel == str((tmp_path / "mine.cu").resolve())
    assert entry.label == "mine 2×3"
    assert find_kernel(entry.kernel).text == source


@pytest.mark.parametrize(("rule", "first", "last", "numbers"), CASES("numbers_of_a_rule"))
def test_numbers_of_a_rule(rule: SizeRule, first: int, last: int, numbers: list[int]) -> None:
    assert sizes_of(rule, first, last, 100) == tuple(Size(n, n, n) for n in numbers)


@pytest.mark.parametrize("count", [*range(12), 31, 32, 33, 200])
def test_an_order_has_every_size_once_and_spans_the_range_early(count: int) -> None:
    sizes = sizes_of("steps", 1, count)
    order = coarse_to_fine([*sizes, *sizes])
    assert sorted(size.n for size in order) == list(range(1, count + 1))
    if count > 5:
        early = sorted(size.n for size in order[: 2 + count // 4])
        assert (early[0], early[-1]) == (1, count)
        assert max(b - a for a, b in pairwise(early)) <= count / 2 + 1


def test_nine_sizes_start_with_ends_middle_and_quarters() -> None:
    assert [size.n for size in coarse_to_fine(sizes_of("steps", 1, 9))] == [1, 9, 5, 3, 7, 2, 4, 6, 8]


def test_a_few_sizes_keep_their_order() -> None:
    sizes = sizes_of("doubling", 64, 1024)
    assert coarse_to_fine(sizes) == sizes


SEQUENTIAL = Entry("cpu_sequential")


def _point(n: int) -> Point:
    return Point(SEQUENTIAL, Size(n, n, n))


def _sample(n: int, time_ms: float, duration_s: float = 0.0) -> Sample:
    return Sample(_point(n), "measured", (time_ms,), 1, 2 * n**3, duration_s=duration_s)


def test_a_point_that_was_measured_takes_as_long_again() -> None:
    plan = Plan((_point(64), _point(128)))
    found = predict(plan, [_sample(64, 0.1, 9.0), _sample(64, 0.1, 2.0), _sample(128, 1.0, 3.0)])
    assert found.seconds == pytest.approx(START_S + 5.0)
    assert (found.known_points, found.point_count) == (2, 2)


def test_another_size_is_scaled_by_its_operations() -> None:
    plan = Plan((_point(1024),), budget_s=0.1, time_limit_s=1e6)
    slow, fast = (predict(plan, [_sample(512, time_ms)]).seconds for time_ms in (8000.0, 1000.0))
    assert slow - fast == pytest.approx(8 * 2 * 7.0)  # the verified launch and a timed one, eight times the operations
    assert predict(plan, [_sample(512, 8000.0)]).known_points == 0


def test_without_samples_more_operations_take_longer() -> None:
    small, large = (predict(Plan((_point(n),), time_limit_s=1e6)).seconds for n in (64, 4096))
    assert START_S + 1.0 < small < START_S + 2.0  # the budget of a point
    assert large > 50 * small


def test_limits_bound_the_prediction() -> None:
    plan = Plan(tuple(map(_point, range(4096, 4106))), time_limit_s=3.0)
    assert predict(plan).seconds == pytest.approx(START_S + 30.0)
    assert predict(replace(plan, total_s=10.0)).seconds == pytest.approx(START_S + 10.0)


def test_a_comparison_takes_twice_as_long() -> None:
    plan = Plan((_point(64),), budget_s=2.0)
    compared = replace(plan, baselines=(Entry("cpu_blas", threads=1),))
    assert predict(compared).seconds - predict(plan).seconds == pytest.approx(2.0, abs=0.1)


PLAN = Plan(tuple(Point(Entry("cpu_sequential"), Size(n, n, n)) for n in (64, 2048, 1024, 256)))


def test_a_slow_machine_scales_what_is_left() -> None:
    left, expected = TimeLeft(PLAN), Predictor(PLAN).seconds
    small, large, middle, last = PLAN.points
    assert left.seconds == pytest.approx(START_S + sum(map(expected, PLAN.points)))
    left.add(small, 3 * expected(small))
    assert left.seconds == pytest.approx(3 * sum(map(expected, (large, middle, last))))
    for point in (large, middle, last):
        left.add(point, 3 * expected(point))
    assert left.seconds == pytest.approx(0.0, abs=1e-6)


def test_a_limit_for_all_points_bounds_it() -> None:
    left = TimeLeft(replace(PLAN, total_s=5.0))
    left.add(PLAN.points[0], 2.0)
    assert left.seconds <= 3.0


def test_of_many_points_some_stand_for_all() -> None:
    many = Plan(tuple(Point(Entry("cpu_sequential", threads=k), Size(256, 256, 256)) for k in range(10_000)))
    assert TimeLeft(many).seconds == pytest.approx(START_S + 10_000 * Predictor(many).seconds(many.points[0]))


def test_a_problem_is_prepared_once_and_freed_before_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    problems, plan, size = Problems(), Plan(()), Size(4, 5, 6)
    first = problems.of(WORKLOADS["matmul"], size, plan)
    assert problems.of(WORKLOADS["matmul"], size, plan) is first
    held, alive = weakref.ref(first.inputs["A"]), []
    right = type(WORKLOADS["matmul"]).inputs

    def inputs(self: Workload, *wanted: object) -> object:
        alive.append(held() is not None)
        return right(self, *wanted)  # type: ignore[arg-type]

    monkeypatch.setattr(type(WORKLOADS["matmul"]), "inputs", inputs)
    del first
    other = problems.of(WORKLOADS["matmul"], Size(4, 5, 7), plan)
    assert alive == [False]
    assert other.inputs["A"].shape == (4, 7)
    assert problems.of(WORKLOADS["matmul"], Size(4, 5, 7), replace(plan, every_element=True)) is not other


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
