"""Header of the window: a button for each page, and buttons for the whole window."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from gui.widgets.controls import tool
from gui.widgets.keys import KEYS, sequences

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gui.shell.pages import PageSpec
    from gui.theming.style import ThemeChoice


class Header(QWidget):
    """Row of buttons with their shortcuts.

    Signals
    -------
    page_chosen(int)
        Position of a page.
    theme_chosen(ThemeChoice)
        Light, dark, or follow the system.
    text_size_requested(int)
        Larger (1), smaller (-1) or normal (0) text.
    full_screen_requested()
        Full screen, or back.
    open_requested(), help_requested()
        The Open and Help buttons were pressed.
    """

    page_chosen = Signal(int)
    theme_chosen = Signal(str)
    text_size_requested = Signal(int)
    full_screen_requested = Signal()
    open_requested = Signal()
    help_requested = Signal()

    def __init__(self, pages: Sequence[PageSpec], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)  # the same height above every page
        self._tabs = QButtonGroup(self, exclusive=True)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for number, spec in enumerate(pages):
            keys = KEYS["pages"].sequences[number]
            tab = tool(spec.title, f"{spec.tip} ({keys})")
            tab.setCheckable(True)
            tab.setShortcut(QKeySequence(keys))
            self._tabs.addButton(tab, number)
            row.addWidget(tab)
        self._tabs.button(0).setChecked(True)
        self._tabs.idClicked.connect(self.page_chosen)
        row.addStretch(1)
        tip = f"Show a kernel of your own (.cu), a saved run (.trace) or a session ({KEYS['open'].words})"
        open_button = tool("Open…", tip, self.open_requested.emit)
        open_button.setShortcut(sequences("open")[0])
        row.addWidget(open_button)
        row.addWidget(self._view_button())
        help_button = tool("Help", f"Keys and what tilescope is ({KEYS['help'].words})", self.help_requested.emit)
        help_button.setShortcut(sequences("help")[0])
        row.addWidget(help_button)

    @property
    def page(self) -> int:
        """Position of the current page."""
        return self._tabs.checkedId()

    def show_page(self, number: int) -> None:
        """Check a page's button."""
        self._tabs.button(number).setChecked(True)

    def show_theme(self, choice: ThemeChoice) -> None:
        """Mark the chosen theme."""
        for action in self._themes.actions():
            action.setChecked(action.data() == choice)

    def _view_button(self) -> QToolButton:
        button = tool("&View", "Colours, size of the text, full screen (Alt+V)")
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        self._themes = QActionGroup(self)
        names: dict[ThemeChoice, str] = {"light": "Light", "dark": "Dark", "system": "Follow system"}
        for choice, name in names.items():
            action = QAction(name, self._themes, checkable=True)
            action.setData(choice)
            menu.addAction(action)
        self._themes.triggered.connect(lambda action: self.theme_chosen.emit(action.data()))
        menu.addSeparator()
        for text, name, step in (
            ("Larger text", "larger", 1),
            ("Smaller text", "smaller", -1),
            ("Normal text", "normal", 0),
        ):
            self._add(menu, text, name, partial(self.text_size_requested.emit, step))
        menu.addSeparator()
        self._add(menu, "Present, or full screen", "full", self.full_screen_requested.emit)
        button.setMenu(menu)
        return button

    def _add(self, menu: QMenu, text: str, name: str, slot: Callable[[], object]) -> None:
        """Add an action with the keys of a name in the list of keys."""
        action = menu.addAction(text, slot)
        action.setShortcuts(sequences(name))
        self.addAction(action)
