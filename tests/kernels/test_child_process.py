"""Child processes and their ends, and work that is cancelled at the next checkpoint."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from itertools import product
from typing import TYPE_CHECKING

import pytest

from kernels.bench.plan import Plan
from kernels.bench.sample import Entry, Point
from kernels.cancellation import CHECK_EVERY, Cancelled, cancellable, checkpoint
from kernels.child_process import PARENT_ENDED, WORKING_FOLDER, child_command, input_text
from kernels.errors import TilescopeError
from kernels.frontend import parse
from kernels.launch import Dim3
from kernels.workload import Size
from tests.sweeps import in_turn
from tests.worker_lifetimes import DEADLINE_S, SUPERVISE, WINDOW, worker_ends_with

if TYPE_CHECKING:
    from collections.abc import Callable
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


BODY = "__global__ void k(float *a) { a[0] = 1; }\n"


def checkpoints() -> None:
    """Pass as many checkpoints as lie between two questions."""
    for _ in range(CHECK_EVERY):
        checkpoint()


def after(count: int) -> Callable[[], bool]:
    """Return a function that says no so many times, then yes."""
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > count

    return cancelled


def test_without_anybody_to_ask_work_goes_on() -> None:
    checkpoints()
    with cancellable(None):
        checkpoints()


def test_outer_and_inner_work_can_both_be_cancelled() -> None:
    for outer, inner in ((True, False), (False, True)):
        with cancellable(lambda: outer), cancellable(lambda: inner), pytest.raises(Cancelled):  # noqa: B023
            checkpoints()
        with cancellable(lambda: outer), cancellable(None):  # noqa: B023
            if outer:
                with pytest.raises(Cancelled):
                    checkpoints()
    checkpoints()


def test_other_threads_are_not_cancelled() -> None:
    went_on = []

    def work() -> None:
        checkpoints()
        went_on.append(True)

    with cancellable(lambda: True):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert went_on == [True]


def test_it_is_no_error_that_anything_recovers_from() -> None:
    assert not issubclass(Cancelled, TilescopeError)


@pytest.mark.parametrize(
    "text",
    [
        "\n" * 1000 + BODY,
        "#define A 1\n" + f"int x[] = {{ {'A, ' * 1000} }};\n" + BODY,
        "__device__ void f() { }\n" * 500 + BODY,
        f"__global__ void k(int *a) {{ {'a[0] = 1; ' * 1000} }}",
        "template <int N, int M> struct F { static const int v = F<N - 1, 2 * M>::v + F<N - 1, 2 * M + 1>::v; };\n"
        "template <int M> struct F<0, M> { static const int v = 1; };\n"
        "__global__ void k(int *a) { a[0] = F<9, 0>::v; }",
        "constexpr int f(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i; return s; }\n"
        "__global__ void k(int *a) { int b[f(1000)]; }",
    ],
    ids=["lines", "macros", "declarations", "statements", "instances", "constexpr"],
)
def test_reading_ends_wherever_it_is_cancelled(text: str) -> None:
    asked = 0

    def count() -> bool:
        nonlocal asked
        asked += 1
        return False

    with cancellable(count):
        parse(text, "k.cu")
    assert asked > 20
    for at in range(0, asked, asked // 5):
        with cancellable(after(at)), pytest.raises(Cancelled):
            parse(text, "k.cu")
