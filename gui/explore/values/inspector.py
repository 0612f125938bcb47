"""Inspector: the card of the focus, in a few lines under the listing: its value, causes, next reads, and facts.

Lines with a step are links: a click, or Tab and Enter, jumps there.
"""

from __future__ import annotations

import math
import re
from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from gui.explore.stage.caption import without_breaks
from gui.explore.values.facts import facts
from gui.explore.values.value_card import CardLine, Jump, value_card
from gui.theming.style import TEXT_PT
from gui.widgets.controls import hbox, tool
from gui.widgets.keys import tip
from kernels.control_characters import escape_controls

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from gui.explore.stage.scene import Scene
    from gui.explore.stage.stage import Stage
    from gui.theming.theme import Theme

_LINES = 13

_INDENT_PX = 14
_PADDING_PX = 6

_VALUE = re.compile(r"(\S+) = (?=(\S{1,12})(?:[,;]|$| (?!=)))")
_TOGETHER = 14
"""Most letters of a name and its value that stay on one line: longer ones would be wider than a narrow card."""
_LONG = re.compile(r"(?<=\w\()(?=\S{12})")
_LAST_NUMBER = re.compile(r" \+ (?=\d+$)")
_SPACE = "\u00a0"
_BREAK = "\u200b"


def unbroken(text: str) -> str:
    """Keep a short value on the line of its name, and the last number of a sum on the line of its plus sign.

    A name with two values, "value = x[0][32] = 2", may be parted from the first; a call from a long argument.
    """
    kept = _LAST_NUMBER.sub(f"{_SPACE}+{_SPACE}", _VALUE.sub(_keep, text))
    return without_breaks(_LONG.sub(_BREAK, kept))


def _keep(found: re.Match[str]) -> str:
    name, value = found.groups()
    return f"{name}{_SPACE}={_SPACE}" if len(name) + len(value.rstrip(",;")) <= _TOGETHER else found[0]


class Inspector(QWidget):
    """Text of constant height, so that the picture does not move with the pointer.

    Signals
    -------
    pinned(bool)
        The card is to stay while the pointer moves, or to follow it again.
    jump_chosen(Jump)
        A line was followed.
    return_chosen()
        The line followed last is to be left again.
    """

    pinned = Signal(bool)
    jump_chosen = Signal(object)
    return_chosen = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._points = TEXT_PT[0]
        self.text = QLabel(self)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setWordWrap(True)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        flags = Qt.TextInteractionFlag
        self.text.setTextInteractionFlags(
            flags.TextSelectableByMouse | flags.LinksAccessibleByMouse | flags.LinksAccessibleByKeyboard
        )
        self.text.linkActivated.connect(self._follow)
        self._jumps: list[Jump] = []
        self._html = ""
        self.pin = tool("Pin", tip("pin"))
        self.pin.setCheckable(True)
        self.pin.toggled.connect(self.pinned)
        self.back = tool("Back", tip("return"), self.return_chosen.emit)
        self.area = QScrollArea(widgetResizable=True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.area.setAccessibleName("Facts about what is pointed at")
        self.area.setWidget(self.text)
        for button in (self.pin, self.back):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setStyleSheet(f"padding: 2px {_PADDING_PX}px;")
        buttons = QVBoxLayout()
        buttons.addWidget(self.pin)
        buttons.addWidget(self.back)
        buttons.addStretch(1)
        self._outer = hbox(self, (8, 4, 0, 4))
        self._outer.addWidget(self.area, 1)
        self._outer.addLayout(buttons)
        self.back.setEnabled(False)
        self.set_text_size(self.font().pointSizeF())

    def show_scene(self, stage: Stage, scene: Scene) -> None:
        """Show the card and the facts of the scene's focus."""
        found, card = facts(stage, scene), value_card(stage, scene)
        self._jumps = [line.jump for line in card if line.jump is not None]
        numbers = iter(range(len(self._jumps)))
        rows = [self._row(line, next(numbers) if line.jump is not None else None) for line in card]
        # A line without a label belongs to the heading: what a thread does in this step comes before what it computes.
        lines = [self._row(CardLine(label, text), None) for label, text in found.lines]
        first = next((number for number, (label, _) in enumerate(found.lines) if label), len(lines))
        rows = [*lines[:first], *rows, *lines[first:]]
        heading = escape(escape_controls(found.heading))
        html = f"<b>{heading}</b><table cellspacing='0'>{''.join(rows)}</table>"
        if html != self._html:  # the same text again would take the focus from its links
            self._html = html
            self.text.setText(html)
        self._fit()

    def _row(self, line: CardLine, number: int | None) -> str:
        text = escape(unbroken(escape_controls(line.text)))
        if number is not None:
            text = f"<a href='{number}' style='color:{self._theme.accent}'>{text}</a>"
        if line.place:
            parts = (part.replace(" ", _SPACE) for part in line.place.split(", "))
            text += f" <span style='color:{self._theme.muted}'>·{_SPACE}{escape(', '.join(parts))}</span>"
        return (
            f"<tr><td style='color:{self._theme.muted}; padding-right:8px'>{escape(line.label)}</td>"
            f"<td style='padding-left:{line.depth * _INDENT_PX}px'>{text}</td></tr>"
        )

    def _follow(self, number: str) -> None:
        self.jump_chosen.emit(self._jumps[int(number)])

    def set_text_size(self, points: float, most_px: float = math.inf) -> None:
        """Change the size of the text, and the height reserved for it, which is at most `most_px`."""
        self._points = points
        self._write(points)
        margins = self.contentsMargins() + self._outer.contentsMargins()
        wanted = self.text.fontMetrics().lineSpacing() * _LINES + margins.top() + margins.bottom()
        self.setFixedHeight(int(min(wanted, most_px)))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the text into the other width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Use the largest text that fits, at least the normal size; longer text scrolls."""
        points = self._points
        self._write(points)
        while points > TEXT_PT[0] and self._height() > self.area.height():
            points = max(TEXT_PT[0], points - 0.5)
            self._write(points)

    def _height(self) -> int:
        return self.text.heightForWidth(self.area.width())

    def _write(self, points: float) -> None:
        font = self.font()
        font.setPointSizeF(points)
        self.text.setFont(font)

    def clear(self) -> None:
        """Clear the text."""
        self._html, self._jumps = "", []
        self.text.clear()

    def set_theme(self, theme: Theme) -> None:
        """Change the colours; the text follows with the next scene."""
        self._theme = theme
