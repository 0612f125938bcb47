"""Bar of the window: a button for each page, the fields of the selection, the page's tools, and one menu."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from gui.widgets.choices import add_choices, check_choice
from gui.widgets.controls import hbox, radio, tool
from gui.widgets.keys import PAGE_KEYS, sequences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from PySide6.QtGui import QResizeEvent

    from gui.shell.pages import PageSpec
    from gui.theming.appearance import Appearance
    from gui.theming.style import ThemeChoice
    from gui.theming.theme import Contrast, PaletteChoice

_CONTRASTS: Final[Mapping[Contrast, str]] = {"normal": "Normal contrast", "high": "High contrast"}
_PALETTES: Final[Mapping[PaletteChoice, str]] = {
    "okabe-ito": "Okabe–Ito",
    "tol-bright": "Tol bright",
    "grey": "Grey and shapes",
}


class Header(QWidget):
    """Row of buttons with their shortcuts; the fields get a row of their own where one has no room for all.

    Parameters
    ----------
    pages : sequence of PageSpec
    fields : iterable of QWidget
        Fields of the selection, of which at most one is shown at a time.

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
    palette_requested()
        The command palette was asked for.
    open_requested(), help_requested()
        Open and Help were chosen.
    """

    page_chosen = Signal(int)
    theme_chosen = Signal(str)
    text_size_requested = Signal(int)
    full_screen_requested = Signal()
    palette_requested = Signal()
    open_requested = Signal()
    help_requested = Signal()

    def __init__(self, pages: Sequence[PageSpec], fields: Iterable[QWidget], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._folded = False
        self._page_menus: list[QAction] = []
        self._tabs = QButtonGroup(self, exclusive=True)
        self._pages, self._fields, self._tools = QWidget(self), QWidget(self), QWidget(self)
        self._pages.setAccessibleName("Pages")
        for number, spec in sorted(enumerate(pages), key=lambda page: not page[1].sign):
            keys = PAGE_KEYS[number]
            tab = radio(self._tabs, number, spec.sign or spec.title, f"{spec.tip} ({keys})")
            tab.setAccessibleName(spec.title)
            tab.setShortcut(QKeySequence(keys))
            tab.setProperty("look", "tab")
        _fill(self._pages, self._tabs.buttons())
        _fill(self._fields, fields)
        self._tool_row = _fill(self._tools, ())
        self._tabs.button(0).setChecked(True)
        self._tabs.idClicked.connect(self.page_chosen)
        self.menu = QMenu(self)
        self._after_pages = self.menu.addSeparator()
        self.more = self._menu_button()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(8, 0, 8, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(1, 1)
        for column, part in enumerate((self._pages, self._fields, self._tools, self.more)):
            self._grid.addWidget(part, 0, column)

    @property
    def page(self) -> int:
        """Position of the current page."""
        return self._tabs.checkedId()

    def show_page(self, number: int, tools: Iterable[QWidget] = (), menus: Iterable[QMenu] = ()) -> None:
        """Check a page's button, and show the page's tools and menus."""
        self._tabs.button(number).setChecked(True)
        wanted = list(tools)
        for button in self._tools.findChildren(QToolButton):
            button.setVisible(button in wanted)
        for part in wanted:
            self._tool_row.addWidget(part)
            part.show()
        for action in self._page_menus:
            self.menu.removeAction(action)
        self._page_menus = [menu.menuAction() for menu in menus]
        self.menu.insertActions(self._after_pages, self._page_menus)
        self._fold()

    def show_theme(self, choice: ThemeChoice) -> None:
        """Mark the chosen theme."""
        check_choice(self._themes, choice)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the fields a row of their own where one has no room for all."""
        super().resizeEvent(event)
        self._fold()

    def event(self, event: QEvent) -> bool:
        """Do the same when other fields are shown, or the text has another size."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._fold()
        return super().event(event)

    def minimumSizeHint(self) -> QSize:
        """Return the least size with the fields in a row of their own, so that the window need not be wider."""
        first = self._least_width(self._pages, self._tools, self.more)
        return QSize(max(first, self._least_width(self._fields)), super().minimumSizeHint().height())

    def _least_width(self, *parts: QWidget) -> int:
        margins, gap = self._grid.contentsMargins(), self._grid.horizontalSpacing()
        return sum(part.minimumSizeHint().width() + gap for part in parts) + margins.left() + margins.right()

    def _fold(self) -> None:
        parts = (self._pages, self._fields, self._tools, self.more)
        folded = self._least_width(*parts) > self.width()
        if folded != self._folded:
            self._folded = folded
            self._grid.removeWidget(self._fields)
            place = (1, 0, 1, len(parts)) if folded else (0, 1, 1, 1)
            self._grid.addWidget(self._fields, *place)

    def _menu_button(self) -> QToolButton:
        button = tool("⋯", "Open, save, view, help (Alt+V)")
        button.setAccessibleName("Menu")
        button.setProperty("look", "link")
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setShortcut(QKeySequence("Alt+V"))
        self.menu.setToolTipsVisible(True)
        self._add(self.menu, "Open…", "open", self.open_requested.emit)
        self.menu.insertAction(self._after_pages, self.menu.actions()[-1])
        self.menu.addMenu(self._view_menu())
        self._add(self.menu, "Help", "help", self.help_requested.emit)
        button.setMenu(self.menu)
        return button

    def _view_menu(self) -> QMenu:
        self.view_menu = menu = QMenu("View", self)
        names: dict[ThemeChoice, str] = {"light": "Light", "dark": "Dark", "system": "Follow system"}
        self._themes = add_choices(menu, names, self.theme_chosen.emit)
        menu.addSeparator()
        for text, name, step in (
            ("Larger text", "larger", 1),
            ("Smaller text", "smaller", -1),
            ("Normal text", "normal", 0),
        ):
            self._add(menu, text, name, partial(self.text_size_requested.emit, step))
        menu.addSeparator()
        self._add(menu, "Find anything…", "palette", self.palette_requested.emit)
        self._add(menu, "Present, or full screen", "full", self.full_screen_requested.emit)
        return menu

    def _add(self, menu: QMenu, text: str, name: str, slot: Callable[[], object]) -> None:
        """Add an action with the keys of a name in the list of keys."""
        action = menu.addAction(text, slot)
        action.setShortcuts(sequences(name))
        self.addAction(action)


def add_appearance_menus(menu: QMenu, appearance: Appearance) -> None:
    """Add a menu of contrasts and one of palettes, which mark what is chosen."""
    contrasts = add_choices(menu.addMenu("Contrast"), _CONTRASTS, appearance.pick_contrast)
    palettes = add_choices(menu.addMenu("Palette"), _PALETTES, appearance.pick_palette)

    def mark() -> None:
        check_choice(contrasts, appearance.contrast)
        check_choice(palettes, appearance.palette)

    mark()
    appearance.appearance_changed.connect(mark)


def _fill(parent: QWidget, parts: Iterable[QWidget]) -> QHBoxLayout:
    """Place parts in a row, and return it."""
    row = hbox(parent, spacing=2)
    for part in parts:
        row.addWidget(part)
    return row
