from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PIL import Image
from PySide6.QtCore import QSize

from gui.explore.painting.film import picture, render, save_gif
from gui.theming.theme import DARK, LIGHT
from gui.widgets.pictures import save_picture
from kernels.analysis import playlist
from kernels.errors import InputError
from tests.gui.explore.conftest import scene_on, stage

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QApplication

pytestmark = pytest.mark.usefixtures("qapp")
SIZE = QSize(640, 360)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_a_picture_has_the_size_and_the_colours(qapp: QApplication, theme) -> None:  # type: ignore[no-untyped-def]
    image = picture(scene_on(stage("matmul_tiled", "3", "2,2"), "As["), SIZE, theme)
    assert image.size() == SIZE
    assert image.pixelColor(SIZE.width() - 1, 0).name() == theme.panel
    colours = {image.pixelColor(x, y).name() for x in range(0, 640, 3) for y in range(0, 360, 3)}
    assert theme.matrix_a in colours  # what is written into As is drawn in the colour of A


def test_a_film_has_a_page_for_every_step(tmp_path: Path) -> None:
    found = stage("matmul_tiled", "3", "2,2")
    frames = playlist(found.trace, "memory").frames[:4]
    assert save_gif(tmp_path / "film.gif", render(found, frames, SIZE, LIGHT), 500) == 4
    with Image.open(tmp_path / "film.gif") as film:
        assert film.n_frames == 4  # type: ignore[attr-defined]
        assert film.size == (640, 360)
        assert film.info["duration"] == 500


def test_a_cancelled_film_writes_nothing(tmp_path: Path) -> None:
    found = stage("matmul_tiled", "3", "2,2")
    images = render(found, playlist(found.trace, "memory").frames, SIZE, LIGHT)
    assert save_gif(tmp_path / "film.gif", images, 500, lambda: True) == 0
    assert not (tmp_path / "film.gif").exists()


def test_files_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    image = picture(scene_on(stage("hello_grid"), "printf"), SIZE, LIGHT)
    with pytest.raises(InputError, match="nowhere"):
        save_picture(tmp_path / "nowhere" / "a.png", image)
    with pytest.raises(InputError, match="nowhere"):
        save_gif(tmp_path / "nowhere" / "a.gif", [image], 500)
    with pytest.raises(InputError, match="no steps to show"):
        save_gif(tmp_path / "a.gif", [], 500)
