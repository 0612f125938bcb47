"""Child processes that run tilescope's own commands.

Everything that touches a CUDA context, or may take long, runs in such a process: if it crashes,
the window survives.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

from kernels.child_process import ENVIRONMENT, WORKING_FOLDER, child_command, input_text
from kernels.device import Device

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

How = Literal["finished", "stopped", "crashed", "timed_out", "could_not_start"]

_KILL_WAIT_MS: Final = 5000
_LONGEST_LINE_BYTES: Final = 1 << 26
_KEPT_COMPLAINT_BYTES: Final = 8192


@dataclass(frozen=True, slots=True)
class ProcessOutcome:
    """Outcome of a process."""

    how: How
    """`finished` by itself, `stopped` by the user, `crashed`, `timed_out`, or `could_not_start`."""
    status: int = 0
    """Exit status; after a crash the signal as a negative number, or Windows' code."""
    words: str = ""
    """Last line that the process wrote to standard error, or why it could not be started."""

    @property
    def ok(self) -> bool:
        """True if it finished and reported success."""
        return self.how == "finished" and self.status == 0

    def __str__(self) -> str:
        tail = f": {self.words}" if self.words else ""
        match self.how:
            case "finished":
                return f"finished with status {self.status}{tail}" if self.status else "finished"
            case "crashed":
                return f"the process crashed ({self.status}){tail}"
            case "timed_out":
                return "the process took too long and was stopped"
            case "could_not_start":
                return f"the process could not be started{tail}"
            case "stopped":
                return "stopped"


class Worker(QObject):
    """One child process at a time; it can be started again after `process_ended`.

    Signals
    -------
    line_received(str)
        One line of standard output.
    process_ended(ProcessOutcome)
        Sent once for every start, after the last line; never sent by `close`.
    """

    line_received = Signal(str)
    process_ended = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._how: How | None = None
        self._rest = b""
        self._complaint = b""
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._out_of_time)
        self._process = QProcess(self)
        self._process.setWorkingDirectory(str(WORKING_FOLDER))
        environment = QProcessEnvironment.systemEnvironment()
        for name, value in {**ENVIRONMENT, "PYTHONUNBUFFERED": "1"}.items():
            environment.insert(name, value)
        self._process.setProcessEnvironment(environment)
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.readyReadStandardError.connect(self._read_complaint)
        self._process.finished.connect(self._finished)
        self._process.errorOccurred.connect(self._failed)

    @property
    def running(self) -> bool:
        """True while a process runs."""
        return self._process.state() != QProcess.ProcessState.NotRunning

    def start(self, command: Sequence[str], *, text: str = "", timeout_s: float | None = None) -> None:
        """Start a command and write one line to its standard input, which stays open.

        Parameters
        ----------
        command : sequence of str
            Program and arguments, such as `child_command` returns.
        text : str
            The line, without its line break.
        timeout_s : float, optional
            Seconds after which the process is killed, unless `allow` gives more.
        """
        if self.running:
            raise RuntimeError("the worker is running already")
        self._how, self._rest, self._complaint = None, b"", b""
        if timeout_s is not None:
            self.allow(timeout_s)
        self._process.start(command[0], list(command[1:]))
        if self.running:
            self._process.write(input_text(text).encode())

    def allow(self, seconds: float) -> None:
        """Kill the process that many seconds from now, unless this is called again."""
        self._timer.start(int(seconds * 1000))

    def stop(self) -> None:
        """Kill the process at once; `process_ended` follows."""
        if self.running:
            self._how = "stopped"
            self._process.kill()

    def close(self) -> None:
        """Kill the process and wait for it, without a signal."""
        self._timer.stop()
        self.blockSignals(True)
        if self.running:
            self._process.kill()
            self._process.waitForFinished(_KILL_WAIT_MS)
        self.blockSignals(False)

    def _out_of_time(self) -> None:
        self._how = "timed_out"
        self._process.kill()

    def _read(self) -> None:
        self._rest += bytes(self._process.readAllStandardOutput().data())
        *lines, self._rest = self._rest.split(b"\n")
        for line in lines:
            self.line_received.emit(line.decode("utf-8", "replace").rstrip("\r"))
        if len(self._rest) > _LONGEST_LINE_BYTES:
            self._rest = b""  # longer than any answer of a command

    def _read_complaint(self) -> None:
        new = bytes(self._process.readAllStandardError().data())
        self._complaint = (self._complaint + new)[-_KEPT_COMPLAINT_BYTES:]

    def _finished(self, status: int, how: QProcess.ExitStatus) -> None:
        self._timer.stop()
        self._read_complaint()
        self._read()
        if self._rest:
            self.line_received.emit(self._rest.decode("utf-8", "replace"))
        crashed = how == QProcess.ExitStatus.CrashExit
        if crashed and sys.platform != "win32":
            status = -status
        words = self._complaint.decode("utf-8", "replace").strip().splitlines()[-1:]
        last = "".join(words).removeprefix("tilescope: ")
        self.process_ended.emit(ProcessOutcome(self._how or ("crashed" if crashed else "finished"), status, last))

    def _failed(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._timer.stop()
            self.process_ended.emit(ProcessOutcome("could_not_start", words=self._process.errorString()))


class Query(QObject):
    """A command that answers with one JSON value, such as `devices --json`.

    Signals
    -------
    answer_received(object)
        The value.
    query_failed(str)
        One line why there is none.
    """

    answer_received = Signal(object)
    query_failed = Signal(str)

    def __init__(self, parent: QObject | None = None, *, timeout_s: float = 60.0) -> None:
        super().__init__(parent)
        self._timeout_s = timeout_s
        self._lines: list[str] = []
        self._waiting: tuple[str, ...] | None = None
        self._worker = Worker(self)
        self._worker.line_received.connect(self._lines.append)
        self._worker.process_ended.connect(self._finish)

    def ask(self, *arguments: str) -> None:
        """Run `tilescope ARGUMENTS`. Of several queries only the last is answered."""
        self._waiting = arguments
        if self._worker.running:
            self._worker.stop()
        else:
            self._start()

    def close(self) -> None:
        """Cancel a pending query and its process."""
        self._waiting = None
        self._worker.close()

    def _start(self) -> None:
        if self._waiting is not None:
            arguments, self._waiting = self._waiting, None
            self._lines.clear()
            self._worker.start(child_command(*arguments), timeout_s=self._timeout_s)

    def _finish(self, outcome: ProcessOutcome) -> None:
        if self._waiting is not None:
            self._start()
            return
        try:
            value = json.loads("\n".join(self._lines))
        except ValueError:
            self.query_failed.emit(outcome.words or str(outcome))
        else:
            self.answer_received.emit(value)


def read_devices(answer: Mapping[str, Any]) -> tuple[Device, ...]:
    """Return the GPUs that are present, of the answer to `devices --json`; derived values are computed again."""
    found = []
    for entry in answer["devices"]:
        if entry["present"]:
            known = {name: entry[name] for name in Device.__slots__ if name in entry}
            major, minor = known["compute_capability"]
            found.append(Device(**{**known, "compute_capability": (major, minor)}))
    return tuple(found)
