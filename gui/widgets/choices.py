"""Choices of a menu, of which one is checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QAction, QActionGroup

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PySide6.QtWidgets import QMenu


def add_choices(menu: QMenu, names: Mapping[Any, str], pick: Callable[[Any], object]) -> QActionGroup:
    """Add an action for each choice, by its name; `pick` gets the choice that the user makes."""
    group = QActionGroup(menu)
    for choice, name in names.items():
        action = QAction(name, group, checkable=True)
        action.setData(choice)
        menu.addAction(action)
    group.triggered.connect(lambda action: pick(action.data()))
    return group


def check_choice(group: QActionGroup, choice: object) -> None:
    """Check the action of a choice."""
    for action in group.actions():
        action.setChecked(action.data() == choice)
