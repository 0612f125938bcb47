"""Stage bar: buttons above the picture for its zoom and colouring, and for what other parts add."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, get_args

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QToolButton, QWidget

from gui.explore.stage.scene import Colouring, Options, Zoom
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
_WARP_ZOOM: Final = list(ZOOM_TIPS).index("warp")
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
    warp_wanted()
        The steps of one warp are to be played: of the one that is shown.
    warp_changed()
        The steps of another warp, or of all, are to be played.
    warp_moved(int)
        The next warp (1) or the one before (-1) is to be selected.
    """

    options_changed = Signal()
    warp_wanted = Signal()
    warp_changed = Signal()
    warp_moved = Signal(int)

    def __init__(self, keys: QWidget) -> None:
        super().__init__(keys)
        self._keys = keys
        self._options = Options()
        self._warps = 1
        self.setAccessibleName("Options of the picture")
        self._row = FlowLayout(self)
        self._row.setContentsMargins(8, 2, 8, 4)
        self._row.setSpacing(8)
        self._zoom = self._add_choice("Zoom", ZOOM_TIPS, "zoom_in")
        self._zoom.idClicked.connect(lambda number: self.set_zoom(list(ZOOM_TIPS)[number]))
        self._colouring = self._add_choice("Colour", COLOURING_TIPS, "colour")
        self._colouring.idClicked.connect(lambda number: self.set_colouring(list(COLOURING_TIPS)[number]))
        tip = "One warp at a time: play the steps of one warp only, that of the thread in focus"
        self.one_warp = self.add_button("One warp", tip, KEYS["one_warp"].words, self._toggle_warp, checkable=True)
        self._walk = (
            self.add_button("‹", "Select the warp before", KEYS["warp_back"].words, lambda _: self.warp_moved.emit(-1)),
            self.add_button("›", "Select the next warp", KEYS["warp_forward"].words, lambda _: self.warp_moved.emit(1)),
        )
        for button, name in zip(self._walk, ("Warp before", "Next warp"), strict=True):
            button.setAccessibleName(name)
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
        if self._warps:
            return self._options
        zoom = "block" if self._options.zoom == "warp" else self._options.zoom
        return replace(self._options, zoom=zoom, colouring="block", warp=None)

    def set_warps(self, count: int) -> None:
        """Show how many warps a block has; 0 for a kernel that has none, whose options for warps are then ignored."""
        self._warps = count
        for button in (self._zoom.button(_WARP_ZOOM), *self._colouring.buttons(), self.one_warp):
            button.setEnabled(count > 0)
        for button in self._walk:
            button.setEnabled(count > 1)
        if self._options.warp is not None and self._options.warp >= count:
            self._options = replace(self._options, warp=None)
        self._show()

    def set_arrays(self, *, drawn: bool) -> None:
        """Say whether arrays of global memory are drawn, whose reads can be counted."""
        self.reads.setEnabled(drawn)

    def follow(self, warp: int | None) -> None:
        """Play the steps of one warp (number in its block) only, or all steps."""
        if warp != self._options.warp:
            self._options = replace(self._options, warp=warp)
            self._show()
            self.warp_changed.emit()

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
        self._add_key(key, button.click)  # does nothing while the button is disabled
        self._row.addWidget(button)
        return button

    def add_label(self, words: QLabel) -> None:
        """Add words to the row."""
        self._row.addWidget(words)

    # --- inside ----------------------------------------------------------------------------------------

    def _toggle_warp(self, on: bool) -> None:
        if on:
            self.warp_wanted.emit()
        else:
            self.follow(None)

    def _change(self, options: Options) -> None:
        changed = options != self._options
        self._options = options
        self._show()
        if changed:
            self.options_changed.emit()

    def _show(self) -> None:
        self._zoom.button(list(ZOOM_TIPS).index(self._options.zoom)).setChecked(True)
        self._colouring.button(list(COLOURING_TIPS).index(self._options.colouring)).setChecked(True)
        self.one_warp.setChecked(self._options.warp is not None)

    def _add_choice(self, name: str, tips: Mapping[Zoom, str] | Mapping[Colouring, str], key: str) -> QButtonGroup:
        """Add a title and a button for each choice, of which one is checked; `key` is the name of its key."""
        part = QWidget(self)
        row = QHBoxLayout(part)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        words = label(f"{name}:")
        words.setProperty("narrow", True)
        row.addWidget(words)
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
