"""Command palette: every action, kernel, lesson, setting and word, found by typing."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QPainter, QPalette, QShortcut
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFrame,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QWidget,
)

from gui.shell.help import glossary
from gui.shell.pages import PAGES, RECORDINGS, Command, CommandModule
from gui.widgets.controls import field, label, scale_with_text, vbox
from gui.widgets.keys import KEYS, PAGE_KEYS, SECTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gui.selection.session import Session
    from gui.shell.pages import Shell
    from kernels.catalog import Kernel

_WIDTH_PX: Final = 760
_HEIGHT_SHARE: Final = 0.42
"""Share of the window's height that the palette takes."""
_TOP_PX: Final = 44
_MARGIN_PX: Final = 8
_GAP_PX: Final = 10

_LINE_FROM_LIST: Final = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)

_WHOLE, _BEGINNING, _INSIDE, _LETTERS = 8.0, 6.0, 3.0, 1.0
"""Scores of a typed word: it is a word of the text, its beginning, a part of it, or letters of it in their order."""
_OF_WORDS: Final = 0.25
"""Weight of a match outside the title."""

_SKIPPED: Final = {"pages", "home", "tenths", "palette", "window"}
"""Keys that are no command: pages have entries of their own, and one key is that of the palette."""

_SECTIONS: Final = {name: section for section, keys in SECTIONS.items() for name in keys}


class CommandPalette(QFrame):
    """Panel over the upper part of a window: a line to type in, and the commands that fit.

    It takes the focus while it is shown, and gives it back.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.setObjectName("panel")
        self._commands: tuple[Command, ...] = ()
        self._focus_before: QWidget | None = None
        self.line = field("Find a command")
        self.line.setPlaceholderText("An action, kernel, lesson, exercise, setting or word")
        self.list = QListWidget()
        self.list.setAccessibleName("Commands")
        self.list.setItemDelegate(_Rows(self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.none = label("Nothing has all of these words.", "muted")
        column = vbox(self, (_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, _MARGIN_PX))
        column.addWidget(self.line)
        column.addWidget(self.list, 1)
        column.addWidget(self.none, 1, Qt.AlignmentFlag.AlignCenter)
        self.setFocusProxy(self.line)
        self.line.installEventFilter(self)
        self.line.textChanged.connect(self._show)
        self.list.itemClicked.connect(self._run)
        self.hide()

    @property
    def shown(self) -> tuple[Command, ...]:
        """Commands in the list, the best first."""
        return tuple(command_of(self.list.item(row)) for row in range(self.list.count()))

    def open(self, commands: Iterable[Command]) -> None:
        """Show commands over the window."""
        self._commands = tuple(commands)
        if not self.isVisible():
            self._focus_before = QApplication.focusWidget()
        width = min(scale_with_text(_WIDTH_PX), self._window.width() - 2 * _TOP_PX)
        left = (self._window.width() - width) // 2
        place = QRect(left, _TOP_PX, width, int(self._window.height() * _HEIGHT_SHARE))
        self.setGeometry(place)
        self.line.clear()
        self._show("")
        self.show()
        self.raise_()
        self.line.setFocus()

    def leave(self) -> None:
        """Hide, and give the focus back."""
        before, self._focus_before = self._focus_before, None
        self.hide()
        if before is not None and before.isVisible():
            before.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move in the list, run its current command, or leave, while the line has the focus."""
        if watched is not self.line:
            return super().eventFilter(watched, event)
        if isinstance(event, QKeyEvent):
            escape, enter = event.key() == Qt.Key.Key_Escape, event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if event.type() == QEvent.Type.ShortcutOverride and escape:
                event.accept()  # else a shortcut of the window would have it
                return True
            if event.type() == QEvent.Type.KeyPress and (escape or enter):
                if escape:
                    self.leave()
                else:
                    self._run(self.list.currentItem())
                return True
            if event.type() == QEvent.Type.KeyPress and event.key() in _LINE_FROM_LIST:
                QApplication.sendEvent(self.list, event)
                return True
        # A menu or another window that is opened over this one gives the focus back.
        away = Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason
        if isinstance(event, QFocusEvent) and event.lostFocus() and event.reason() not in away:
            self.hide()
        return super().eventFilter(watched, event)

    def _show(self, text: str) -> None:
        self.list.clear()
        for command in best(self._commands, text):
            item = QListWidgetItem(command.title)
            item.setData(Qt.ItemDataRole.UserRole, command)
            spoken = ", ".join(filter(None, (command.title, command.kind, command.keys)))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, spoken)
            self.list.addItem(item)
        found = self.list.count() > 0
        self.list.setVisible(found)
        self.none.setHidden(found)
        self.list.setCurrentRow(0)

    def _run(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            command = command_of(item)
            self.leave()
            command.run()


class _Rows(QStyledItemDelegate):
    """Painting of a row: the title at the left; at the right its keys and, muted, its kind."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return one line of text."""
        return QSize(0, option.fontMetrics.height() + _GAP_PX)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint one row."""
        command: Command = index.data(Qt.ItemDataRole.UserRole)
        role, chosen = QPalette.ColorRole, bool(option.state & QStyle.StateFlag.State_Selected)
        ink = option.palette.color(role.HighlightedText if chosen else role.Text)
        muted = ink if chosen else option.palette.color(role.PlaceholderText)
        if chosen:
            painter.fillRect(option.rect, option.palette.color(role.Highlight))
        painter.setFont(option.font)
        words, kinds = option.rect.adjusted(_GAP_PX, 0, -_GAP_PX, 0), option.fontMetrics.horizontalAdvance("Exercise")
        painter.setPen(muted)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(words, right, command.kind)
        words.setRight(words.right() - kinds - 2 * _GAP_PX)
        if command.keys:
            painter.setPen(ink)
            painter.drawText(words, right, command.keys)
            words.setRight(words.right() - option.fontMetrics.horizontalAdvance(command.keys) - 2 * _GAP_PX)
        painter.setPen(ink)
        title = option.fontMetrics.elidedText(command.title, Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, title)


def command_of(item: QListWidgetItem) -> Command:
    """Return the command of a row."""
    return cast("Command", item.data(Qt.ItemDataRole.UserRole))


def best(commands: Sequence[Command], text: str) -> list[Command]:
    """Return the commands that have every typed word, in any order, the best first; all of them without a word."""
    typed = text.casefold().split()
    scored = [(_score(command, typed), len(command.title), at) for at, command in enumerate(commands)]
    fitting = [entry for entry in scored if entry[0] > 0] if typed else scored
    if typed:
        fitting.sort(key=lambda entry: (-entry[0], entry[1], entry[2]))
    return [commands[at] for *_, at in fitting]


def _score(command: Command, typed: Sequence[str]) -> float:
    """Return how well a command fits; 0 if it lacks one of the typed words."""
    title = command.title.casefold()
    other = f"{command.kind} {command.keys} {command.words}".casefold()
    scores = [max(_match(word, title, letters=True), _OF_WORDS * _match(word, other)) for word in typed]
    return sum(scores) if all(scores) else 0.0


def _match(word: str, text: str, *, letters: bool = False) -> float:
    """Return how well a typed word matches a text; `letters` lets it leave letters of one of its words out."""
    if word not in text:
        return _LETTERS if letters and len(word) > 2 and any(_in_order(word, part) for part in text.split()) else 0.0
    parts = "".join(c if c.isalnum() or c in "+_" else " " for c in text).split()
    if word in parts:
        return _WHOLE
    return _BEGINNING if any(part.startswith(word) for part in parts) else _INSIDE


def _in_order(word: str, part: str) -> bool:
    """Return whether a word begins like `part`, and its letters stand there in their order."""
    rest = iter(part)
    return word[0] == part[0] and all(letter in rest for letter in word)


# --- commands ------------------------------------------------------------------------------------------


def commands(
    window: QWidget,
    session: Session,
    shell: Shell,
    built: Mapping[int, QWidget],
    present: int,
    explain: Callable[[str], object],
) -> Iterator[Command]:
    """Yield all commands of a window; those of the page that is present come first.

    `built` are the pages that exist, `explain` opens the help at a word.
    """

    def open_page(number: int) -> QWidget:
        shell.show_page(number)
        return shell.page(number)

    seen: set[tuple[str, str]] = set()
    others = [number for number in built if number != present]
    for number, root in ((present, window), *((number, built[number]) for number in others)):
        for command in _actions(root, partial(open_page, number) if number in others else lambda: None):
            if (command.title, command.keys) not in seen:
                seen.add((command.title, command.keys))
                yield command
    for number, spec in enumerate(PAGES):
        yield Command(spec.title, "Page", partial(open_page, number), PAGE_KEYS[number], spec.tip)
    for kernel in session.kernels:
        if kernel.file is not None:
            about = f"{kernel.id} {kernel.teaches} {kernel.flaw}"
            yield Command(kernel.title, "Kernel", partial(_choose, session, shell, present, kernel), words=about)
    for number, spec in enumerate(PAGES):
        if spec.commands:
            yield from cast("CommandModule", import_module(spec.commands)).commands(partial(open_page, number))
    for word in glossary():
        yield Command(word.name, "Word", partial(explain, word.name), words=f"{word.others} {word.meaning}")


def _choose(session: Session, shell: Shell, present: int, kernel: Kernel) -> None:
    """Select a kernel, on the present page if that follows the selection."""
    if not PAGES[present].selects:
        shell.show_page(RECORDINGS)
    session.select(kernel=kernel)
    session.play(None)


def _actions(root: QWidget, come: Callable[[], object]) -> Iterator[Command]:
    """Yield what keys, buttons with keys, and menus of buttons do below a widget; `come` shows it first."""
    for button in root.findChildren(QAbstractButton):
        menu = button.menu() if isinstance(button, QToolButton | QPushButton) else None
        if _usable(button, root) and menu is not None:
            title = button.text().replace("&", "") or button.accessibleName()
            yield from _menu_actions(menu, title, come)
        elif _usable(button, root) and not button.shortcut().isEmpty():
            yield from _of_key(_key_name("", [button.shortcut()]), partial(_after, come, button.click))
    for shortcut in root.findChildren(QShortcut):
        owner = shortcut.parent()
        if shortcut.isEnabled() and isinstance(owner, QWidget) and _usable(owner, root):
            name = _key_name(shortcut.objectName(), [shortcut.key()])
            yield from _of_key(name, partial(_after, come, shortcut.activated.emit))
    for action in (*root.actions(), *(a for part in root.findChildren(QWidget) for a in part.actions())):
        if action.isEnabled() and not action.text() and action.shortcuts():
            yield from _of_key(_key_name("", action.shortcuts()), partial(_after, come, action.trigger))


def _menu_actions(menu: QMenu, title: str, come: Callable[[], object]) -> Iterator[Command]:
    for action in menu.actions():
        inner = cast("QMenu | None", action.menu())
        text, _, keys = action.text().replace("&", "").partition("\t")
        if inner is not None:
            yield from _menu_actions(inner, text, come)
        elif action.isEnabled() and text and (name := _key_name("", action.shortcuts())) not in _SKIPPED:
            kind = "Setting" if action.isCheckable() else "Action"
            shown = KEYS[name].words if name else keys
            yield Command(f"{title}: {text}", kind, partial(_after, come, action.trigger), shown)


def _of_key(name: str, run: Callable[[], object]) -> Iterator[Command]:
    """Yield the command of a key of the list of keys; its first clause is the title."""
    if name and name not in _SKIPPED:
        title, _, more = KEYS[name].does.partition(";")
        yield Command(f"{title[0].upper()}{title[1:]}", "Action", run, KEYS[name].words, f"{_SECTIONS[name]} {more}")


def _key_name(name: str, sequences: Sequence[QKeySequence]) -> str:
    """Return the name in the list of keys: that which `bind` has given, else that of the sequences."""
    if name in KEYS or not sequences:
        return name if name in KEYS else ""
    listed = {other: [QKeySequence(sequence) for sequence in key.sequences] for other, key in KEYS.items()}
    same = [other for other, found in listed.items() if found == list(sequences)]
    return next(iter(same or [other for other, found in listed.items() if sequences[0] in found]), "")


def _usable(widget: QWidget, root: QWidget) -> bool:
    return widget.isEnabled() and (widget is root or widget.isVisibleTo(root))


def _after(come: Callable[[], object], run: Callable[[], object]) -> None:
    come()
    run()
