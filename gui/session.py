"""The one selection that every page follows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from kernels.catalog import Kernel
    from kernels.launch import Dim3
    from kernels.occupancy.device import Device
    from kernels.workload import Size


@dataclass(frozen=True, slots=True)
class Selection:
    """What the window is about: a snapshot, compared as a whole."""

    kernel: Kernel
    size: Size
    block: Dim3
    device: Device


class Session(QObject):
    """Holds the selection and says when it is another one.

    Signals
    -------
    changed(Selection)
        The new snapshot. Views keep the one they drew and compare.
    """

    changed = Signal(object)

    def __init__(self, selection: Selection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._selection = selection

    @property
    def selection(self) -> Selection:
        """The present snapshot."""
        return self._selection

    def select(self, **changes: Any) -> None:  # noqa: ANN401 - the fields of Selection, checked by replace
        """Change some fields. Another kernel brings its own size and block unless they are given too."""
        kernel = changes.get("kernel")
        if kernel is not None and kernel.id != self._selection.kernel.id:
            changes = {"size": kernel.size, "block": kernel.block, **changes}
        new = replace(self._selection, **changes)
        if new != self._selection:
            self._selection = new
            self.changed.emit(new)
