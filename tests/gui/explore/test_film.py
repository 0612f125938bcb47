from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QSize

from gui.explore.painting.film import Film, Timing, picture
from gui.explore.painting.gif import pixels, save_gif
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


def film(frames: int, motion_ms: int = 0, start: int = 0) -> Film:
    found = stage("matmul_tiled", "3", "2,2")
    some = playlist(found.trace, "memory").frames[start : start + frames]
    return Film(found, some, SIZE, LIGHT, Timing(500, motion_ms))


def test_a_film_has_a_page_for_every_step(tmp_path: Path) -> None:
    assert save_gif(tmp_path / "film.gif", [film(4)]) == 4
    with Image.open(tmp_path / "film.gif") as found:
        assert found.n_frames == 4  # type: ignore[attr-defined]
        assert found.size == (640, 360)
        assert found.info["duration"] == 500
        assert found.info["loop"] == 0


def test_films_follow_one_another(tmp_path: Path) -> None:
    assert save_gif(tmp_path / "film.gif", [film(2), film(0), film(3, start=2)]) == 5
    with Image.open(tmp_path / "film.gif") as found:
        assert found.n_frames == 5  # type: ignore[attr-defined]


def test_a_motion_takes_a_part_of_the_time_of_its_step() -> None:
    shots = list(film(3, motion_ms=200).shots())
    assert [shot.step for shot in shots] == [0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2]
    for step in range(3):
        assert sum(shot.duration_ms for shot in shots if shot.step == step) == 500
    stills = list(film(3).shots())
    for step in range(3):
        own = [shot.image for shot in shots if shot.step == step]
        assert own[-1] == stills[step].image
        assert all(image != own[-1] for image in own[:-1])


def test_a_file_shows_what_was_painted(tmp_path: Path) -> None:
    shown = film(6, motion_ms=120)
    save_gif(tmp_path / "film.gif", [shown])
    with Image.open(tmp_path / "film.gif") as found:
        for number, shot in enumerate(shown.shots()):
            found.seek(number)
            painted = pixels(shot.image)
            written = np.asarray(found.convert("RGB")).astype(int)
            wanted = np.stack([painted >> 16 & 255, painted >> 8 & 255, painted & 255], axis=-1).astype(int)
            # Areas are exact, and the edges of letters have one of the nearest colours.
            assert (written == wanted).all(axis=2).mean() > 0.9
            assert np.abs(written - wanted).max() < 64


def test_a_picture_that_changes_little_takes_little(tmp_path: Path) -> None:
    one, two = tmp_path / "one.gif", tmp_path / "two.gif"
    save_gif(one, [film(1)])
    save_gif(two, [film(2)])
    assert two.stat().st_size < 1.5 * one.stat().st_size


def test_a_repeated_picture_is_stored_once(tmp_path: Path) -> None:
    save_gif(tmp_path / "film.gif", [film(1), film(1), film(1)])
    with Image.open(tmp_path / "film.gif") as found:
        assert found.n_frames == 1  # type: ignore[attr-defined]


def test_a_cancelled_film_writes_nothing(tmp_path: Path) -> None:
    assert save_gif(tmp_path / "film.gif", [film(4)], lambda: True) == 0
    assert not list(tmp_path.iterdir())


def test_files_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    image = picture(scene_on(stage("hello_grid"), "printf"), SIZE, LIGHT)
    with pytest.raises(InputError, match="nowhere"):
        save_picture(tmp_path / "nowhere" / "a.png", image)
    with pytest.raises(InputError, match="nowhere"):
        save_gif(tmp_path / "nowhere" / "a.gif", [film(1)])
    with pytest.raises(InputError, match="no steps to show"):
        save_gif(tmp_path / "a.gif", [film(0)])
