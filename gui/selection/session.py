"""Session: the selection that all pages share, and the kernels and devices to choose from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import QObject, Signal

from gui.selection.shapes import Scale, Shape, next_shape, opening
from kernels.catalog import catalog
from kernels.device import devices
from kernels.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from gui.selection.recording import Recording
    from gui.selection.unread_source import UnreadSource
    from kernels.architecture import Architecture
    from kernels.catalog import Kernel
    from kernels.custom_launch.model import CustomLaunch
    from kernels.device import Device
    from kernels.fill import Fills
    from kernels.launch import Dim3
    from kernels.workload import Size


FileState = Literal["as on disk", "changed on disk", "gone"]
"""State of the file that is shown: the text that was read is the one on the disk, differs from it because the one there
cannot be used, or nothing that can be read has the file's name any more."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Frozen snapshot of the selected kernel, size, block and device."""

    kernel: Kernel
    size: Size
    block: Dim3
    device: Device
    revision: int = 0
    """Number of edits of the kernel's file since it was selected: snapshots before and after an edit differ."""
    fills: Fills | None = None
    """Inputs of the run on Explore; None for the usual ones."""

    @property
    def shape(self) -> Shape:
        """Size and block."""
        return Shape(self.size, self.block)

    @property
    def architecture(self) -> Architecture:
        """Architecture whose code of the kernel is shown: the device's, or the oldest that computes the result."""
        return self.kernel.architecture_for(self.device.architecture)

    @property
    def launch(self) -> tuple[str, Size, Dim3, Fills | None]:
        """Id of the kernel, size, block and inputs, whatever the source and the device."""
        return self.kernel.id, self.size, self.block, self.fills


def plain_kernel(kernel: Kernel) -> Kernel:
    """Return the kernel with every option at its default, as in lists."""
    return kernel.variants()[0]


class Session(QObject):
    """Model of the window: selection, recording, kernels and devices.

    Signals
    -------
    selection_changed(Selection)
        The new snapshot. Views compare it with the one they drew.
    recording_changed(Recording, CustomLaunch, UnreadSource or None)
        Another recording, custom launch or unread source is shown, or none any more.
    file_requested(Path)
        A file is to be opened.
    measurement_requested(tuple of Entry)
        Curves are to be measured on the Benchmark page, once the user has pressed Start there.
    offers_changed()
        `kernels`, `devices` or `gpu_missing` has changed.
    file_state_changed(FileState)
        The shown file was changed on the disk, or is gone; its text stays as it was read.
    save_requested()
        The user wants what is shown to be saved as a file.
    """

    selection_changed = Signal(object)
    recording_changed = Signal(object)
    file_requested = Signal(object)
    measurement_requested = Signal(object)
    offers_changed = Signal()
    file_state_changed = Signal(object)
    save_requested = Signal()

    def __init__(self, selection: Selection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self._scale: Scale = "picture"
        self._elsewhere: dict[Scale, tuple[Kernel, Shape]] = {}
        """Kernel and shape that were selected last at the other scale."""
        self._recording: Recording | CustomLaunch | UnreadSource | None = None
        # The selection saved at an earlier start may be of a file that was opened then.
        plain = plain_kernel(selection.kernel)
        self._opened: tuple[Kernel, ...] = () if plain in catalog() else (plain,)
        self._present: tuple[Device, ...] = ()
        self._gpu_known = False
        self._gpu_missing = "still looking for one"
        self.written: tuple[Path, str] | None = None
        """File that the editor wrote last, and its text: it runs by itself, and is not read again for that."""
        self._file_state: FileState = "as on disk"
        self.measuring = ""
        """Title of the page that measures now: two measurements at once would disturb each other."""

    @property
    def selection(self) -> Selection:
        """Present snapshot."""
        return self._selection

    @property
    def scale(self) -> Scale:
        """Scale of the selection's size and block: that of the page that is shown."""
        return self._scale

    @property
    def recording(self) -> Recording | CustomLaunch | UnreadSource | None:
        """What the Explore page shows instead of the selection, if anything."""
        return self._recording

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The catalogue, then the `.cu` files that the user opened."""
        return (*catalog(), *self._opened)

    @property
    def present(self) -> tuple[Device, ...]:
        """The GPUs of this machine."""
        return self._present

    @property
    def devices(self) -> tuple[Device, ...]:
        """The GPUs of this machine, then those of the device table."""
        return (*self._present, *devices())

    @property
    def gpu_known(self) -> bool:
        """True when the search for this machine's GPUs is over."""
        return self._gpu_known

    @property
    def gpu_missing(self) -> str:
        """Reason that no kernel can run on a GPU here, in one line; empty if one can."""
        return self._gpu_missing

    def select(self, **changes: Any) -> None:
        """Change some fields. Size and block of another kernel follow `next_shape` unless they are passed too.

        Another kernel closes the recording, and so do another size and block of the pages that play it: so the change
        is visible.
        """
        kernel = changes.get("kernel")
        if kernel is not None and (kernel.id, kernel.file) != (
            self._selection.kernel.id,
            self._selection.kernel.file,
        ):
            shape = next_shape(kernel, self._scale, self._selection.kernel, self._selection.shape)
            changes = {**shape._asdict(), "revision": 0, "fills": None, **changes}
        new = replace(self._selection, **changes)
        old = self._selection
        if new != old:
            self._selection = new
            self.selection_changed.emit(new)
        other_kernel = (new.kernel.id, new.kernel.file) != (old.kernel.id, old.kernel.file)
        if other_kernel or (self._scale == "picture" and new.shape != old.shape):
            self.play(None)

    def at_scale(self, scale: Scale) -> Selection:
        """Return the selection with the size and block that it has at a scale."""
        now = self._selection
        if scale == self._scale:
            return now
        kept = self._elsewhere.get(scale)
        if kept is None:
            shape = opening(now.kernel, scale)
        elif kept[0] == now.kernel:
            shape = kept[1]
        else:
            shape = next_shape(now.kernel, scale, *kept)
        return replace(now, size=shape.size, block=shape.block)

    def set_scale(self, scale: Scale) -> None:
        """Change to the size and block of the other scale, of a page that needs them; a recording stays open."""
        if scale == self._scale:
            return
        now, new = self._selection, self.at_scale(scale)
        self._elsewhere[self._scale] = now.kernel, now.shape
        self._scale = scale
        self._selection = new
        self.selection_changed.emit(self._selection)

    def check_not_measuring(self) -> None:
        """Raise InputError while a page measures."""
        if self.measuring:
            raise InputError(
                f"{self.measuring} is measuring, and two measurements at once would disturb each other. "
                "Wait until it is done, or stop it there."
            )

    def play(self, recording: Recording | CustomLaunch | UnreadSource | None) -> None:
        """Show a recording; None goes back to the selection."""
        if recording is not self._recording:
            self._recording = recording
            self.recording_changed.emit(recording)

    def open(self, kernel: Kernel, **changes: Any) -> None:
        """Add the kernel of a user's file, replacing its earlier version, and select it with other changes."""
        self.add(kernel)
        self.select(kernel=kernel, **changes)
        self.play(None)

    def add(self, kernel: Kernel) -> None:
        """Add the kernel of a user's file, replacing its earlier version."""
        plain = plain_kernel(kernel)
        self._opened = (*(k for k in self._opened if k.file != plain.file), plain)
        self.offers_changed.emit()

    def reread(self, kernel: Kernel) -> None:
        """Replace the selected kernel after a change to its file; size, block and options stay."""
        if any(k.file == kernel.file and k != kernel for k in self._opened):
            self._opened = tuple(kernel if k.file == kernel.file else k for k in self._opened)
            self.offers_changed.emit()
        words = {option.name: [choice.word for choice in option.choices] for option in kernel.options}
        kept = {n: word for n, word in self._selection.kernel.chosen.items() if word in words.get(n, ())}
        self.select(kernel=kernel.choose(**kept), revision=self._selection.revision + 1)

    @property
    def file_state(self) -> FileState:
        """State of the file that is shown."""
        return self._file_state

    def set_file_state(self, state: FileState) -> None:
        """Set the state of the file that is shown."""
        if state != self._file_state:
            self._file_state = state
            self.file_state_changed.emit(state)

    def set_devices(self, present: tuple[Device, ...], missing: str) -> None:
        """Set the GPUs of this machine; `missing` says why there is none."""
        self._present, self._gpu_missing, self._gpu_known = present, missing, True
        self.offers_changed.emit()
