"""Search for this machine's GPUs in a child process: the window never has a CUDA context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from gui.shell.worker import Query
from kernels.device import Device

if TYPE_CHECKING:
    from collections.abc import Mapping


def read_device(data: Mapping[str, Any]) -> Device:
    """Parse one entry of `devices --json`; derived values are computed again."""
    known = {name: data[name] for name in Device.__slots__ if name in data}
    major, minor = known["compute_capability"]
    return Device(**{**known, "compute_capability": (major, minor)})


class GpuProbe(QObject):
    """Searches once for GPUs.

    Signals
    -------
    devices_found(tuple of Device, str)
        The usable GPUs, and one line why there is none; one of the two is empty.
    """

    devices_found = Signal(object, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._query = Query(self, timeout_s=120.0)
        self._query.answer_received.connect(self._report)
        self._query.query_failed.connect(
            lambda why: self.devices_found.emit((), f"this machine's GPU is unknown: {why}")
        )

    def search(self) -> None:
        """Start the search; `devices_found` follows."""
        self._query.ask("devices", "--json")

    def close(self) -> None:
        """Cancel the search."""
        self._query.close()

    def _report(self, answer: Any) -> None:
        devices = tuple(read_device(entry) for entry in answer["devices"] if entry["present"])
        self.devices_found.emit(devices, "" if devices else str(answer["missing"]))
