"""A monkey: seeded random actions on the whole window, as quick and as careless as a user's.

`Monkey.act` does one action and processes what is pending; now and then it waits until the picture is that of the last
action, so that both finished and interrupted work are met. The same seed chooses the same actions; what they meet
depends on the worker threads, whose turns no seed fixes.
"""

from __future__ import annotations

import random
import time
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QPoint, Qt, QTimer
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QDialog,
    QMenu,
    QTabWidget,
)

from gui.explore.export.dialog import SIZES as PICTURE_SIZES
from gui.explore.export.dialog import Choice
from gui.shell.jobs import JobRunner
from gui.shell.pages import BENCHMARK, EXPLORE, LEARN, OCCUPANCY, PAGES
from gui.theming.theme import LIGHT
from gui.widgets.keys import PICTURE, TIME
from kernels.exercises.load import exercises
from kernels.lessons.load import lessons

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from PySide6.QtWidgets import QWidget

    from gui.explore.page import ExplorePage
    from gui.learn.page import LearnPage
    from gui.shell.main_window import MainWindow
    from kernels.errors import TilescopeError

KERNEL: Final = """
__global__ void mine(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N) C[row * N + col] = A[row * K];
}
"""
COMMENT: Final = """
/* tilescope
title    = "Mine"
teaches  = "Nothing."
workload = "matmul"
size     = [5, 6, 7]
block    = [4, 4]
blocks   = [[8, 8]]
grid     = ["(N + block_x - 1) / block_x", "(M + block_y - 1) / block_y"]
*/
"""
TEXTS: Final = (
    KERNEL + COMMENT,
    KERNEL.replace("A[row * K]", "B[col]") + COMMENT,
    KERNEL.replace("row < M && ", "") + COMMENT,
    KERNEL.replace("int row", "int") + COMMENT,
    KERNEL,
    COMMENT,
    "",
)
"""Texts of the file that is opened: correct, with mistakes, without a launch comment, without a kernel, empty."""

_SIZES: Final = ("1", "4", "5", "8", "9", "16", "0", "-3", "abc", "", "99999999")
_BLOCKS: Final = ("4,4", "2x2", "8", "16,16", "1", "1,1,1", "0", "64,64", "by occupancy", "🙂", "")
_TYPED: Final = (
    "x",
    ";",
    "}",
    "{",
    "(",
    "float y = 1.0f;\n",
    "__syncthreads();\n",
    "// note",
    "for",
    '"',
    "/*",
    "A[0]",
)
_FILTERS: Final = ("tile", "zzz", "naive", " ", "race", "mine", "s")
_LAST: Final = 25
_SETTLE_S: Final = 2.0
_TICK_MS: Final = 50
_WAITS: Final = 0.03
"""Share of the actions whose result is waited for."""
_WRITTEN: Final = 60
"""Most steps of a page of HTML that is written whole, with 25 ms for each; a longer one is begun and cancelled."""
_LISTENS: Final = 8
"""Actions from one search for new workers to the next: it takes 3 ms."""
UNEXPECTED: Final = "Something unexpected happened"


class Monkey:
    """Drives a window that is shown.

    Parameters
    ----------
    window : MainWindow
        Shown, without the search for this machine's GPUs.
    folder : Path
        Folder for the file that is edited on disk, and for exports.
    seed : int
    """

    def __init__(self, window: MainWindow, folder: Path, seed: int) -> None:
        self.window = window
        self.seed = seed
        self.last: deque[str] = deque(maxlen=_LAST)
        """The last actions, in words."""
        self.faults: list[str] = []
        """Internal errors that pages showed in place of a picture."""
        self._random = random.Random(seed)
        self._file = folder / "mine.cu"
        self._folder = folder
        self._file.write_text(TEXTS[0], encoding="utf-8")
        self._heard: set[JobRunner] = set()
        self._count = 0
        self._actions: list[tuple[int, Callable[[], str]]] = [
            (4, self._choose_page),
            (5, self._choose_kernel),
            (4, self._enter_size),
            (4, self._enter_block),
            (4, self._enter_option),
            (30, self._step),
            (18, self._press_key),
            (12, self._point),
            (3, self._begin_edit),
            (20, self._type),
            (3, self._end_edit),
            (3, self._open_file),
            (6, self._change_file),
            (2, self._type_into_browser),
            (2, self._open_lesson),
            (4, self._walk_lesson),
            (2, self._open_exercise),
            (2, self._leave_drawer),
            (4, self._change_widget),
            (3, self._open_dialog),
            (5, self._close_dialog),
            (1, self._choose_theme),
            (1, self._change_text_size),
            (4, self._cancel),
            (2, self._export),
            (2, self._compare),
            (1, self._present),
            (1, self._save_session),
            (1, self._resize),
        ]

    def act(self) -> None:
        """Do one action; now and then, wait for its result."""
        weights = [weight for weight, _ in self._actions]
        (action,) = self._random.choices([action for _, action in self._actions], weights)
        self.last.append(action.__name__.strip("_"))  # a crash inside the action names it
        self.last[-1] += f": {action()}"
        if self._count % _LISTENS == 0:
            self._listen()
        self._count += 1
        if self._random.random() < _WAITS:
            self.last[-1] += " (waited)"
            self.settle()
        QApplication.processEvents()

    def settle(self) -> None:
        """Process events until no page has work, for at most two seconds."""
        end = time.monotonic() + _SETTLE_S
        QApplication.processEvents()
        ticks = QTimer(interval=_TICK_MS)  # ends the waiting for the next event, which leaves Python to the workers
        ticks.start()
        while any(runner.busy for runner in self._heard) and time.monotonic() < end:
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        ticks.stop()

    def calm(self) -> None:
        """Close dialogs and popups, leave presentation, lesson, exercise and recording, and show the Explore page.

        Colours and text size, which belong to the application, are those of its start.
        """
        self._close_dialog()
        self._learn.runner.leave()
        self._learn.practice.leave()
        self._explore.presentation.leave()
        self._explore.export.cancel()
        self._explore.editing.leave()
        self.window.session.play(None)
        self.window.header.text_size_requested.emit(0)
        self.window.header.theme_chosen.emit("system")
        self.window.show_page(EXPLORE)

    def shown_kernel(self) -> str:
        """Return the name of the kernel in the picture; empty without one."""
        story = self._explore.story
        return story.selection.kernel.id if story is not None and story.selection is not None else ""

    def story(self) -> str:
        """Return the seed and the last actions, for a report."""
        return f"seed {self.seed}, the last actions:\n" + "\n".join(self.last)

    @property
    def _explore(self) -> ExplorePage:
        return cast("ExplorePage", self._page(EXPLORE))

    @property
    def _learn(self) -> LearnPage:
        return cast("LearnPage", self._page(LEARN))

    def _page(self, number: int) -> QWidget:
        """Return a page, which is built without being shown."""
        if number not in self.window._pages:
            self.window.show_page(number)
        return self.window.page(number)

    def _listen(self) -> None:
        """Note internal errors of every worker: a page shows them as its message."""
        for runner in {*self.window.findChildren(JobRunner), *self._explore.findChildren(JobRunner)} - self._heard:
            runner.failed.connect(self._hear)
            self._heard.add(runner)

    def _hear(self, error: TilescopeError) -> None:
        if UNEXPECTED in str(error):
            self.faults.append(str(error))

    # Selection

    def _choose_page(self) -> str:
        number = self._random.choice((EXPLORE, EXPLORE, EXPLORE, BENCHMARK, OCCUPANCY, LEARN))
        self.window.show_page(number)
        return PAGES[number].title

    def _choose_kernel(self) -> str:
        box = self.window.bar.kernel
        rows = [row for row in range(box.count()) if box.itemData(row) is not None]
        row = self._random.choice(rows)
        box.setCurrentIndex(row)
        box.activated.emit(row)
        return box.itemText(row)

    def _enter_size(self) -> str:
        count = self._random.choice((1, 2, 3))
        text = "×".join(self._random.choice(_SIZES) for _ in range(count))
        field = self.window.bar.lengths.lineEdit()
        assert field is not None
        field.setText(text)
        QTest.keyClick(field, Qt.Key.Key_Return)
        return f"size {text}"

    def _enter_block(self) -> str:
        text = self._random.choice(_BLOCKS)
        field = self.window.bar.block.lineEdit()
        assert field is not None
        field.setText(text)
        QTest.keyClick(field, Qt.Key.Key_Return)
        return text

    def _enter_option(self) -> str:
        options = self.window.session.selection.kernel.options
        if not options:
            return "none"
        option = self._random.choice(options)
        word = self._random.choice(option.choices).word
        self.window.bar.options.option_picked.emit(option.name, word)
        return f"{option.name} = {word}"

    def _type_into_browser(self) -> str:
        """Type into the open browser, whose list another file replaces meanwhile."""
        box, text = self.window.bar.kernel, self._random.choice(_FILTERS)
        box.showPopup()
        QTest.keyClicks(box.browser.filter, text[:1])
        self.window.session.offers_changed.emit()
        QTest.keyClicks(box.browser.filter, text[1:])
        key = self._random.choice((Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Down, Qt.Key.Key_PageUp))
        QTest.keyClick(box.browser.filter, key)
        if self._random.random() < 0.5:
            box.hidePopup()
        return f"{text}, {key.name}"

    # Time and picture

    def _step(self) -> str:
        timeline = self._explore.timeline
        moves: dict[str, Callable[[], object]] = {
            "forward": partial(timeline.step, 1),
            "back": partial(timeline.step, -1),
            "first": timeline.first,
            "last": timeline.last,
            "tenth": partial(timeline.go_to_tenth, self._random.randrange(10)),
            "play": timeline.toggle,
            "phase": partial(timeline.skip, "phase", 1),
        }
        name = self._random.choice(list(moves))
        moves[name]()
        return name

    def _press_key(self) -> str:
        """Press a key of the picture, where it has the focus."""
        if self.window.header.page != EXPLORE:
            return "not on Explore"
        keys = [key for part in (TIME, PICTURE) for key in part.values() if key.sequences]
        sequence = self._random.choice(self._random.choice(keys).sequences)
        self._explore.canvas.setFocus()
        QTest.keySequence(self._explore.canvas, sequence)
        return sequence

    def _point(self) -> str:
        canvas = self._explore.canvas
        if not canvas.isVisible():
            return "hidden"
        place = QPoint(self._random.randrange(max(1, canvas.width())), self._random.randrange(max(1, canvas.height())))
        QTest.mouseMove(canvas, place)
        if self._random.random() < 0.5:
            QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
        return f"{place.x()},{place.y()}"

    def _compare(self) -> str:
        self._explore._ask_comparison()
        actions = [action for action in self._explore.compare_menu.actions() if action.isEnabled()]
        if actions and self._explore.compare_menu.isVisible():
            self._random.choice(actions).trigger()
        self._explore.compare_menu.hide()
        return f"{len(actions)} offers"

    def _present(self) -> str:
        if self._explore.presentation.active:
            self._explore.presentation.leave()
            return "leave"
        self.window.show_page(EXPLORE)
        self._explore.present()
        return "begin"

    # The text

    def _begin_edit(self) -> str:
        self.window.show_page(EXPLORE)
        self._explore.editing.begin()
        return str(self._explore.editing.active)

    def _type(self) -> str:
        if not self._explore.editing.active:
            return "not editing"
        area = self._explore.listing.area
        cursor = area.textCursor()
        cursor.setPosition(self._random.randrange(len(area.text) + 1))
        area.setTextCursor(cursor)
        match self._random.randrange(6):
            case 0:
                QTest.keyClick(area, Qt.Key.Key_Slash, Qt.KeyboardModifier.ControlModifier)
                return "comment"
            case 1:
                cursor.movePosition(QTextCursor.MoveOperation.NextWord, QTextCursor.MoveMode.KeepAnchor)
                cursor.removeSelectedText()
                return "delete"
            case 2:
                area.undo()
                return "undo"
            case 3:
                area.redo()
                return "redo"
            case _:
                text = self._random.choice(_TYPED)
                lines = text.split("\n")
                QTest.keyClicks(area, lines[0])
                for line in lines[1:]:
                    QTest.keyClick(area, Qt.Key.Key_Return)  # keyClicks aborts at control characters
                    QTest.keyClicks(area, line)
                return repr(text)

    def _end_edit(self) -> str:
        end = self._random.choice(("finish", "leave", "revert", "run", "compare"))
        getattr(self._explore.editing, end)()
        return end

    def _open_file(self) -> str:
        self.window.open_file(self._file)
        return f"exists: {self._file.exists()}"

    def _change_file(self) -> str:
        if self._random.random() < 0.35:
            self._file.unlink(missing_ok=True)
            return "delete"
        number = self._random.choice((0, 0, 1, *range(len(TEXTS))))
        self._file.write_text(TEXTS[number], encoding="utf-8")
        return f"text {number}"

    # Lessons and exercises

    def _open_lesson(self) -> str:
        lesson = self._random.choice(lessons())
        number = self._random.randrange(len(lesson.steps))
        self._learn.begin(lesson.id, number)
        return f"{lesson.id}, step {number}"

    def _walk_lesson(self) -> str:
        runner = self._learn.runner
        move = self._random.choice((1, 1, -1))
        runner.go(runner.number + move)
        return str(move)

    def _open_exercise(self) -> str:
        exercise = self._random.choice(exercises())
        self._learn.practise(exercise.id)
        return exercise.id

    def _leave_drawer(self) -> str:
        self._learn.runner.leave()
        self._learn.practice.leave()
        return "lesson and exercise"

    # Everything else

    def _change_widget(self) -> str:
        """Change a box, a check mark, a number or a tab of the page that is shown."""
        page = self._page(self.window.header.page)
        shown = [
            widget
            for kind in (QComboBox, QCheckBox, QAbstractSpinBox, QTabWidget)
            for widget in page.findChildren(kind)
            if widget.isVisible() and widget.isEnabled()
        ]
        if not shown:
            return "none"
        widget = self._random.choice(shown)
        match widget:
            case QComboBox() if widget.count():
                row = self._random.randrange(widget.count())
                widget.setCurrentIndex(row)
                widget.activated.emit(row)
            case QCheckBox():
                widget.click()
            case QAbstractSpinBox():
                widget.stepBy(self._random.choice((1, -1)))
            case QTabWidget():
                widget.setCurrentIndex(self._random.randrange(widget.count()))
        return f"{type(widget).__name__} {widget.accessibleName()}"

    def _open_dialog(self) -> str:
        kind = self._random.choice(("help", "picture", "film", "launch"))
        if kind == "help":
            self.window.header.help_requested.emit()
        elif kind == "launch":
            self.window.recording_bar.launch_requested.emit()
        elif self._explore.scene is not None:
            self._explore.export._ask_choice(film=kind == "film")
        return kind

    def _close_dialog(self) -> str:
        """Close what lies over the window; a proposed launch may be run."""
        names = []
        for top in QApplication.topLevelWidgets():
            if not top.isVisible() or not isinstance(top, QDialog | QMenu):
                continue
            names.append(type(top).__name__)
            if (dialog := cast("Any", top)) and hasattr(dialog, "launch_requested") and self._random.random() < 0.5:
                dialog._accept()
            else:
                top.close()
        self.window.bar.kernel.hidePopup()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        return ", ".join(names) or "none"

    def _choose_theme(self) -> str:
        choice = self._random.choice(("light", "dark", "system"))
        self.window.header.theme_chosen.emit(choice)
        return choice

    def _change_text_size(self) -> str:
        step = self._random.choice((1, -1, 0))
        self.window.header.text_size_requested.emit(step)
        return str(step)

    def _cancel(self) -> str:
        what = self._random.choice(("run", "reading", "export"))
        if what == "run":
            self._explore.run_bar.cancel_requested.emit()
        elif what == "reading":
            self.window.notice.cancel_requested.emit()
        else:
            self._explore.export.cancel()
        return what

    def _export(self) -> str:
        export, kind = self._explore.export, self._random.choice(("png", "svg", "gif", "html", "trace", "nowhere"))
        path = self._folder / f"out.{kind}"
        if kind in ("png", "svg"):
            export.write_picture(path, Choice(LIGHT, PICTURE_SIZES[1]))
        elif kind == "gif":
            export.write_film(path, Choice(LIGHT, PICTURE_SIZES[1], (0, 1)))
        elif kind == "html":
            export.write_page(path)
            if len(self._explore.frames) > _WRITTEN:
                export.cancel()
        elif kind == "trace":
            export.write_trace(path)
        else:
            export.write_picture(self._folder / "nowhere" / "out.png", Choice(LIGHT, PICTURE_SIZES[1]))
        return kind

    def _save_session(self) -> str:
        file = self._folder / "kept.tilescope"
        if file.exists() and self._random.random() < 0.5:
            self.window.open_file(file)
            return "open"
        self.window.sessions.save(file)
        return "save"

    def _resize(self) -> str:
        width, height = self._random.choice(((960, 600), (1280, 800), (1600, 900), (1100, 640)))
        self.window.resize(width, height)
        return f"{width}×{height}"
