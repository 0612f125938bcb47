"""Settings of the window, in an INI file of the user's folder."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast, get_args

from PySide6.QtCore import QByteArray, QObject, QSettings, QTimer

from gui.selection.session import Selection
from gui.selection.shapes import Shape, is_legal
from gui.theming.style import TEXT_PT, ThemeChoice
from gui.theming.theme import Contrast, PaletteChoice
from kernels.catalog import find_kernel, kernel_name
from kernels.device import find_device
from kernels.errors import TilescopeError
from kernels.launch import Dim3
from kernels.tour import tour
from kernels.user_folder import user_path
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gui.selection.shapes import Scale


_WRITE_DELAY_MS: Final = 400


def default_selection() -> Selection:
    """Return the selection of a first start: the first picture and the GPU of the tour."""
    opening = tour().explore[0]
    return Selection(opening.kernel, opening.size, opening.block, find_device(tour().device))


class Settings(QObject):
    """Stores values as they change; they are written together shortly after, so that a crash loses little.

    Parameters
    ----------
    file : Path, optional
        File of the settings; by default the user's.
    """

    def __init__(self, *, file: Path | None = None) -> None:
        super().__init__()
        self._store = QSettings(str(file or user_path("settings")), QSettings.Format.IniFormat)
        self._unwritten: dict[str, Any] = {}  # QSettings would write each in the next turn of the event loop
        self._later = QTimer(self, singleShot=True, interval=_WRITE_DELAY_MS)
        self._later.timeout.connect(self.flush)

    def remember(self, name: str, value: Any) -> None:
        """Store one value; the same as before is not written again, which takes as long as the disk does."""
        if self._value(name) == value:
            return
        self._unwritten[name] = value
        if not self._later.isActive():
            self._later.start()

    def text(self, name: str, default: str = "") -> str:
        """Return a value as text."""
        return str(self._value(name, default))

    def bytes(self, name: str) -> QByteArray:
        """Return a value saved by Qt, such as a window's geometry; empty if there is none."""
        value = self._value(name)
        return value if isinstance(value, QByteArray) else QByteArray()

    def flush(self) -> None:
        """Write pending values now."""
        self._later.stop()
        for name, value in self._unwritten.items():
            self._store.setValue(name, value)
        self._unwritten.clear()
        self._store.sync()

    def _value(self, name: str, default: str | None = None) -> Any:
        return self._unwritten[name] if name in self._unwritten else self._store.value(name, default)

    @property
    def theme(self) -> ThemeChoice:
        """Chosen theme, `system` by default."""
        return cast("ThemeChoice", self._one_of("theme", get_args(ThemeChoice), "system"))

    @property
    def contrast(self) -> Contrast:
        """Chosen contrast, `normal` by default."""
        return cast("Contrast", self._one_of("contrast", get_args(Contrast), "normal"))

    @property
    def palette(self) -> PaletteChoice:
        """Chosen palette, `okabe-ito` by default."""
        return cast("PaletteChoice", self._one_of("palette", get_args(PaletteChoice), "okabe-ito"))

    def _one_of(self, name: str, choices: Sequence[str], default: str) -> str:
        text = self.text(name, default)
        return text if text in choices else default

    @property
    def text_pt(self) -> float | None:
        """Chosen text size in points; None for the system's."""
        try:
            points = float(self.text("text_pt"))
        except ValueError:
            return None
        return points if TEXT_PT[0] <= points <= TEXT_PT[-1] else None

    def remember_selection(self, selection: Selection, scale: Scale) -> None:
        """Store the selection for the next start, which shows a picture.

        The device is stored separately when the user chooses one.
        """
        self.remember("selection/kernel", kernel_name(selection.kernel))
        if scale == "picture":
            self.remember("selection/size", ",".join(str(n) for n in selection.size))
            self.remember("selection/block", ",".join(str(n) for n in selection.block))

    def selection(self) -> Selection:
        """Return the last selection, with defaults for parts that no longer exist."""
        found = default_selection()
        try:
            kernel = find_kernel(self.text("selection/kernel"))
            found = Selection(kernel, kernel.size, kernel.block, found.device)
            size = kernel.workload.fit(Size.parse(self.text("selection/size")))
            shape = Shape(size, Dim3.parse(self.text("selection/block")))
            if is_legal(kernel, shape):  # the kernel may have been chosen last for the figures of a device
                found = Selection(kernel, *shape, found.device)
            return replace(found, device=find_device(self.text("selection/device")))
        except TilescopeError:
            return found
