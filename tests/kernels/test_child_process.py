"""Child processes end with the process that started them, whatever they are doing and however that one ends."""

from __future__ import annotations

import signal
import subprocess
import sys
from itertools import product
from typing import TYPE_CHECKING

import pytest

from kernels.bench.plan import Plan
from kernels.bench.sample import Entry, Point
from kernels.child_process import PARENT_ENDED, WORKING_FOLDER, child_command, input_text
from kernels.launch import Dim3
from kernels.workload import Size
from tests.sweeps import in_turn
from tests.worker_lifetimes import DEADLINE_S, SUPERVISE, WINDOW, worker_ends_with

if TYPE_CHECKING:
    from pathlib import Path

POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes and signals")

HOURS = 1e6
ON_THE_CPU = Plan((Point(Entry("cpu_sequential"), Size(6000, 6000, 3000)),), time_limit_s=HOURS)
SIMULATED = Plan(
    (Point(Entry("matmul_naive", Dim3(16, 16)), Size(4000, 4000, 4000)),), time_limit_s=HOURS, task="simulate"
)


PLANS = {"cpu": ON_THE_CPU, "simulated": SIMULATED}
PARENTS = {"supervise": SUPERVISE, "window": WINDOW}


@POSIX_ONLY
@pytest.mark.parametrize(
    ("how", "parent", "plan"),
    in_turn(product(["SIGTERM", "SIGHUP", "SIGKILL"], PARENTS), list(PLANS), "-".join),
)
def test_a_worker_in_a_call_that_never_ends_ends_with_its_parent(
    tmp_path: Path, plan: str, parent: str, how: str
) -> None:
    assert worker_ends_with(PARENTS[parent], PLANS[plan], signal.Signals[how], tmp_path)


@pytest.mark.parametrize("arguments", [("bench", "--worker", "--plan", "-"), ("devices", "--json")])
def test_without_a_parent_nothing_is_begun(arguments: tuple[str, ...]) -> None:
    done = subprocess.run(
        child_command(*arguments),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        cwd=WORKING_FOLDER,
        timeout=DEADLINE_S,
        check=False,
    )
    assert (done.returncode, done.stdout) == (PARENT_ENDED, b"")


def test_no_sibling_holds_the_pipe_of_a_child() -> None:
    command = [
        sys.executable,
        "-c",
        "from kernels.child_process import end_with_parent; end_with_parent(); print('ready', flush=True)\n"
        "while True: pass",
    ]
    with (
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=WORKING_FOLDER) as first,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=WORKING_FOLDER) as second,
    ):
        for process in (first, second):
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(input_text().encode())
            process.stdin.flush()
            assert process.stdout.readline().strip() == b"ready"
        assert first.stdin is not None
        first.stdin.close()
        try:
            assert first.wait(DEADLINE_S) == PARENT_ENDED
            assert second.poll() is None
        finally:
            first.kill()
            second.kill()


def test_the_input_of_a_child_is_the_one_line_and_file_0_is_empty() -> None:
    code = (
        "import os, sys; from kernels.child_process import end_with_parent; end_with_parent()\n"
        "print(ascii(sys.stdin.read()), os.read(0, 9))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=WORKING_FOLDER
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(input_text("größe").encode())
        process.stdin.flush()
        assert process.stdout.readline().split() == [rb"'gr\xf6\xdfe\n'", b"b''"]
        assert process.wait(DEADLINE_S) == 0  # while the pipe is open: a finished child does not wait for it


def test_an_input_of_several_lines_is_refused() -> None:
    with pytest.raises(ValueError, match="one line"):
        input_text("two\nlines")
