"""Stage bar: zoom of the picture, and its layers in one menu whose button says what differs from the default."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, get_args

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QButtonGroup, QMenu, QToolButton, QWidget

from gui.explore.playback.stage_state import ORDERS
from gui.explore.stage.scene import Colouring, Zoom
from gui.widgets.choices import add_choices, check_choice
from gui.widgets.controls import StageButton, hbox, radio, radio_group
from gui.widgets.keys import KEYS, bind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gui.explore.playback.playback import Playback
    from gui.explore.stage.scene import Options

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

_MOST_NAMED: Final = 2
"""Layers that the button names; of more it says the number."""


class StageBar(QWidget):
    """Zoom and layers of the picture; each has a key.

    Parameters
    ----------
    playback : Playback
        Holds the options.
    keys : QWidget
        The widget in which the keys act.

    Signals
    -------
    options_changed()
        Another zoom, colouring or heat map was chosen.
    warp_wanted()
        The steps of one warp are to be played: of the one that is shown.
    warp_changed()
        The steps of another warp, or of all, are to be played.
    warp_moved(int)
        The next warp (1) or the one before (-1) is to be selected.
    detail_changed()
        The detail was changed: every statement, or memory steps only.
    schedule_changed()
        The user chose another order of warps and blocks.
    """

    options_changed = Signal()
    warp_wanted = Signal()
    warp_changed = Signal()
    warp_moved = Signal(int)
    detail_changed = Signal()
    schedule_changed = Signal()

    def __init__(self, playback: Playback, keys: QWidget) -> None:
        super().__init__(keys)
        self.playback = playback
        self._keys = keys
        self.setAccessibleName("Options of the picture")
        self._row = hbox(self, spacing=0)
        self._zoom = self._add_zoom()
        self.layers = StageButton("layers ▾", "What the picture shows: colours, heat map, motion, statements, order")
        self.layers.setAccessibleName("Layers")
        self.layers.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self.layers)
        self.menu.setToolTipsVisible(True)
        self.layers.setMenu(self.menu)
        self._row.addSpacing(8)
        self._row.addWidget(self.layers)
        self._fill_menu()
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
    def schedule(self) -> str:
        """The chosen order of warps and blocks, as the simulator calls it."""
        return str(self._orders.checkedAction().data())

    def show_launch(self, *, arrays: bool) -> None:
        """Enable what the launch has: options for warps, and the heat map if arrays of global memory are drawn."""
        warps = self.playback.warps
        for part in (self._zoom.button(_WARP_ZOOM), self._colouring, self.one_warp):
            part.setEnabled(warps > 0)
        for action in self._walk:
            action.setEnabled(warps > 1)
        self.reads.setEnabled(arrays)
        self._show()

    def set_ordered(self, *, ordered: bool) -> None:
        """Say whether the order of warps and blocks can be chosen: of a recording it cannot."""
        for action in self._orders.actions():
            action.setVisible(ordered)

    def follow(self, warp: int | None) -> None:
        """Play the steps of one warp (number in its block) only, or all steps."""
        if warp != self.playback.chosen.warp:
            self.playback.chosen = replace(self.playback.chosen, warp=warp)
            self._show()
            self.warp_changed.emit()

    def set_options(self, options: Options) -> None:
        """Change all options, except for the warp whose steps are played."""
        options = replace(options, warp=self.playback.chosen.warp)
        changed = options != self.playback.chosen
        self.playback.chosen = options
        self._show()
        if changed:
            self.options_changed.emit()

    def set_zoom(self, level: Zoom) -> None:
        """Show the grid, the block or one warp."""
        self.set_options(replace(self.playback.chosen, zoom=level))

    def set_reads(self, on: bool) -> None:
        """Show how often elements were read from global memory, or their values."""
        self.set_options(replace(self.playback.chosen, reads=on))

    def zoom(self, steps: int) -> None:
        """Zoom in (1) or out (-1); beyond the last level nothing happens."""
        levels = get_args(Zoom)
        number = levels.index(self.playback.chosen.zoom) + steps
        self.set_zoom(levels[min(max(number, 0), len(levels) - 1)])

    def set_colouring(self, colouring: Colouring) -> None:
        """Colour by block, warp or thread."""
        self.set_options(replace(self.playback.chosen, colouring=colouring))

    def next_colouring(self) -> None:
        """Change to the next colouring; after the last comes the first."""
        choices = get_args(Colouring)
        self.set_colouring(choices[(choices.index(self.playback.chosen.colouring) + 1) % len(choices)])

    def set_every_statement(self, on: bool) -> None:
        """Choose the detail."""
        if on != self.playback.every_statement:
            self.playback.every_statement = on
            self.detail_changed.emit()
        self._show()

    def choose_detail(self, every: bool | None, *, proposed: bool) -> None:
        """Choose the detail as the user did, or for None as the launch proposes it."""
        self.playback.chooses_detail = every is not None
        self.set_every_statement(proposed if every is None else every)

    def set_schedule(self, schedule: str) -> None:
        """Choose the order of warps and blocks, as the simulator calls it."""
        check_choice(self._orders, schedule)
        self._show()

    def add_layer(self, text: str, words: str, key: str, act: Callable[[bool], object]) -> QAction:
        """Add a layer that is on or off, with its key; `act` gets whether it is on now."""
        action = self._add(text, words, key, self._after_layers)
        action.setCheckable(True)
        action.triggered.connect(lambda on=False: act(on))
        return action

    # --- inside ----------------------------------------------------------------------------------------

    def _toggle_warp(self, on: bool) -> None:
        if on:
            self.warp_wanted.emit()
        else:
            self.follow(None)

    def _show(self) -> None:
        chosen = self.playback.chosen
        self._zoom.button(list(ZOOM_TIPS).index(chosen.zoom)).setChecked(True)
        check_choice(self._colouring, chosen.colouring)
        self.reads.setChecked(chosen.reads)
        self._detail.setChecked(self.playback.every_statement)
        self.one_warp.setChecked(chosen.warp is not None)
        named = self.differences
        words = ", ".join(named) if len(named) <= _MOST_NAMED else f"{len(named)} changed"
        self.layers.setText(f"layers: {words} ▾" if words else "layers ▾")

    @property
    def differences(self) -> tuple[str, ...]:
        """Words for the layers that differ from the default."""
        shown = self.playback.options
        warp = f"warp {shown.warp}" if shown.warp is not None else ""
        colours = f"{shown.colouring} colours" if shown.colouring != "block" else ""
        heat = "heat map" if shown.reads else ""
        ordered = self._orders.checkedAction().text() if self.schedule != ORDERS[0].schedule else ""
        return tuple(filter(None, (warp, colours, heat, ordered)))

    def _fill_menu(self) -> None:
        self.menu.addSection("Colour by")
        names = {choice: choice.capitalize() for choice in COLOURING_TIPS}
        self._colouring = add_choices(self.menu, names, self.set_colouring)
        for action, words in zip(self._colouring.actions(), COLOURING_TIPS.values(), strict=True):
            action.setToolTip(f"{words} ({KEYS['colour'].words})")
        self.menu.addSection("Show")
        words = "Count the reads of each element of global memory so far, in place of its value"
        self.reads = self._add("Heat map of reads", words, "reads")
        self.reads.setCheckable(True)
        self.reads.triggered.connect(self.set_reads)
        self._detail = QAction("Every statement", self.menu, checkable=True)
        self._detail.setToolTip("Off: only steps that access an array or wait at a barrier")
        self._detail.triggered.connect(lambda on: self.choose_detail(on, proposed=on))
        self.menu.addAction(self._detail)
        self._after_layers = self.menu.addSection("Warp")
        words = "Play the steps of one warp only, that of the thread in focus"
        self.one_warp = self._add("One warp at a time", words, "one_warp")
        self.one_warp.setCheckable(True)
        self.one_warp.triggered.connect(self._toggle_warp)
        before = self._add("Warp before", "Select the warp before", "warp_back")
        before.triggered.connect(lambda: self.warp_moved.emit(-1))
        after = self._add("Next warp", "Select the next warp", "warp_forward")
        after.triggered.connect(lambda: self.warp_moved.emit(1))
        self._walk = (before, after)
        self.menu.addSection("Order of warps and blocks")
        orders = {order.schedule: order.words for order in ORDERS}
        self._orders = add_choices(self.menu, orders, self._choose_order)
        for action in self._orders.actions():
            action.setToolTip("A GPU guarantees no order: a picture must be right in all of them")
        check_choice(self._orders, ORDERS[0].schedule)

    def _choose_order(self, _schedule: str) -> None:
        self._show()
        self.schedule_changed.emit()

    def _add(self, text: str, words: str, key: str, before: QAction | None = None) -> QAction:
        """Add an action with its key, before another one or at the end of the menu."""
        action = QAction(f"{text}\t{KEYS[key].words}", self.menu)
        action.setToolTip(words)
        if before is None:
            self.menu.addAction(action)
        else:
            self.menu.insertAction(before, action)
        bind(self._keys, {key: action.trigger})  # does nothing while the action is disabled
        return action

    def _add_zoom(self) -> QButtonGroup:
        """Add a button for each level, of which one is checked."""
        box, group = radio_group("Zoom")
        row = hbox(box, spacing=0)
        for number, (level, words) in enumerate(ZOOM_TIPS.items()):
            button = radio(group, number, level.capitalize(), f"{words} ({KEYS['zoom_in'].words})")
            button.setProperty("look", "stage")
            button.setProperty("part", "first" if number == 0 else "last" if number == len(ZOOM_TIPS) - 1 else "inner")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setAccessibleName(f"Zoom: {level}")
            row.addWidget(button)
        self._row.addWidget(box)
        group.idClicked.connect(lambda number: self.set_zoom(list(ZOOM_TIPS)[number]))
        return group
