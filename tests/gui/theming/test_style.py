"""The style sheet of the window, in the dialogs that inherit it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pytest
from PySide6.QtWidgets import QFileDialog, QToolButton

if TYPE_CHECKING:
    from pathlib import Path

    from gui.shell.main_window import MainWindow


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_buttons_of_a_file_dialog_show_their_icons(
    window: MainWindow, tmp_path: Path, theme: Literal["light", "dark"]
) -> None:
    window.set_theme(theme)
    dialog = QFileDialog(window, "", str(tmp_path))
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    dialog.show()
    for button in dialog.findChildren(QToolButton):
        picture = button.grab().toImage()
        inside = picture.copy(picture.rect().adjusted(4, 4, -4, -4))
        colours = {inside.pixel(x, y) for x in range(inside.width()) for y in range(inside.height())}
        assert len(colours) > 1, button.accessibleName()
    dialog.close()
    dialog.deleteLater()
