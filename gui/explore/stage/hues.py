"""Hues that tell blocks, warps or threads apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gui.theming.style import mix

if TYPE_CHECKING:
    from PySide6.QtGui import QColor

    from gui.theming.theme import Theme

_ORDER: Final = (2, 1, 0, 3, 7, 6, 4)
"""Colours of `Theme.series` in an order in which neighbours differ most; without the colour of text."""

HUES: Final = len(_ORDER)
"""Number of hues: group n has the hue n modulo this."""


def hue(theme: Theme, group: int) -> str:
    """Return the full colour of a group."""
    return theme.series[_ORDER[group % HUES]]


def pale_hue(theme: Theme, group: int) -> QColor:
    """Return the colour of a group as a ground for text."""
    return mix(theme.panel, hue(theme, group), 0.42 if not theme.dark else 0.5)
