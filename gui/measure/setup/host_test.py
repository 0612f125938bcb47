"""Test of hosts, one after another, by the command `tilescope hosts NAME --json`."""

from __future__ import annotations

from typing import Any, Final

from PySide6.QtCore import QObject, Signal

from gui.shell.worker import Query
from kernels.bench.environment import Environment

_LONGEST_S: Final = 86_400.0
"""The command itself ends after the time that each host has to answer."""


class HostTest(QObject):
    """Tests hosts.

    Signals
    -------
    host_begun(str), host_answered(str, str, bool)
        The name of a host; what it would measure on or why it cannot, and whether it can.
    """

    host_begun = Signal(str)
    host_answered = Signal(str, str, bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: list[str] = []
        self.current = ""
        """Name of the host that is tested; "" for none."""
        self._query = Query(self, timeout_s=_LONGEST_S)
        self._query.answer_received.connect(self._use)
        self._query.query_failed.connect(lambda words: self._tell(words, able=False))

    def test(self, name: str) -> None:
        """Test a host, after those that are waiting."""
        if name not in (self.current, *self._waiting):
            self._waiting.append(name)
        self._next()

    def close(self) -> None:
        """Test no further."""
        self._waiting.clear()
        self.current = ""
        self._query.close()

    def _next(self) -> None:
        if self._waiting and not self.current:
            self.current = self._waiting.pop(0)
            self.host_begun.emit(self.current)
            self._query.ask("hosts", self.current, "--json")

    def _use(self, answer: Any) -> None:
        checks = answer["checks"]
        errors = [check["error"] for check in checks if check["error"]]
        if errors:
            self._tell(errors[0], able=False)  # its other GPUs are reached in the same way
            return
        found = [Environment.from_json(check["environment"]) for check in checks]
        devices = [
            f"{machine.gpu} (CUDA driver {machine.cuda_driver})" if machine.gpu else machine.cpu for machine in found
        ]
        seconds = max(check["seconds"] for check in checks)
        no_gpu = "" if all(machine.gpu for machine in found) else ", no GPU"
        self._tell(f"{', '.join(devices)}{no_gpu}; answered after {seconds:.1f} s", able=True)

    def _tell(self, words: str, *, able: bool) -> None:
        name, self.current = self.current, ""
        self.host_answered.emit(name, words, able)
        self._next()
