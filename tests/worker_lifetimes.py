"""End a process that measures a plan while its worker is at a point, and see whether the worker ends, too."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from kernels.bench.protocol import plan_text
from kernels.child_process import WORKING_FOLDER

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.bench.plan import Plan

DEADLINE_S: Final = 60

SUPERVISE: Final = """
import sys
from kernels.bench.protocol import read_plan
from kernels.bench.hosts.supervise import supervise
for message in supervise(read_plan(sys.argv[1])):
    print(type(message).__name__, flush=True)
"""
WINDOW: Final = """
import sys
from PySide6.QtCore import QCoreApplication
from gui.shell.worker import Worker
from kernels.bench.protocol import parse_message, worker_command
app = QCoreApplication([])
worker = Worker()
worker.line_received.connect(lambda line: print(type(parse_message(line)).__name__, flush=True))
worker.process_ended.connect(lambda ended: sys.exit(f"the worker ended first: {ended}"))
worker.start(worker_command(), text=sys.argv[1])
app.exec()
"""

_OPEN_THE_PIPE: Final = """
import os
os.open(os.environ["TEST_PIPE"], os.O_WRONLY)  # every Python process started here holds it until it ends
"""


def worker_ends_with(parent: str, plan: Plan, how: signal.Signals, folder: Path) -> bool:
    """Send a signal to a parent process whose worker has begun a point; return whether the worker ends, too.

    Every Python process that is started holds the write end of one named pipe, so that the pipe is at its end when
    none of them is left.
    """
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    (folder / "sitecustomize.py").write_text(_OPEN_THE_PIPE, encoding="utf-8")
    search = os.pathsep.join([str(folder), str(WORKING_FOLDER)])
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with subprocess.Popen(
            [sys.executable, "-c", parent, plan_text(plan)],
            env={**os.environ, "PYTHONPATH": search, "TEST_PIPE": str(pipe)},
            cwd=WORKING_FOLDER,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            try:
                assert process.stdout is not None
                assert "Begin\n" in process.stdout, "the parent ended before a point began"
                process.send_signal(how)
                assert process.wait(DEADLINE_S) == -how
                return bool(select.select([end], [], [], DEADLINE_S)[0]) and not os.read(end, 1)
            finally:
                # What is left must not outlive the test, nor keep it waiting.
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
    finally:
        os.close(end)
