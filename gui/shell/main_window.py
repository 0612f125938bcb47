"""Main window: header, message bar, selection bar and pages."""

from __future__ import annotations

import importlib
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from PySide6.QtCore import QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QGridLayout,
    QLabel,
    QMainWindow,
    QScrollArea,
    QSplitter,
    QWidget,
)

from gui.selection.recording_bar import RecordingBar
from gui.selection.selection_bar import SelectionBar
from gui.selection.session import Session
from gui.shell import garbage
from gui.shell.header import Header, add_appearance_menus
from gui.shell.message_bar import MessageBar
from gui.shell.opening import KINDS as READ
from gui.shell.opening import SESSION, Opening, Sessions
from gui.shell.pages import (
    BENCHMARK,
    PAGES,
    RECORDINGS,
    START,
    HasParts,
    HasTools,
    Measures,
    OpensPages,
    Presents,
    RemembersChoices,
    page_of_title,
)
from gui.shell.worker import Query, read_devices
from gui.theming.appearance import Appearance
from gui.theming.style import TEXT_PT
from gui.widgets.controls import label, vbox
from gui.widgets.keys import sequences
from gui.widgets.page_stack import PageStack
from kernels.control_characters import escape_controls
from kernels.errors import NOT_ENOUGH_MEMORY, TilescopeError

if TYPE_CHECKING:
    from types import TracebackType

    from PySide6.QtGui import (
        QCloseEvent,
        QDragEnterEvent,
        QDropEvent,
        QImage,
        QMoveEvent,
        QPaintEvent,
        QResizeEvent,
        QScreen,
    )

    from gui.selection.recording import Recording
    from gui.selection.session import Selection
    from gui.selection.unread_source import UnreadSource
    from gui.shell.help import HelpWindow
    from gui.shell.pages import Page, PageSpec
    from gui.shell.palette import CommandPalette
    from gui.shell.settings import Settings
    from gui.theming.style import ThemeChoice
    from kernels.bench.sample import Entry
    from kernels.custom_launch.model import CustomLaunch
    from kernels.device import Device


KINDS: Final = (*READ, SESSION)
"""Suffixes of files that can be opened."""

_DRAWER_SHARE: Final = 0.215
"""Share of the width that a drawer opens with."""

_MARGINS: Final = (12, 8, 12, 8)
"""Room around a page that does not fill the window."""

_QUERY_S: Final = 120.0
"""Longest time of the search for this machine's GPUs, in a child process: the window never has a CUDA context."""
_LEAST_SIZE: Final = QSize(960, 600)
_LARGE_SIZE: Final = QSize(1280, 760)
"""Least size of the window with normal text, and with the largest."""

_FIRST_SIZE: Final = QSize(1280, 800)
_FRAME: Final = QSize(16, 40)
"""Room for the window's frame, whose true size is not known before the window is shown."""
_ROOMY_PX: Final = 860
"""Available height below which the window opens maximised."""


def screen_key(screen: QScreen) -> str:
    """Return the name of a screen in the settings: its own, its size and its scale. Qt forbids slashes in names."""
    size = screen.size()
    name = screen.name().replace("/", "-").replace("\\", "-")
    return f"{name} {size.width()}x{size.height()} at {screen.devicePixelRatio():g}"


def least_size(text_pt: float) -> QSize:
    """Return the size below which text of a size is cut off; it grows from the normal to the largest text."""
    share = (text_pt - TEXT_PT[0]) / (TEXT_PT[-1] - TEXT_PT[0])
    grown = (_LARGE_SIZE - _LEAST_SIZE) * min(max(share, 0.0), 1.0)
    return _LEAST_SIZE + grown


class MainWindow(QMainWindow):
    """Window that connects the session with the fields, the pages and the settings."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.setWindowTitle("tilescope")
        self._settings = settings
        self.session = Session(settings.selection(), self)
        self._gpu_query = Query(self, timeout_s=_QUERY_S)
        self.opening = Opening(self.session)
        self.sessions = Sessions(self)
        self._pages: dict[int, QWidget] = {}
        self._outdated: set[int] = set()  # pages that have not been shown in the present colours
        self._help: HelpWindow | None = None
        self._palette: CommandPalette | None = None
        self.appearance = Appearance(settings, self)

        self.bar = SelectionBar(self.session.selection)
        self.recording_bar = RecordingBar()
        self.header = Header(PAGES, (self.bar, self.recording_bar))
        add_appearance_menus(self.header.view_menu, self.appearance)
        self.notice = MessageBar()
        self._stack = PageStack()
        body = QWidget()
        column = vbox(body, spacing=0)
        column.addWidget(self.header)
        # The message bar lies over the page, which keeps its place when a message comes and goes.
        self._frame = pages = QGridLayout()
        pages.addWidget(self._stack, 0, 0)
        pages.addWidget(self.notice, 0, 0, Qt.AlignmentFlag.AlignTop)
        self._room = QSplitter(Qt.Orientation.Horizontal)
        self._room.setChildrenCollapsible(False)
        self._drawer: QWidget | None = None
        page_room = QWidget()
        page_room.setLayout(pages)
        self._room.addWidget(page_room)
        column.addWidget(self._room, 1)
        # Below the least size of its parts the window scrolls: otherwise the layout would overlap them.
        self._scroll = QScrollArea(widgetResizable=True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(body)
        self.setCentralWidget(self._scroll)
        self.setAcceptDrops(True)

        self.header.page_chosen.connect(self._open_page)
        self.header.theme_chosen.connect(self.appearance.pick_theme)
        self.header.text_size_requested.connect(self.appearance.step_text)
        self.header.full_screen_requested.connect(self._fill_screen)
        self.header.open_requested.connect(self.choose_file)
        self.header.help_requested.connect(self.show_help)
        self.header.palette_requested.connect(self.show_palette)
        self._add_keys()
        self.bar.change_requested.connect(self._change_selection)
        self.bar.input_entered.connect(self._stack.setFocus)
        self.bar.input_refused.connect(lambda why: self.notice.say(why, "error"))
        self.session.selection_changed.connect(self._show_selection)
        self.session.recording_changed.connect(self._show_recording)
        self.session.offers_changed.connect(self._offer)
        self.session.measurement_requested.connect(self._propose_measurement)
        self.session.save_requested.connect(self.sessions.ask)
        self.opening.reading_started.connect(lambda file: self.notice.say(f"Reading {file.name} …", cancellable=True))
        self.notice.cancel_requested.connect(self._cancel_reading)
        self.opening.recording_opened.connect(self._show_recordings)
        self.opening.launch_missing.connect(self._ask_launch)
        self.recording_bar.launch_requested.connect(self.opening.again)
        self.opening.file_refused.connect(lambda why: self.notice.say(why, "error"))
        self.recording_bar.close_requested.connect(lambda: self.session.play(None))
        self._gpu_query.answer_received.connect(self._use_devices)
        self._gpu_query.query_failed.connect(lambda why: self._add_devices((), f"this machine's GPU is unknown: {why}"))
        self.appearance.appearance_changed.connect(self._restyle)

        self._offer()
        self.appearance.set_theme(settings.theme)
        self._started = False
        self._place()

    # Public actions

    def show_page(self, number: int) -> None:
        """Show a page, built on its first use. If it cannot be built, show the error."""
        self._build(number)
        page = self._pages[number]
        if self._stack.indexOf(page) < 0:
            self._stack.addWidget(page)  # before it is dressed: Qt passes the style on when the parent changes
        if number in self._outdated:
            self._outdated.discard(number)
            self._apply_theme(page)
        self._stack.setCurrentWidget(page)
        self._stack.setFocusProxy(page)
        tools, menus = (page.tools, page.menus) if isinstance(page, HasTools) else ((), ())
        self.header.show_page(number, tools, menus)
        margins = (0, 0, 0, 0) if PAGES[number].fills else _MARGINS
        self._frame.setContentsMargins(*margins)
        self._show_bar(PAGES[number])
        page.setFocus()

    def picture(self) -> QImage:
        """Return a picture of the window, with the titles of its pages as the text "pages" of its file."""
        image = self.grab().toImage()
        image.setText("pages", ", ".join(page.title for page in PAGES))
        return image

    def page(self, number: int) -> QWidget:
        """Return a page that has been built; raises KeyError for another."""
        return self._pages[number]

    def show_drawer(self, drawer: QWidget | None) -> None:
        """Show a narrow panel at the left of every page, in place of the one before; None for none."""
        if self._drawer is not None and self._drawer is not drawer:
            self._drawer.hide()
        self._drawer = drawer
        if drawer is None:
            return
        self.appearance.dress(drawer)
        if self._room.indexOf(drawer) < 0:
            self._room.insertWidget(0, drawer)
            self._room.setStretchFactor(self._room.count() - 1, 1)
        drawer.show()
        narrow = max(int(self.width() * _DRAWER_SHARE), drawer.minimumSizeHint().width())
        sizes = [narrow if self._room.widget(n) is drawer else 0 for n in range(self._room.count())]
        sizes[-1] = self.width() - narrow
        self._room.setSizes(sizes)

    def show_help(self, word: str = "") -> None:
        """Show the help, at what has a word."""
        if self._help is None:
            from gui.shell.help import HelpWindow

            self._help = HelpWindow(self.header)
        self._help.open_at(word, self.appearance.theme)

    def show_palette(self) -> None:
        """Let the user find a command by its words."""
        from gui.shell.palette import CommandPalette, commands

        if self._palette is None:
            self._palette = CommandPalette(self)
        self.appearance.dress(self._palette)
        self._palette.open(commands(self, self.session, self, self._pages, self.header.page, self.show_help))

    def resume(self) -> None:
        """Open, when the window starts, the page that was shown last; the first time the start page."""
        number = page_of_title(self._settings.text("window/page"), START)
        if number == START:
            self.show_page(START)  # it is built in less time than an empty window is painted
        else:
            self.header.show_page(number)

    def open_file(self, file: Path) -> None:
        """Select the kernel of a `.cu` file, or show a `.trace` or a session; report a file that cannot be used."""
        if file.suffix == SESSION:
            self.sessions.open(file)
        else:
            self.opening.open(file)

    def set_theme(self, choice: ThemeChoice) -> None:
        """Apply light or dark colours, or those that the system prefers."""
        self.appearance.set_theme(choice)

    def report(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None = None) -> None:
        """Show an uncaught error; `sys.excepthook` while the window is open."""
        details = "".join(traceback.format_exception(kind, error, trace))
        if issubclass(kind, KeyboardInterrupt):
            self.close()
        elif isinstance(error, TilescopeError):
            self.notice.say(error.titled, "error")
        elif isinstance(error, MemoryError):
            self.notice.say(NOT_ENOUGH_MEMORY.capitalize(), "error", details)
        else:
            sys.stderr.write(details)
            words = str(error) or "no message"
            self.notice.say(f"Something unexpected happened: {kind.__name__}: {words}", "error", details)

    # Events

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint; after the first time, continue with `start`, so that the window is visible before anything slow."""
        super().paintEvent(event)
        if not self._started:
            self._started = True
            QTimer.singleShot(0, self, self.start)

    def start(self) -> None:
        """Open the current page, and search for this machine's GPUs."""
        self._started = True
        self._open_page(self.header.page)
        QTimer.singleShot(0, self, self._finish_start)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files that can be opened."""
        if any(url.toLocalFile().endswith(KINDS) for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open every dropped file; the last one is shown."""
        for url in event.mimeData().urls():
            if url.toLocalFile().endswith(KINDS):
                self.open_file(Path(url.toLocalFile()))

    def moveEvent(self, event: QMoveEvent) -> None:
        """Save the position."""
        super().moveEvent(event)
        self._remember_geometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Save the size."""
        super().resizeEvent(event)
        self._remember_geometry()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop every child process and thread, and write the settings."""
        self._gpu_query.close()
        self.opening.close()
        for page in self._pages.values():
            page.close()
        if self._help is not None:
            self._help.close()
        self._settings.remember("window/page", PAGES[self.header.page].title)
        self._settings.flush()
        super().closeEvent(event)

    # Between the session and the widgets

    def _change_selection(self, changes: dict[str, Any]) -> None:
        self.notice.clear()
        if "device" in changes:
            self._settings.remember("selection/device", changes["device"].id)
        self.session.select(**changes)
        self.bar.show_selection(self.session.selection)

    def _show_selection(self, selection: Selection) -> None:
        self.notice.clear()
        self.bar.show_selection(selection)
        self._settings.remember_selection(selection, self.session.scale)

    def _show_recording(self, recording: Recording | CustomLaunch | UnreadSource | None) -> None:
        name = escape_controls(recording.file.name) if recording is not None else ""
        self.setWindowTitle(f"{name} – tilescope" if name else "tilescope")
        if recording is not None:
            self.recording_bar.show_recording(recording)
        self._show_bar(PAGES[self.header.page])

    def _show_recordings(self) -> None:
        self.notice.clear()
        self.show_page(RECORDINGS)

    def _cancel_reading(self) -> None:
        self.opening.cancel()
        self.notice.say("Reading was cancelled. Open… reads the file again.")

    def _ask_launch(self, offers: tuple[CustomLaunch, ...]) -> None:
        # Imported here because it loads the simulator, which would delay the window's start.
        from gui.selection.launch_dialog import ask_launch

        self.notice.clear()
        ask_launch(offers, self.session.recording, self.opening.launch, self.header)

    def _show_bar(self, spec: PageSpec) -> None:
        """Show the selection bar, or the recording bar, or neither, by page."""
        plays = spec is PAGES[RECORDINGS] and self.session.recording is not None
        self.recording_bar.setVisible(plays)
        self.bar.setVisible(spec.selects and not plays)
        self.bar.show_fields(spec.fields)

    def _propose_measurement(self, curves: tuple[Entry, ...]) -> None:
        self.show_page(BENCHMARK)
        page = self._pages[BENCHMARK]
        if curves and isinstance(page, Measures):
            page.propose(curves)

    def _finish_start(self) -> None:
        """Do what would take time from the page that was being shown."""
        garbage.resume()
        if self.isVisible():  # else it was closed meanwhile, and the search would outlive it
            self._gpu_query.ask("devices", "--json")

    def _offer(self) -> None:
        self.bar.offer(self.session.kernels, self.session.devices)

    def _use_devices(self, answer: Any) -> None:
        present = read_devices(answer)
        self._add_devices(present, "" if present else str(answer["missing"]))

    def _add_devices(self, present: tuple[Device, ...], missing: str) -> None:
        """List this machine's GPUs; select the first unless the user chose another device."""
        self.session.set_devices(present, missing)
        if present and self._settings.text("selection/device") in ("", present[0].id):
            self.session.select(device=present[0])

    def _restyle(self) -> None:
        """Apply new colours to the visible page now, and to the others when they are shown.

        Larger text needs a larger window, as far as the screen has room.
        """
        screen = self.screen().availableGeometry()
        self.setMinimumSize(least_size(self.appearance.text_pt).boundedTo(screen.size() - _FRAME))
        for part in (self.header, self.notice):
            self.appearance.dress(part)
        if self._drawer is not None:
            self.appearance.dress(self._drawer)
        self._outdated = set(self._pages)
        if self.header.page in self._pages:
            self._outdated.discard(self.header.page)
            self._apply_theme(self._pages[self.header.page])
        self.header.show_theme(self.appearance.choice)
        if self._help is not None:
            self._help.set_theme(self.appearance.theme)

    def _remember_geometry(self) -> None:
        if self.isVisible():
            screen = screen_key(self.screen())
            self._settings.remember("screen", screen)
            self._settings.remember(f"geometry/{screen}", self.saveGeometry())

    def _place(self) -> None:
        """Restore the geometry saved for the last screen, or for the primary one if that is not connected.

        Without one, the window has its first size, and fills a screen that has no room for it and its frame.
        """
        screens = {screen_key(screen): screen for screen in QGuiApplication.screens()}
        primary = QGuiApplication.primaryScreen()
        screen = screens.get(self._settings.text("screen"), primary)
        if self.restoreGeometry(self._settings.bytes(f"geometry/{screen_key(screen)}")):
            return
        available = screen.availableGeometry()
        self.setGeometry(QRect(available.topLeft(), _FIRST_SIZE.boundedTo(available.size() - _FRAME)))
        if available.height() < _ROOMY_PX or available.width() < _FIRST_SIZE.width() + _FRAME.width():
            self.setWindowState(Qt.WindowState.WindowMaximized)
        else:
            self.move(available.topLeft() + QPoint(*((available.size() - _FIRST_SIZE - _FRAME) / 2).toTuple()))

    # Building

    def _open_page(self, number: int) -> None:
        """Show a page, one turn of the event loop after it is built: together they would hold the window up."""
        if number in self._pages:
            self.show_page(number)
            return
        self._build(number)
        QTimer.singleShot(0, self, lambda: self.show_page(self.header.page))  # another may have been chosen meanwhile

    def _build(self, number: int) -> None:
        """Build a page unless it is built, for the scale of its selection."""
        spec = PAGES[number]
        if spec.selects:
            self.session.set_scale(spec.scale)
        if number not in self._pages:
            self._pages[number] = self._made(spec)
            self._outdated.add(number)

    def _made(self, spec: PageSpec) -> QWidget:
        """Make a page, or a line that says why it cannot be made."""
        try:
            page: QWidget = getattr(importlib.import_module(spec.module), spec.name)(self.session)
            if isinstance(page, RemembersChoices):
                page.remember_choices(self._settings)
            if isinstance(page, OpensPages):
                page.set_shell(self)
        except Exception as error:  # the other pages must stay usable after any error
            self.report(type(error), error, error.__traceback__)
            text = f"{spec.title} cannot be shown: {error}"
            return label(text, line=True)
        return page

    def _apply_theme(self, page: QWidget) -> None:
        for part in page.parts if isinstance(page, HasParts) else (page,):
            self.appearance.dress(part)
        if not isinstance(page, QLabel):
            cast("Page", page).set_theme(self.appearance.theme)

    def _add_keys(self) -> None:
        for name, slot in (("window", self._leave_full_screen), ("quit", self.close), ("save", self.sessions.ask)):
            action = QAction(self)
            action.setShortcuts(sequences(name))
            action.triggered.connect(slot)
            self.addAction(action)

    def _fill_screen(self) -> None:
        """Present the page that can be presented, else toggle full screen."""
        page = self._pages.get(self.header.page)
        if isinstance(page, Presents):
            page.present()
        elif self.isFullScreen():
            self._leave_full_screen()
        else:
            self.setWindowState(self.windowState() | Qt.WindowState.WindowFullScreen)

    def _leave_full_screen(self) -> None:
        """Leave full screen; a window that was maximised before is maximised again."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowFullScreen)

    def choose_file(self) -> None:
        """Ask for a file, and open it."""
        kinds = " ".join(f"*{kind}" for kind in KINDS)
        name, _ = QFileDialog.getOpenFileName(
            self.header, "Open a CUDA kernel, a trace or a session", "", f"CUDA sources, traces and sessions ({kinds})"
        )
        if name:
            self.open_file(Path(name))
