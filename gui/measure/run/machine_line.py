"""One line that names the machine: as many of its parts as fit, the others in the tooltip."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from gui.widgets.fitted_label import FittedLabel
from kernels.control_characters import escape_lines

if TYPE_CHECKING:
    from PySide6.QtCore import QSize

SEPARATOR: Final = " · "

_OMITTED: Final = re.compile(r"\bNVIDIA |\bGeForce |\bIntel\b|\bAMD |\((?:R|TM)\)|\bCPU\b|\bProcessor\b|@ [\d.]+ ?GHz")
"""Words of makers and models that tell no machine from another."""


class MachineLine(FittedLabel):
    """Label that leaves out its last parts rather than wrapping or cutting one."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "muted")
        self.whole = ""
        """All parts."""

    def say(self, text: str) -> None:
        """Show a machine, its parts in the order of their importance."""
        self.whole = escape_lines(text)
        self.setToolTip(self.whole.replace(SEPARATOR, "\n"))
        self._fit()

    def sizeHint(self) -> QSize:
        """Return the height of a line."""
        return self.minimumSizeHint()

    def _fit(self) -> None:
        parts = [shortened(part) for part in self.whole.split(SEPARATOR)]
        width = self.fontMetrics().horizontalAdvance
        while len(parts) > 1 and width(SEPARATOR.join(parts)) > self.contentsRect().width():
            parts.pop()
        shown = SEPARATOR.join(parts)
        if shown != self.text():
            self.setText(shown)


def shortened(part: str) -> str:
    """Return the name of hardware without words that tell no machine from another."""
    return " ".join(_OMITTED.sub("", part).split()).replace(" ,", ",") or part
