"""The Occupancy page: figures and a picture of one SM on the left, charts and recorded launches on the right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QSplitter, QStackedWidget, QWidget

from gui.occupancy.achieved import AchievedPanel
from gui.occupancy.headline import Headline, SuggestedBlock
from gui.occupancy.sm_picture import SmPicture, bars
from gui.occupancy.tabs import OccupancyTabs
from gui.occupancy.what_if_bar import WhatIfBar
from gui.selection.unread_source import UnreadSource
from gui.shell.worker import Query
from gui.widgets.controls import add_parts, label, scrolled, show_text, vbox
from kernels.catalog import kernel_name
from kernels.control_characters import escape_controls
from kernels.custom_launch.model import CustomLaunch, short_words
from kernels.errors import InputError, TilescopeError, UnavailableError
from kernels.installation import install_command
from kernels.launch import Dim3
from kernels.occupancy import Resources
from kernels.occupancy.curve import curve, occupancy_of
from kernels.occupancy.resources import has_cupy, refuse_without_source, shipped_resources
from kernels.occupancy.suggest import suggest
from kernels.occupancy.what_if import AS_COMPILED
from kernels.user_folder import user_path
from kernels.words import plural

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent, QFocusEvent, QShowEvent

    from gui.selection.session import Selection, Session
    from gui.theming.theme import Theme
    from kernels.catalog import Kernel
    from kernels.device import Device
    from kernels.occupancy import Occupancy
    from kernels.occupancy.curve import Point
    from kernels.workload import Size


def open_file_words(session: Session) -> str:
    """Say what is missing to show the open file, and what is shown instead; "" while the selection is played."""
    opened = session.recording
    if opened is None or opened.file.suffix != ".cu":
        return ""
    name, shown = escape_controls(opened.file.name), escape_controls(session.selection.kernel.title)
    if isinstance(opened, UnreadSource):
        return f"“{name}” cannot be read, so it has no block and no registers: correct it on Explore. Below: {shown}."
    if opened.kernel:
        return ""
    launch = f", {escape_controls(short_words(opened.settings))}" if isinstance(opened, CustomLaunch) else ""
    nvrtc = "" if has_cupy() else ", and NVRTC to count its registers"
    return f"“{name}”{launch}: occupancy needs a description (copy one on Benchmark){nvrtc}. Below: {shown}."


def open_file_line() -> QLabel:
    """Return the line, hidden; its tooltip says how NVRTC is installed."""
    line = label(role="warning", line=True)
    line.setToolTip(f"A description is a comment at the end of the file. NVRTC: {install_command('cuda13')}")
    line.hide()
    return line


_TIMEOUT_S: Final = 180.0
_LEFT_PX: Final = 350
"""Least width of the figures and the picture of the SM, with a scroll bar."""


class OccupancyPage(QWidget):
    """Page that follows the session; a click on the chart of blocks selects that block.

    The shipped numbers are shown at once. If NVRTC is installed, a child process compiles the kernel for
    every block of the curve, and its numbers replace the shipped ones.

    Signals
    -------
    figures_shown()
        The shown numbers are final: no compilation is pending.
    """

    figures_shown = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._compiled: dict[Dim3, Resources] = {}
        self._compiled_for: tuple[object, ...] = ()
        self._kernel = session.selection.kernel
        """The kernel for which something is assumed."""
        self._query = Query(self, timeout_s=_TIMEOUT_S)
        self._query.answer_received.connect(self._use_compiled)
        self._query.query_failed.connect(self._failed)

        self.open_file = open_file_line()
        self.headline = Headline()
        self.suggested = SuggestedBlock()
        self.picture = SmPicture()
        self.what_if = WhatIfBar()
        self.tabs = OccupancyTabs(AchievedPanel(session, user_path("timelines")))
        self.placeholder = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self.caption = QLabel(wordWrap=True)
        self.caption.setProperty("role", "caption")
        self._lay_out()

        self.tabs.block_picked.connect(lambda block: self._session.select(block=block))
        self.tabs.registers_picked.connect(lambda number: self.what_if.change(registers=number))
        self.tabs.shared_bytes_picked.connect(lambda number: self.what_if.change(shared_bytes=number))
        self.what_if.what_if_changed.connect(lambda: self._show(self._session.selection))
        self.suggested.block_chosen.connect(lambda block: self._session.select(block=block))
        session.selection_changed.connect(self._follow)
        session.recording_changed.connect(self._name_open_file)

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours."""
        self.headline.set_theme(theme)
        self.picture.set_theme(theme)
        self.tabs.set_theme(theme)

    def showEvent(self, event: QShowEvent) -> None:
        """Show the selection that was made on another page."""
        super().showEvent(event)
        self._show(self._session.selection)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Give the focus to the view that is shown: arrow keys walk along its chart.

        With a focus proxy, Tab would go from the window to that view, and never to the what-if and the tab bar.
        """
        super().focusInEvent(event)
        self.tabs.currentWidget().setFocus()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop the child process."""
        self._query.close()
        self.tabs.achieved.close()
        super().closeEvent(event)

    def _follow(self, selection: Selection) -> None:
        if self.isVisible():
            self._show(selection)

    def _name_open_file(self) -> None:
        words = open_file_words(self._session)
        show_text(self.open_file, words)

    def _show(self, selection: Selection) -> None:
        """Draw a selection with the available numbers, and compile for the missing ones."""
        self._name_open_file()
        try:
            refuse_without_source(selection.kernel)
        except InputError as error:
            self._show_nothing(error, "Choose a CUDA kernel to see how many of its blocks fit on an SM.")
            self._query.close()
            return
        if self._kernel != selection.kernel:
            self._kernel = selection.kernel
            self.what_if.set_what_if(AS_COMPILED)
        if self._compiled_for != _compile_key(selection):
            self._compiled, self._compiled_for = {}, _compile_key(selection)
        self._draw(selection)
        if has_cupy() and selection.block not in self._compiled:
            self._compile(selection)
        else:
            self.figures_shown.emit()

    def _show_nothing(self, why: TilescopeError, instead: str) -> None:
        self.placeholder.setText(str(why))
        self.caption.setText(instead)
        self.caption.show()
        self._body.setCurrentWidget(self.placeholder)

    def _draw(self, selection: Selection) -> None:
        s, assumed = selection, self.what_if.what_if
        self._body.setCurrentWidget(self._content)
        self._suggest(s)
        self.tabs.achieved.show_selection(s)
        points: tuple[Point, ...] = ()
        try:
            points = curve(s.kernel, s.size, s.block, s.device, self._resources, assumed)
            compiled = occupancy_of(s.kernel, s.size, s.block, s.device, self._resources) if assumed else None
            found = occupancy_of(s.kernel, s.size, s.block, s.device, self._resources, assumed)
        except TilescopeError as error:
            self.headline.show_refusal(error.titled)
            self.picture.show_bars(())
            self.what_if.show_words(None, None)
            self.tabs.show_occupancy(points, s.block, None, 0)
            self.caption.setText("")
            if isinstance(error, UnavailableError) and not has_cupy() and not points:
                self._show_nothing(error, "The kernels that come with tilescope need no compiler for this page.")
        else:
            self.headline.show_occupancy(found, points)
            self.picture.show_bars(bars(found))
            self.what_if.show_words(found, compiled)
            self.tabs.show_occupancy(points, s.block, found, s.kernel.launch(s.size, s.block).grid.count)
            self.caption.setText(_caption(s.block, found))
            self.caption.setVisible(not assumed)  # the bar above takes its room

    def _suggest(self, selection: Selection) -> None:
        """Show the block chosen by occupancy, for kernels that have one."""
        s = selection
        self.suggested.setVisible(bool(s.kernel.suggest))
        if not s.kernel.suggest:
            return
        try:
            found = suggest(s.kernel, s.size, s.device, self._resources)
        except TilescopeError as error:
            self.suggested.show_refusal(error.titled)
        else:
            self.suggested.show_suggestion(found, s.block)

    def _resources(self, kernel: Kernel, size: Size, block: Dim3, device: Device) -> Resources:
        if block in self._compiled:
            return self._compiled[block]
        return shipped_resources(kernel, size, block, device)

    def _compile(self, selection: Selection) -> None:
        s = selection
        self.headline.show_status(f"Compiling with this machine's NVRTC for {s.device.arch} …")
        self._query.ask(
            "occupancy",
            kernel_name(s.kernel),
            "--block",
            ",".join(str(n) for n in s.block),
            "--size",
            ",".join(str(n) for n in s.size),
            "--device",
            "present" if s.device.present else s.device.id,
            "--curve",
            "--json",
        )

    def _use_compiled(self, answer: Any) -> None:
        if self._compiled_for != _compile_key(self._session.selection):
            return  # another selection was made while this page was hidden
        self._compiled = {
            Dim3(*entry["block"]): Resources(
                entry["registers"],
                entry["static_shared_bytes"],
                entry["spill_bytes"],
                entry["origin"],
                entry["barriers"],
            )
            for entry in (answer, *answer["curve"])
        }
        self.headline.show_status("")
        self._draw(self._session.selection)
        self.figures_shown.emit()

    def _failed(self, why: str) -> None:
        self.headline.show_status(f"Not compiled here: {why}")
        self.figures_shown.emit()

    def _lay_out(self) -> None:
        left = QWidget()
        column = vbox(left, (0, 0, 8, 0), spacing=8)
        add_parts(column, self.headline, self.suggested)
        column.addWidget(self.picture, 1)
        # With large text in a low window the text alone is as high as the page: it scrolls together with the picture.
        room = scrolled(left)
        room.setMinimumWidth(_LEFT_PX)
        self._content = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
        self._content.addWidget(room)
        self._content.addWidget(self.tabs)
        self._content.setStretchFactor(0, 5)
        self._content.setStretchFactor(1, 6)
        self._body = QStackedWidget()
        self._body.addWidget(self._content)
        self._body.addWidget(self.placeholder)
        page = vbox(self, spacing=6)
        add_parts(page, self.open_file, self.what_if)
        page.addWidget(self._body, 1)
        page.addWidget(self.caption)


def _compile_key(selection: Selection) -> tuple[object, ...]:
    """Return the key of compiled numbers without the block."""
    kernel = selection.kernel
    return kernel.id, kernel.file, selection.revision, selection.size, selection.device


def _caption(block: Dim3, occupancy: Occupancy) -> str:
    device, blocks = occupancy.device, occupancy.resident_blocks * occupancy.device.sm_count
    held = f"{plural(occupancy.resident_blocks, 'block')} of {block}"
    return (
        f"Each of the {device.sm_count} SMs of the {device.name} holds {held} at once, together "
        f"{blocks * occupancy.block_threads:,} threads. While some warps wait for memory, the SM runs others: "
        "more resident warps hide more latency, but a full SM is not always the fastest."
    )
