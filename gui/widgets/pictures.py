"""Saving of pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.errors import InputError
from kernels.files import atomic_file

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QImage


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
