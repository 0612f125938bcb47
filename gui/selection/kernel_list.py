"""Combo box of kernels, with headings: by workload, in teaching order, lessons last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QComboBox, QSizePolicy

from gui.widgets.controls import Choice, bold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.selection.kernel_browser import KernelBrowser
    from kernels.catalog import Kernel

LESSONS: Final = "Lessons: wrong on purpose"

LEAST_WIDTH_PX: Final = 120
"""Least width of a box where large text leaves little room: its title is elided, and whole in the tooltip."""


class KernelBox(Choice):
    """Combo box of kernels that opens a browser."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Kernel")
        self.setMinimumContentsLength(26)
        self.setMinimumWidth(LEAST_WIDTH_PX)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._browser: KernelBrowser | None = None

    @property
    def browser(self) -> KernelBrowser:
        """The browser, imported and built on first use, so that the window is visible earlier."""
        if self._browser is None:
            from gui.selection.kernel_browser import KernelBrowser

            self._browser = KernelBrowser(self)
            self._browser.kernel_picked.connect(self._pick)
        return self._browser

    def offer(self, kernels: Sequence[Kernel]) -> None:
        """Fill the list with kernels."""
        model = kernel_model(kernels, self)
        if self._browser is not None:
            self._browser.follow(model)  # first: the box deletes its previous model
        self.setModel(model)

    def showPopup(self) -> None:
        """Open the browser."""
        model = self.model()
        if isinstance(model, QStandardItemModel):
            self.browser.open_under(self, model, self.currentIndex())

    def hidePopup(self) -> None:
        """Close the browser."""
        if self._browser is not None:
            self._browser.hide()
        super().hidePopup()

    def _pick(self, row: int) -> None:
        self.setCurrentIndex(row)
        self.setFocus()
        self.activated.emit(row)


def name(kernel: Kernel) -> str:
    """Return a kernel's title for a list; a lesson is marked by a word, not by a colour."""
    says_so = not kernel.flaw or kernel.title.lower().startswith("lesson")
    return kernel.title if says_so else f"Lesson: {kernel.title}"


def heading(kernel: Kernel) -> str:
    """Return the heading of a kernel's group."""
    if kernel.flaw:
        return LESSONS
    return f"{kernel.workload.title}{', on the CPU' if kernel.runs_on == 'cpu' else ''}"


def grouped(kernels: Sequence[Kernel]) -> dict[str, list[Kernel]]:
    """Return kernels by heading, in the order of their first kernels; lessons last."""
    groups: dict[str, list[Kernel]] = {}
    for kernel in sorted(kernels, key=lambda k: bool(k.flaw)):
        groups.setdefault(heading(kernel), []).append(kernel)
    return groups


def kernel_model(kernels: Sequence[Kernel], parent: QObject) -> QStandardItemModel:
    """Return the list for a box: headings that cannot be chosen, kernels as `UserRole` data."""
    model = QStandardItemModel(parent)
    for title, members in grouped(kernels).items():
        head = QStandardItem(title)
        head.setFlags(Qt.ItemFlag.NoItemFlags)
        head.setFont(bold())
        model.appendRow(head)
        for kernel in members:
            item = QStandardItem(name(kernel))
            item.setData(kernel, Qt.ItemDataRole.UserRole)
            item.setToolTip(f"{kernel.teaches} {kernel.flaw}".strip())
            model.appendRow(item)
    return model
