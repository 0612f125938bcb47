"""Menus of contrasts and palettes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from PySide6.QtGui import QAction, QActionGroup

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PySide6.QtWidgets import QMenu

    from gui.theming.appearance import Appearance
    from gui.theming.theme import Contrast, PaletteChoice

_CONTRASTS: Final[Mapping[Contrast, str]] = {"normal": "Normal contrast", "high": "High contrast"}
_PALETTES: Final[Mapping[PaletteChoice, str]] = {
    "okabe-ito": "Okabe–Ito",
    "tol-bright": "Tol bright",
    "grey": "Grey and shapes",
}


def add_appearance_menus(menu: QMenu, appearance: Appearance) -> None:
    """Add a menu of contrasts and one of palettes, which mark what is chosen."""
    _add(menu, "Contrast", _CONTRASTS, appearance, lambda: appearance.contrast, appearance.pick_contrast)
    _add(menu, "Palette", _PALETTES, appearance, lambda: appearance.palette, appearance.pick_palette)


def _add(
    menu: QMenu,
    title: str,
    names: Mapping[Any, str],
    appearance: Appearance,
    chosen: Callable[[], str],
    pick: Callable[[Any], None],
) -> None:
    inner = menu.addMenu(title)
    group = QActionGroup(inner)
    for choice, name in names.items():
        action = QAction(name, group, checkable=True, checked=choice == chosen())
        action.setData(choice)
        inner.addAction(action)
    group.triggered.connect(lambda action: pick(action.data()))

    def mark() -> None:
        for action in group.actions():
            action.setChecked(action.data() == chosen())

    appearance.appearance_changed.connect(mark)
