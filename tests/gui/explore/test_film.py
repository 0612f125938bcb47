from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QSize

from gui.explore.export.film import FILM_TIMING, Film, Timing, picture, picture_svg
from gui.explore.export.gif import pixels, save_gif
from gui.explore.export.mp4 import ffmpeg, save_mp4
from gui.explore.stage.text_painter import number_text
from gui.explore.timeline.marks import marks_of
from gui.theming.theme import DARK, LIGHT
from gui.widgets.pictures import save_picture
from kernels.analysis import playlist
from kernels.cancellation import Cancelled
from kernels.errors import InputError
from tests.gui.explore.conftest import scene_on, stage

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QApplication

    from gui.explore.timeline.marks import Stride

pytestmark = pytest.mark.usefixtures("qapp")
SIZE = QSize(640, 360)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_a_picture_has_the_size_and_the_colours(qapp: QApplication, theme) -> None:  # type: ignore[no-untyped-def]
    image = picture(scene_on(stage("matmul_tiled", "3", "2,2"), "As["), SIZE, theme)
    assert image.size() == SIZE
    assert image.pixelColor(SIZE.width() - 1, 0).name() == theme.panel
    colours = {image.pixelColor(x, y).name() for x in range(0, 640, 3) for y in range(0, 360, 3)}
    assert theme.matrix_a in colours  # what is written into As is drawn in the colour of A


def test_a_vector_picture_has_the_numbers_and_the_caption_as_text() -> None:
    scene = scene_on(stage("matmul_tiled", "3", "2,2"), "As[")
    found = ElementTree.fromstring(picture_svg(scene, QSize(1280, 720), LIGHT))
    texts = [node.text or "" for node in found.iter("{http://www.w3.org/2000/svg}text")]
    shared = next(cells for cells in scene.cells if cells.view.title == "As")
    assert {number_text(value) for value in shared.values[shared.written].tolist()} <= set(texts)
    assert scene.caption in " ".join(texts)
    assert found.get("viewBox") == "0 0 1280 720"


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
    with pytest.raises(Cancelled):
        save_gif(tmp_path / "film.gif", [film(4)], lambda: True)
    assert not list(tmp_path.iterdir())


def test_files_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    image = picture(scene_on(stage("hello_grid"), "printf"), SIZE, LIGHT)
    with pytest.raises(InputError, match="nowhere"):
        save_picture(tmp_path / "nowhere" / "a.png", image)
    with pytest.raises(InputError, match="nowhere"):
        save_gif(tmp_path / "nowhere" / "a.gif", [film(1)])
    with pytest.raises(InputError, match="no steps to show"):
        save_gif(tmp_path / "a.gif", [film(0)])


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("size", "block", "stride", "count", "most"), [("3", "2,2", "step", 52, 3e6), ("16", "4,4", "phase", 65, 6e6)]
)
def test_films_of_a_lecture_are_small(
    tmp_path: Path, size: str, block: str, stride: Stride, count: int, most: float
) -> None:
    found = stage("matmul_tiled", size, block)
    whole = playlist(found.trace, "memory", found.order)
    stops = marks_of(found.trace, whole).stops(stride, len(whole) - 1)
    frames = [whole.frames[int(at)] for at in stops]
    save_gif(tmp_path / "film.gif", [Film(found, frames, QSize(1280, 720), LIGHT, FILM_TIMING)])
    assert len(frames) == count
    assert (tmp_path / "film.gif").stat().st_size < most


@pytest.mark.skipif(ffmpeg() is None, reason="needs ffmpeg to write MP4")
def test_a_film_as_mp4_lasts_as_long(tmp_path: Path) -> None:
    path = tmp_path / "film.mp4"
    assert save_mp4(path, film(3, motion_ms=120)) == 3
    assert b"ftyp" in path.read_bytes()[:12]
    lasts = subprocess.run([str(ffmpeg()), "-i", str(path)], capture_output=True, text=True).stderr
    assert "Duration: 00:00:01.5" in lasts
    assert "640x360" in lasts
    with pytest.raises(Cancelled):
        save_mp4(tmp_path / "other.mp4", film(3), lambda: True)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="starts a shell script")
def test_a_failure_of_ffmpeg_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(InputError, match="needs ffmpeg on the path"):
        save_mp4(tmp_path / "film.mp4", film(1))
    (folder / "ffmpeg").write_text("#!/bin/sh\necho 'first' >&2\necho 'no such codec' >&2\nexit 1\n", encoding="utf-8")
    (folder / "ffmpeg").chmod(0o755)
    with pytest.raises(InputError, match=r"film\.mp4: ffmpeg could not write it: no such codec$"):
        save_mp4(tmp_path / "film.mp4", film(4))
    assert list(tmp_path.iterdir()) == [folder]
