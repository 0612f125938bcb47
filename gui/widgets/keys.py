"""Keys of the window: one list for shortcuts, tooltips, the help window, and the list that `?` shows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PySide6.QtWidgets import QWidget


@dataclass(frozen=True, slots=True)
class Key:
    """Keys of one action."""

    sequences: tuple[str, ...]
    """Key sequences in Qt's notation; each triggers the action."""
    does: str
    """The action, as an imperative."""
    shown: str = ""
    """The keys as people read them; by default the first sequence."""
    everywhere: bool = False
    """True if the keys act wherever in the window the focus is, not only in the widget that they belong to."""

    @property
    def words(self) -> str:
        """The keys, such as `Shift+←`."""
        return self.shown or self.sequences[0].replace("Left", "←").replace("Right", "→")


TIME: Final[dict[str, Key]] = {
    "play": Key(("Space",), "play or pause"),
    "back": Key(("Left",), "one step back"),
    "forward": Key(("Right",), "one step forward"),
    "phase_back": Key(("Shift+Left",), "to the phase before"),
    "phase_forward": Key(("Shift+Right",), "to the next phase"),
    "barrier_back": Key(("Ctrl+Left",), "to the barrier before"),
    "barrier_forward": Key(("Ctrl+Right",), "to the next barrier"),
    "first": Key(("Home",), "to the first step"),
    "last": Key(("End",), "to the last step"),
    "line": Key(("N",), "to the next execution of this line; a click on any line goes to its next one"),
    "tenths": Key(tuple("0123456789"), "to that tenth of the run", "0 … 9"),
    "wheel": Key((), "scrub, over the picture", "Wheel"),
    "remote_back": Key(
        ("PgUp",), "one step back, by a presenter's remote; in a lesson, its own step", "PageUp", everywhere=True
    ),
    "remote_forward": Key(
        ("PgDown",),
        "one step forward, by a presenter's remote; in a lesson, its own step",
        "PageDown",
        everywhere=True,
    ),
    "stride": Key(("P",), "play by step, by phase, to barriers"),
    "faster": Key(("+", "Shift++", "="), "play faster"),
    "slower": Key(("-",), "play slower", "−"),
    "loop_start": Key(("I",), "start the loop at this step"),
    "loop_end": Key(("O",), "end the loop at this step"),
    "loop_clear": Key(("X",), "clear the loop"),
}
PICTURE: Final[dict[str, Key]] = {
    "zoom_in": Key(("Z",), "zoom in: from the grid to the block, to one warp"),
    "zoom_out": Key(("Shift+Z",), "zoom out"),
    "zoom_wheel": Key((), "zoom in or out", "Ctrl+Wheel"),
    "reads": Key(("H",), "heat map: how often each element was read from global memory"),
    "one_warp": Key(("Shift+W",), "one warp at a time, or all steps"),
    "warp_back": Key(("[",), "to the warp before"),
    "warp_forward": Key(("]",), "to the next warp"),
    "colour": Key(("Shift+C",), "colour by block, warp or thread"),
    "block": Key(
        ("Ctrl+Shift+Right", "Ctrl+Shift+Left", "Ctrl+Shift+Down", "Ctrl+Shift+Up"),
        "a longer or shorter block",
        "Ctrl+Shift+arrows",
    ),
    "compare": Key(("C",), "compare with another kernel, option or block, or stop comparing"),
    "edit": Key(("E",), "edit the source, or a copy of it"),
    "pin": Key(("K",), "keep the card of what is pointed at, or let it go"),
    "return": Key(("Backspace",), "back to where a line of the card was followed"),
    "motion": Key(("M",), "motion between steps on or off"),
    "listing": Key(("L",), "show or hide the code"),
    "thread": Key(("T",), "show or hide the card of a thread or element"),
    "memory": Key(("R",), "show or hide the memory row: a warp's sectors and banks"),
    "totals": Key(("U",), "show or hide the totals of the run so far"),
    "words": Key(("W",), "explain the words of memory row and totals"),
}
PRESENTING: Final[dict[str, Key]] = {
    "present": Key(("F5",), "fill the screen with the picture and its caption", "F11, F5"),
    "spotlight": Key(("S",), "spotlight the pointer, dim the rest"),
    "pen": Key(("D",), "draw with a pen; Esc also wipes its strokes"),
    "blank": Key(("B", "."), "blank the screen; any step shows it again"),
    "leave": Key(("Esc", "F11", "F5"), "leave; Esc ends pen and spotlight first"),
    "keys": Key(("?", "Shift+?"), "show these keys"),
}
EDITING: Final[dict[str, Key]] = {
    "find": Key(("Ctrl+F",), "find in the text"),
    "replace": Key(("Ctrl+H",), "find and replace"),
    "complete": Key(("Ctrl+Space",), "complete the word"),
    "compare_original": Key(("Ctrl+D",), "compare with the original"),
    "measure": Key(("Ctrl+M",), "measure it beside the original"),
    "save_as": Key(("Ctrl+S",), "save as another file"),
    "revert": Key(("Ctrl+Shift+R",), "back to the original text"),
    "comment": Key(("Ctrl+/",), "comment lines out or in"),
    "error": Key(("F8",), "go to the error"),
}
WINDOW: Final[dict[str, Key]] = {
    "pages": Key(("Ctrl+1", "Ctrl+2", "Ctrl+3", "Ctrl+4"), "Explore, Benchmark, Occupancy, Learn", "Ctrl+1 … Ctrl+4"),
    "home": Key(("Alt+Home",), "home, with its questions"),
    "open": Key(
        ("Ctrl+O",), "open a .cu file, a saved .trace or a .tilescope session; dropping it on the window does the same"
    ),
    "save": Key(("Ctrl+Shift+S",), "save the session: text, launch, step and view, to be opened again as it is"),
    "letter": Key((), "the button, box or field whose letter is underlined; Tab goes through them", "Alt+letter"),
    "larger": Key(("Ctrl++", "Ctrl+="), "larger text", "Ctrl+Plus"),  # Ctrl++ is Ctrl+= without Shift
    "smaller": Key(("Ctrl+-",), "smaller text", "Ctrl+Minus"),
    "normal": Key(("Ctrl+0",), "normal text"),
    "full": Key(("F11",), "present, on Explore; on other pages full screen"),
    "window": Key(("Esc",), "back to the window"),
    "palette": Key(("Ctrl+K",), "find any action, kernel, lesson, exercise, setting or word"),
    "help": Key(("F1",), "help"),
    "quit": Key(("Ctrl+Q",), "quit"),
}

SECTIONS: Final[dict[str, dict[str, Key]]] = {
    "Time": TIME,
    "Picture": PICTURE,
    "Editing": EDITING,
    "Presenting": PRESENTING,
    "Window": WINDOW,
}
KEYS: Final[dict[str, Key]] = TIME | PICTURE | EDITING | PRESENTING | WINDOW
PAGE_KEYS: Final = (*KEYS["pages"].sequences, *KEYS["home"].sequences)
"""Key of each page, by its position."""


def tip(name: str) -> str:
    """Return a tooltip: what an action does, and its key."""
    key = KEYS[name]
    return f"{key.does[0].upper()}{key.does[1:]} ({key.words})"


def sequences(name: str) -> list[QKeySequence]:
    """Return the key sequences of an action."""
    return [QKeySequence(sequence) for sequence in KEYS[name].sequences]


def bind(widget: QWidget, actions: Mapping[str, Callable[[], object]]) -> tuple[QShortcut, ...]:
    """Let the keys of named actions call them while the focus is in a widget, or everywhere in its window.

    A shortcut goes before the keys of the widget that has the focus, except where that widget is a text field or spin
    box that types the key. The shortcuts are returned.
    """
    return tuple(
        _bind(widget, name, sequence, action) for name, action in actions.items() for sequence in KEYS[name].sequences
    )


def bind_each(widget: QWidget, name: str, action: Callable[[int], object]) -> None:
    """Let each key of an action call it with the key's position among them."""
    for number, sequence in enumerate(KEYS[name].sequences):
        _bind(widget, name, sequence, partial(action, number))


def _bind(widget: QWidget, name: str, sequence: str, action: Callable[[], object]) -> QShortcut:
    shortcut, everywhere = QShortcut(QKeySequence(sequence), widget), KEYS[name].everywhere
    shortcut.setObjectName(name)  # by which the command palette finds it
    scope = Qt.ShortcutContext
    shortcut.setContext(scope.WindowShortcut if everywhere else scope.WidgetWithChildrenShortcut)
    shortcut.activated.connect(action)
    return shortcut
