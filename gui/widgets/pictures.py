"""Widgets that paint themselves, and saving of pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from gui.theming.theme import LIGHT
from kernels.errors import InputError
from kernels.files import atomic_file

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QImage

    from gui.theming.theme import Theme


class PaintedWidget(QWidget):
    """Widget that paints itself in the colours of a theme."""

    def __init__(self) -> None:
        super().__init__()
        self._theme = LIGHT

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours."""
        self._theme = theme
        self.update()


def save_picture(path: Path, image: QImage) -> None:
    """Write an image in the format of the file's suffix.

    Raises
    ------
    InputError
        When it cannot be written.
    """
    with atomic_file(path) as file:
        if not image.save(str(file)):
            raise InputError(f"{path}: cannot be written as a picture: choose a name that ends in .png")
