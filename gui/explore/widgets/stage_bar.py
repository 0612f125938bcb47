"""Stage bar: buttons above the picture for its zoom and colouring, and for what other parts add."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, get_args

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QToolButton, QWidget

from gui.explore.scene.scene import Colouring, Options, Zoom
from gui.widgets.controls import label, tool
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.keys import KEYS, bind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ZOOM_TIPS: Final[Mapping[Zoom, str]] = {
    "grid": "All blocks of the grid, the block shown marked",
    "block": "The block shown, with its shared memory and its threads",
    "warp": "The 32 lanes of one warp, with the branches that separate them",
}
COLOURING_TIPS: Final[Mapping[Colouring, str]] = {
    "block": "Arrays have colours, and in the grid blocks",
    "warp": "Threads, and the elements that they access, have the colour of their warp",
    "thread": "Each thread, and the elements that it accesses, have a colour",
}


class StageBar(QWidget):
    """Buttons for the options of the picture. They take no focus, since Space plays: each has a key.

    Parameters
    ----------
    keys : QWidget
        The widget in which the keys act.

    Signals
    -------
    options_changed()
        Another zoom or colouring was chosen.
    """

    options_changed = Signal()

    def __init__(self, keys: QWidget) -> None:
        super().__init__(keys)
        self._keys = keys
        self._options = Options()
        self.setAccessibleName("Options of the picture")
        self._row = FlowLayout(self)
        self._row.setContentsMargins(8, 2, 8, 4)
        self._row.setSpacing(8)
        self._zoom = self._add_choice("Zoom", ZOOM_TIPS, "zoom_in")
        self._zoom.idClicked.connect(lambda number: self.set_zoom(list(ZOOM_TIPS)[number]))
        self._colouring = self._add_choice("Colour", COLOURING_TIPS, "colour")
        self._colouring.idClicked.connect(lambda number: self.set_colouring(list(COLOURING_TIPS)[number]))
        tip = "Count the reads of each element of global memory so far, in place of its value"
        self.reads = self.add_button("Reads", tip, KEYS["reads"].words, self.set_reads, checkable=True)
        bind(
            keys,
            {
                "zoom_in": lambda: self.zoom(1),
                "zoom_out": lambda: self.zoom(-1),
                "colour": self.next_colouring,
            },
        )
        self._show()

    # --- interface -------------------------------------------------------------------------------------

    @property
    def options(self) -> Options:
        """Options of the picture."""
        return self._options

    def set_zoom(self, level: Zoom) -> None:
        """Show the grid, the block or one warp."""
        self._change(replace(self._options, zoom=level))

    def set_reads(self, on: bool) -> None:
        """Show how often elements were read from global memory, or their values."""
        self.reads.setChecked(on)
        self._change(replace(self._options, reads=on))

    def zoom(self, steps: int) -> None:
        """Zoom in (1) or out (-1); beyond the last level nothing happens."""
        levels = get_args(Zoom)
        number = levels.index(self._options.zoom) + steps
        self.set_zoom(levels[min(max(number, 0), len(levels) - 1)])

    def set_colouring(self, colouring: Colouring) -> None:
        """Colour by block, warp or thread."""
        self._change(replace(self._options, colouring=colouring))

    def next_colouring(self) -> None:
        """Change to the next colouring; after the last comes the first."""
        choices = get_args(Colouring)
        self.set_colouring(choices[(choices.index(self._options.colouring) + 1) % len(choices)])

    def add_button(
        self, text: str, tip: str, key: str, action: Callable[[bool], object], *, checkable: bool = False
    ) -> QToolButton:
        """Add a button with its key; `action` gets True if a checkable button is checked now."""
        button = self._button(text, tip, key)
        button.setCheckable(checkable)
        button.clicked.connect(lambda checked=False: action(checked))
        self._add_key(key, button.click)
        self._row.addWidget(button)
        return button

    def add_label(self, words: QLabel) -> None:
        """Add words to the row."""
        self._row.addWidget(words)

    # --- inside ----------------------------------------------------------------------------------------

    def _change(self, options: Options) -> None:
        changed = options != self._options
        self._options = options
        self._show()
        if changed:
            self.options_changed.emit()

    def _show(self) -> None:
        self._zoom.button(list(ZOOM_TIPS).index(self._options.zoom)).setChecked(True)
        self._colouring.button(list(COLOURING_TIPS).index(self._options.colouring)).setChecked(True)

    def _add_choice(self, name: str, tips: Mapping[Zoom, str] | Mapping[Colouring, str], key: str) -> QButtonGroup:
        """Add a title and a button for each choice, of which one is checked; `key` is the name of its key."""
        part = QWidget(self)
        row = QHBoxLayout(part)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(label(f"{name}:"))
        group = QButtonGroup(part)
        for number, (choice, tip) in enumerate(tips.items()):
            button = self._button(choice.capitalize(), tip, KEYS[key].words)
            button.setCheckable(True)
            button.setAccessibleName(f"{name}: {choice}")
            group.addButton(button, number)
            row.addWidget(button)
        self._row.addWidget(part)
        return group

    def _button(self, text: str, tip: str, key: str) -> QToolButton:
        button = tool(text, f"{tip} ({key})")
        button.setProperty("narrow", True)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setAccessibleName(text)
        return button

    def _add_key(self, key: str, action: Callable[[], object]) -> None:
        shortcut = QShortcut(QKeySequence(key), self._keys)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(action)
