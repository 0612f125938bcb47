"""`tilescope verify` as a user runs it, in the simulator and on the CPU.

Most checks run in the process of the test; the others in a worker, as for a user.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from kernels.bench.hosts import supervise
from kernels.bench.measure.worker import work
from kernels.bench.protocol import Measured
from kernels.catalog import find_kernel
from kernels.cli import main
from kernels.cpu.matmul import core_count
from tests.cases import Cases

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from click.testing import Result

    from kernels.bench.plan import Plan
    from kernels.bench.protocol import Message

CASES = Cases(__file__)


def verify(*words: str) -> Result:
    """Run the command; check in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(supervise, "supervise", work)
        return verify_in_worker(*words)


def verify_in_worker(*words: str) -> Result:
    return CliRunner().invoke(main, ["verify", "--in", "simulator", *words])


def a_kernel(folder: Path, old: str, new: str) -> str:
    """Write the naive kernel with one thing changed; return the path."""
    text = find_kernel("matmul_naive").text
    assert text.count(old) == 1
    file = folder / "mine.cu"
    file.write_text(text.replace(old, new), encoding="utf-8")
    return str(file)


def lines(done: Result, start: str) -> list[str]:
    return [line.strip() for line in done.stdout.splitlines() if line.strip().startswith(start)]


def test_a_line_a_point_and_then_the_sum() -> None:
    counts = sorted({1, core_count()})
    labels = [f"cpu_parallel {count} thread{'s' * (count > 1)}" for count in counts for _ in range(2)]
    threads = ",".join(map(str, counts))
    done = verify_in_worker(
        "matmul_tiled",
        "cpu_parallel",
        "--size",
        "7",
        "--size",
        "3,4,5",
        "--block",
        "4,4",
        "--threads",
        threads,
    )
    assert done.exit_code == 0, done.output
    assert [line.split("  ")[0] for line in lines(done, "cpu_parallel")] == labels
    assert all("equal" in line for line in lines(done, "cpu_parallel"))
    assert [line.split()[-1] for line in lines(done, "matmul_tiled")] == ["right"] * 2
    assert done.stdout.splitlines()[-1] == f"{2 + len(labels)} right, 0 wrong, 0 refused"


@pytest.mark.parametrize(("kernel", "size", "fill", "rows"), CASES("small_matrices_are_printed"))
def test_small_matrices_are_printed_as_in_the_documents(kernel: str, size: str, fill: str, rows: list[str]) -> None:
    done = verify(kernel, "--size", size, "--fill", fill, "--print")
    assert done.exit_code == 0, done.output
    printed = done.stdout.splitlines()
    assert [row for row in printed if row in rows] == rows
    assert "as printed" in lines(done, kernel)[-1]


def test_matrices_too_large_for_a_screen_are_not_printed() -> None:
    done = verify("matmul_naive", "--size", "17", "--print")
    assert "too large to print: choose a size up to 16" in done.stdout


def test_without_fused_operations_sums_in_order_are_equal_bit_for_bit() -> None:
    words = ("matmul_tiled", "--size", "33", "--block", "8,8")
    fused, plain = verify(*words), verify(*words, "--no-fmad")
    assert "differ" in lines(fused, "matmul_tiled")[0]
    assert "equal" in lines(plain, "matmul_tiled")[0]
    assert fused.exit_code == plain.exit_code == 0


def test_an_illegal_launch_is_listed_and_is_no_fault() -> None:
    done = verify("matmul_tiled", "--size", "4", "--size", "5", "--block", "4,4", "--block", "4,8")
    assert done.exit_code == 0, done.output
    (refused,) = lines(done, "refused")
    assert refused.startswith("refused: matmul_tiled 4×8 at every size: matmul_tiled cannot run with block 4×8")
    assert done.stdout.splitlines()[-1] == "2 right, 0 wrong, 2 refused"


def test_without_a_legal_launch_the_status_is_2() -> None:
    done = verify("matmul_tiled", "--size", "4", "--block", "4,8")
    assert done.exit_code == 2
    assert "none of this can be launched here" in done.stderr


@pytest.mark.parametrize(("old", "new", "words"), CASES("a_wrong_result_fails"))
def test_a_wrong_result_fails(tmp_path: Path, old: str, new: str, words: str) -> None:
    done = verify(a_kernel(tmp_path, old, new), "--size", "5", "--block", "4,4")
    assert done.exit_code == 1, done.output
    assert "WRONG" in lines(done, "mine")[0]
    assert words in done.stderr


def test_a_hazard_fails_even_if_the_result_is_right(tmp_path: Path) -> None:
    done = verify(a_kernel(tmp_path, "if (row < M && col < N) {", "if (row < M) {"), "--size", "5", "--block", "4,4")
    assert done.exit_code == 1, done.output
    assert "out-of-bounds" in done.stderr


def test_epsilon_can_fail_what_is_within_rounding() -> None:
    words = ("matmul_naive", "--size", "33", "--block", "8,8", "--fill", "iota", "--epsilon")
    assert verify(*words, "1e9").exit_code == 0
    done = verify(*words, "0.1")
    assert done.exit_code == 1
    assert "WRONG: beyond 0.1" in done.stdout


def test_json_is_one_object(tmp_path: Path) -> None:
    lesson = a_kernel(tmp_path, 'workload = "matmul"', 'workload = "matmul"\nflaw = "It is mine."')
    done = verify(
        "matmul_naive",
        "cublas_sgemm",
        lesson,
        "--size",
        "2",
        "--block",
        "2,2",
        "--fill",
        "A=iota;B=ones",
        "--json",
    )
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    right, refused = data["points"]
    assert (right["right"], right["fill"], right["checks"]["outputs"]) == (
        True,
        "A=iota;B=ones",
        {"C": [[1, 1], [5, 5]]},
    )
    assert (refused["right"], refused["outcome"], refused["checks"]) == (False, "refused", None)
    assert data["lessons"] == {"mine": "It is mine."}
    assert data["left_out"] == []


@pytest.mark.parametrize(("arguments", "words"), CASES("unusable_arguments_are_one_line", tuples=True))
def test_unusable_arguments_are_one_line_and_status_2(arguments: tuple[str, ...], words: str) -> None:
    done = verify(*arguments)
    assert done.exit_code == 2
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_an_interrupt_leaves_what_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = supervise.supervise

    def until_the_first_result(plan: Plan) -> Generator[Message]:
        for message in whole(plan):
            yield message
            if isinstance(message, Measured):
                raise KeyboardInterrupt

    monkeypatch.setattr(supervise, "supervise", until_the_first_result)
    done = verify_in_worker("matmul_naive", "--size", "3", "--size", "4", "--block", "2,2")
    assert done.exit_code == 130
    assert len(lines(done, "matmul_naive")) == 1
    assert "stopped: 1 of 2 points are checked" in done.stderr


@pytest.mark.parametrize(("named", "words"), CASES("of_lessons_there_is_nothing", tuples=True))
def test_of_lessons_there_is_nothing_to_check(named: tuple[str, ...], words: str) -> None:
    done = verify(*named)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("tilescope: nothing to check: ")
    assert words in done.stderr
    assert done.stderr.endswith("tilescope trace lesson_missing_guard\n")


def test_a_point_that_was_ended_for_its_time_is_not_finished_and_not_wrong() -> None:
    done = verify_in_worker("matmul_tiled", "--size", "512", "--block", "2,2", "--time-limit", "0.01")
    assert done.exit_code == 2
    (line,) = lines(done, "matmul_tiled 2×2")
    assert line.endswith("not finished")
    assert done.stdout.splitlines()[-1] == "0 right, 0 wrong, 0 refused, 1 not finished"


def test_no_point_begins_after_the_time_of_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The smallest come first, and what was not begun is named."""
    monkeypatch.setattr("kernels.bench.checking._BUDGET_S", 0.0)
    done = verify("matmul_tiled", "--block", "2,2", "--fill", "ones")
    assert done.exit_code == 0
    assert len(lines(done, "matmul_tiled 2×2")) == 1
    assert lines(done, "matmul_tiled 2×2")[0].split()[2] == "1"
    (rest,) = lines(done, "left out because they take long")
    assert all(f" {n}," in rest for n in (2, 7, 17, 33, 100, 4097))
