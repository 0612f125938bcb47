"""Worker processes and worker threads end in a result or in one line."""

import sys
from collections.abc import Callable

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.shell.jobs import JobRunner
from gui.shell.worker import ProcessOutcome, Query, Worker
from kernels.child_process import child_command

TIMEOUT_MS = 20_000


ENDLESS = "print('here', flush=True)\nwhile True: pass"


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def outcome(
    qtbot: QtBot, command: list[str], text: str = "", timeout_s: float = 30
) -> tuple[list[str], ProcessOutcome]:
    worker = Worker()
    lines: list[str] = []
    worker.line_received.connect(lines.append)
    with qtbot.waitSignal(worker.process_ended, timeout=TIMEOUT_MS) as ended:
        worker.start(command, text=text, timeout_s=timeout_s)
    return lines, ended.args[0]


@pytest.mark.parametrize(
    ("code", "lines", "how", "status", "words"),
    [
        ("print(1); print(2)", ["1", "2"], "finished", 0, ""),
        ("print('no line break', end='')", ["no line break"], "finished", 0, ""),
        ("import sys; sys.exit('why')", [], "finished", 1, "why"),
        ("1/0", [], "finished", 1, "ZeroDivisionError: division by zero"),
        ("import sys; sys.stdout.buffer.write(bytes([255, 10]))", ["\ufffd"], "finished", 0, ""),
        ("print(input())", ["plan"], "finished", 0, ""),
    ],
)
def test_output_and_exit_status_of_a_process(
    qtbot: QtBot, code: str, lines: list[str], how: str, status: int, words: str
) -> None:
    assert outcome(qtbot, python(code), text="plan") == (lines, ProcessOutcome(how, status, words))  # type: ignore[arg-type]


def test_crashes_endless_and_absent_programs_are_told(qtbot: QtBot) -> None:
    lines, ended = outcome(qtbot, python("import os; print('first', flush=True); os.abort()"))
    assert lines == ["first"]
    assert ended.how == "crashed"
    # An endless process is ended when its time is over.
    _, ended = outcome(qtbot, python("while True: pass"), timeout_s=0.2)
    assert ended.how == "timed_out"
    # A program that does not exist is told.
    lines, ended = outcome(qtbot, ["there-is-no-such-program"])
    assert (lines, ended.how) == ([], "could_not_start")
    # It runs the very tilescope that runs here.
    lines, ended = outcome(qtbot, child_command("--version"))
    assert ended.ok
    assert lines[0].startswith("tilescope")


def test_stop_ends_an_endless_process_and_another_can_be_started(qtbot: QtBot) -> None:
    worker = Worker()
    with qtbot.waitSignal(worker.line_received, timeout=TIMEOUT_MS):
        worker.start(python(ENDLESS))
    with qtbot.waitSignal(worker.process_ended, timeout=TIMEOUT_MS) as ended:
        worker.stop()
    assert ended.args[0].how == "stopped"
    with qtbot.waitSignal(worker.process_ended, timeout=TIMEOUT_MS) as ended:
        worker.start(python("pass"))
    assert ended.args[0].ok


def test_close_ends_the_process_and_says_nothing(qtbot: QtBot) -> None:
    worker = Worker()
    with qtbot.waitSignal(worker.line_received, timeout=TIMEOUT_MS):
        worker.start(python(ENDLESS))
    with qtbot.assertNotEmitted(worker.process_ended):
        worker.close()
    assert not worker.running


def test_a_query_answers_with_the_whole_value(qtbot: QtBot) -> None:
    query = Query()
    with qtbot.waitSignal(query.answer_received, timeout=TIMEOUT_MS) as answer:
        query.ask("devices", "--json")
    assert answer.args[0]["devices"]


def test_a_query_that_is_refused_says_why(qtbot: QtBot) -> None:
    query = Query()
    with qtbot.waitSignal(query.query_failed, timeout=TIMEOUT_MS) as failed:
        query.ask("occupancy", "no_such_kernel", "--device", "T4", "--json")
    assert "no_such_kernel" in failed.args[0]


def test_of_two_questions_only_the_last_is_answered(qtbot: QtBot) -> None:
    query = Query()
    answers: list[object] = []
    query.answer_received.connect(answers.append)
    query.query_failed.connect(answers.append)
    with qtbot.waitSignal(query.answer_received, timeout=TIMEOUT_MS):
        query.ask("no-such-command")
        query.ask("devices", "--json")
    assert len(answers) == 1


def test_too_little_memory_is_one_line_that_says_what_would_work(qtbot: QtBot) -> None:
    def work(cancelled: Callable[[], bool]) -> object:
        return np.zeros(1 << 60, np.uint8)

    background = JobRunner()
    with qtbot.waitSignal(background.failed) as failed:
        background.start(work)
    background.close()
    assert str(failed.args[0]) == "This machine does not have enough memory for that: choose a smaller size"
