"""The one selection that every page follows, and what there is to choose from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from kernels.catalog import catalog
from kernels.device import devices

if TYPE_CHECKING:
    from gui.selection.recording import Recording
    from kernels.catalog import Kernel
    from kernels.device import Device
    from kernels.launch import Dim3
    from kernels.launch_inference.custom_launch import Launched
    from kernels.workload import Size


@dataclass(frozen=True, slots=True)
class Selection:
    """What the window is about: a snapshot, compared as a whole.

    `revision` counts the changes that the kernel's file has seen since it was selected, so that a snapshot
    taken before an edit differs from one taken after it.
    """

    kernel: Kernel
    size: Size
    block: Dim3
    device: Device
    revision: int = 0


def plain_kernel(kernel: Kernel) -> Kernel:
    """Return the kernel with every option at its default: what a list offers."""
    return kernel.variants()[0]


class Session(QObject):
    """Holds the selection and says when it is another one.

    Signals
    -------
    changed(Selection)
        The new snapshot. Views keep the one they drew and compare.
    recording_changed(Recording, Launched or None)
        Another recording is open, or a kernel that is launched as the user says, or neither any more.
    offers_changed()
        `kernels`, `devices` or `gpu_missing` is another one.
    """

    changed = Signal(object)
    recording_changed = Signal(object)
    offers_changed = Signal()

    def __init__(self, selection: Selection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self._recording: Recording | Launched | None = None
        # A selection that is remembered from an earlier start may be of a file that was opened then.
        plain = plain_kernel(selection.kernel)
        self._opened: tuple[Kernel, ...] = () if plain in catalog() else (plain,)
        self._present: tuple[Device, ...] = ()
        self._gpu_known = False
        self._gpu_missing = "still looking for one"
        self.measuring = ""
        """The page that measures now: two measurements at once would disturb each other."""

    @property
    def selection(self) -> Selection:
        """The present snapshot."""
        return self._selection

    @property
    def recording(self) -> Recording | Launched | None:
        """What the Explore page shows instead of the selection, if anything."""
        return self._recording

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The catalogue, then the `.cu` files that the user opened."""
        return (*catalog(), *self._opened)

    @property
    def devices(self) -> tuple[Device, ...]:
        """The GPUs of this machine, then those that tilescope knows."""
        return (*self._present, *devices())

    @property
    def gpu_known(self) -> bool:
        """Whether this machine's GPUs have been looked for."""
        return self._gpu_known

    @property
    def gpu_missing(self) -> str:
        """Why no kernel can run on a GPU here, in one line; empty when one can."""
        return self._gpu_missing

    def select(self, **changes: Any) -> None:
        """Change some fields. Another kernel brings its own size and block unless they are given too.

        Another kernel, size or block closes the recording: it is asked for to be seen.
        """
        kernel = changes.get("kernel")
        if kernel is not None and (kernel.id, kernel.file) != (
            self._selection.kernel.id,
            self._selection.kernel.file,
        ):
            changes = {"size": kernel.size, "block": kernel.block, "revision": 0, **changes}
        new = replace(self._selection, **changes)
        old = self._selection
        if new != old:
            self._selection = new
            self.changed.emit(new)
        if (new.kernel.id, new.kernel.file, new.size, new.block) != (
            old.kernel.id,
            old.kernel.file,
            old.size,
            old.block,
        ):
            self.play(None)

    def play(self, recording: Recording | Launched | None) -> None:
        """Show a recording; None goes back to the selection."""
        if recording is not self._recording:
            self._recording = recording
            self.recording_changed.emit(recording)

    def open(self, kernel: Kernel) -> None:
        """Offer the kernel of a user's file, in place of an earlier reading of that file, and select it."""
        self._opened = (*(k for k in self._opened if k.file != kernel.file), kernel)
        self.offers_changed.emit()
        self.select(kernel=kernel)
        self.play(None)

    def reread(self, kernel: Kernel) -> None:
        """Take over the selected kernel's file as it is now; size, block and options stay."""
        if any(k.file == kernel.file for k in self._opened):
            self._opened = tuple(kernel if k.file == kernel.file else k for k in self._opened)
            self.offers_changed.emit()
        words = {option.name: [choice.word for choice in option.choices] for option in kernel.options}
        kept = {n: word for n, word in self._selection.kernel.chosen.items() if word in words.get(n, ())}
        self.select(kernel=kernel.choose(**kept), revision=self._selection.revision + 1)

    def found_devices(self, present: tuple[Device, ...], missing: str) -> None:
        """Offer the GPUs of this machine; `missing` says why there is none."""
        self._present, self._gpu_missing, self._gpu_known = present, missing, True
        self.offers_changed.emit()
