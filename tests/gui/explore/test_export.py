"""Pictures, films and pages of a run, and the dialog that asks for them."""

import base64
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, cast, get_args
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.explore.export.dialog import MOST_FILMED, MOST_MOVING, Choice, ExportDialog, FilmOffer
from gui.explore.export.elements import Pictures
from gui.explore.export.film import FILM_TIMING, Film, Timing, picture, picture_svg
from gui.explore.export.gif import pixels, save_gif
from gui.explore.export.mp4 import ffmpeg, save_mp4
from gui.explore.export.page import save_page
from gui.explore.export.run_data import Run, run_data
from gui.explore.memory.row import build_memory_row
from gui.explore.stage.build import build_scene
from gui.explore.stage.scene import Options, Zoom
from gui.explore.stage.stage import Stage
from gui.explore.stage.text_painter import number_text
from gui.explore.timeline.marks import Loop, Marks, Stride, marks_of
from gui.theming.theme import DARK, LIGHT
from gui.widgets.pictures import save_picture
from kernels.analysis import playlist
from kernels.cancellation import Cancelled
from kernels.errors import InputError
from tests.gui.explore.conftest import kernel, scene_on, stage
from tests.sweeps import in_turn

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


def test_films_have_a_page_for_every_step_and_repeated_pictures_once(tmp_path: Path) -> None:
    assert save_gif(tmp_path / "film.gif", [film(4)]) == 4
    with Image.open(tmp_path / "film.gif") as found:
        assert found.n_frames == 4  # type: ignore[attr-defined]
        assert found.size == (640, 360)
        assert found.info["duration"] == 500
        assert found.info["loop"] == 0
    # Films follow one another.
    assert save_gif(tmp_path / "film.gif", [film(2), film(0), film(3, start=2)]) == 5
    with Image.open(tmp_path / "film.gif") as found:
        assert found.n_frames == 5  # type: ignore[attr-defined]
    # A repeated picture is stored once.
    save_gif(tmp_path / "film.gif", [film(1), film(1), film(1)])
    with Image.open(tmp_path / "film.gif") as found:
        assert found.n_frames == 1  # type: ignore[attr-defined]
    # A picture that changes little takes little.
    one, two = tmp_path / "one.gif", tmp_path / "two.gif"
    save_gif(one, [film(1)])
    save_gif(two, [film(2)])
    assert two.stat().st_size < 1.5 * one.stat().st_size


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


def test_films_that_are_cancelled_or_cannot_be_written_leave_nothing(tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        save_gif(tmp_path / "film.gif", [film(4)], lambda: True)
    assert not list(tmp_path.iterdir())
    # Files that cannot be written are named.
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


BROWSER: Final = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


DRIVER: Final = Path(__file__).with_name("player_driver.js")


def run_of(name: str, size: str, block: str) -> Run:
    found, source = stage(name, size, block), kernel(name)
    whole = Stage(found.trace, found.panels, workload=source.workload)
    frames = playlist(found.trace, "memory", whole.order)
    return Run(source.title, whole, frames.frames, marks_of(found.trace, frames), Options())


@pytest.mark.skipif(BROWSER is None, reason="needs Chromium to play the page")
def test_the_page_plays_the_run_in_a_browser(tmp_path: Path) -> None:
    run, path = run_of("matmul_tiled", "3", "2,2"), tmp_path / "run.html"
    size = save_page(path, run)
    assert size == path.stat().st_size < 200_000
    driver = f"<script>{DRIVER.read_text(encoding='utf-8')}</script></body>"
    path.write_text(path.read_text(encoding="utf-8").replace("</body>", driver), encoding="utf-8")
    options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--dump-dom")
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    done = subprocess.run(
        [str(BROWSER), *options, profile, path.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    packed = re.search(r'<pre id="report">([^<]*)', done.stdout)
    assert packed, done.stdout[-2000:] + done.stderr[-2000:]
    found = json.loads(base64.b64decode(packed[1]))
    moments = found["report"]

    marks, last = run.marks, len(run.frames) - 1
    phase, barrier = marks.stop("phase", 0, last, 1), marks.stop("barrier", 0, last, 1)
    expected = [
        *(("open", 0), ("ArrowRight", 1), ("PageDown", 2), ("ArrowLeft", 1), ("PageUp", 0), ("5", 26)),
        *(("End", last), ("ArrowRight", last), ("Home", 0), ("ArrowLeft", 0)),
        *(("Shift+ArrowRight", phase), ("Shift+ArrowLeft", 0), ("Ctrl+ArrowRight", barrier), ("Ctrl+ArrowLeft", 0)),
        *(("scrub 9", 9), ("scrub 30", 30), ("scrub 3", 3), (" ", 3), (" ", 5), ("theme", 5)),
    ]
    assert [(moment["did"], moment["position"]) for moment in moments[:-1]] == expected
    for moment in moments:
        check_moment(run, moment)
    dark, light = moments[-2], moments[-3]
    assert {light["theme"], dark["theme"]} == {"light", "dark"}
    assert light["fill"] != dark["fill"]
    assert moments[-1]["line"] == "28"
    assert moments[-1]["lit"] == "sum += As[ty][k] * Bs[k][tx];"

    assert all(name.strip() for name in found["names"])
    assert found["live"] == "polite"
    assert not found["loaded"]  # nothing comes from a server


def check_moment(run: Run, moment: dict[str, Any]) -> None:
    """Compare what the page shows with the trace."""
    frame = run.frames[moment["position"]]
    scene, row = build_scene(run.stage, frame), build_memory_row(run.stage, frame)
    assert row is not None
    shown = Counter(moment["shown"])
    numbers = Counter(
        number_text(value)
        for number, cells in enumerate(scene.cells)
        if number != scene.result
        for value in cells.values[cells.written].tolist()
    )
    numbers += Counter(number_text(scene.threads.value[n].item()) for n in range(4) if scene.threads.has_value[n])
    assert not numbers - shown, (moment["did"], numbers - shown)
    assert moment["caption"] == scene.caption
    assert scene.result_line is not None
    assert moment["result"].replace("\n", ": ") == scene.result_line.sentence
    assert moment["line"] == str(scene.line)
    for count in row.gutter:
        runs, sectors, _ = moment["counts"][count.line - 1]
        assert int(runs) == (count.now.executions if count.now else 0)
        if count.now and count.now.sectors:
            assert int(sectors.removeprefix("▲ ").partition("/")[0]) == count.now.sectors
    assert all(fact.text in moment["totals"] for fact in row.facts)
    assert all(access.title in moment["cards"] for access in row.accesses)


def test_pages_are_changes_name_their_hazard_and_hold_no_markup(tmp_path: Path) -> None:
    pictures = Pictures()
    for numbers in [(4, 7, 9), (4, 8, 9), (4, 8, 9), (9,)]:
        pictures.add(numbers)
    assert pictures.changes == ["[[0,0,4,7,9]]", "[[1,1,8]]", "[]", "[[0,2]]"]
    # A hazard is reported with the step that shows it.
    run = run_of("lesson_missing_barrier", "4", "2,2")
    few = replace(run, frames=run.frames[:6])
    (hazard,) = cast("list[dict[str, Any]]", run_data(few)["hazards"])
    assert hazard["words"].startswith("Line 28: thread (0,0) of block (0,0) writes As[0][0]")
    assert hazard["at"] == run.marks.hazards[0]
    # Words of a source cannot become markup.
    run = run_of("matmul_tiled", "2", "2,2")
    title = "<script>alert('&')</script>"
    save_page(tmp_path / "run.html", Run(title, run.stage, run.frames[:1], run.marks, run.options))
    text = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert title not in text
    assert "&lt;script&gt;alert" in text
    assert not re.search(r"https?://(?!www\.w3\.org)", text)


@pytest.mark.parametrize(
    ("name", "zoom"),
    in_turn(["matmul_vectorized", "lesson_missing_barrier", "index_map", "cpu_parallel"], get_args(Zoom), str),
)
def test_every_picture_is_of_shapes_that_are_the_same_in_both_themes(name: str, zoom: Zoom) -> None:
    source = kernel(name)
    found = stage(name)
    whole = Stage(found.trace, found.panels, source.runs_on == "cpu", workload=source.workload)
    frames = playlist(found.trace, "memory", whole.order)
    few = frames.frames[:: max(1, len(frames) // 3)]
    run = Run(source.title, whole, few, marks_of(found.trace, frames), Options(zoom=zoom, reads=zoom == "grid"))
    elements = cast("dict[str, Any]", run_data(run)["elements"])
    assert not [shape for shape in elements["shapes"] if shape.startswith("image")]  # it would be blurred
    assert not [styles for styles in elements["styles"] if "display:none" in styles]


@pytest.mark.exhaustive
def test_a_page_of_hundreds_of_steps_is_small(tmp_path: Path) -> None:
    run = run_of("matmul_tiled", "16", "4,4")
    assert len(run.frames) == 528
    save_page(tmp_path / "run.html", replace(run, frames=run.frames[:66]))
    assert (tmp_path / "run.html").stat().st_size < 2_000_000 / 8


def test_a_cancelled_page_writes_nothing(tmp_path: Path) -> None:
    done: list[int] = []
    run = run_of("matmul_tiled", "3", "2,2")
    with pytest.raises(Cancelled):
        save_page(tmp_path / "run.html", run, lambda: len(done) == 2, done.append)
    assert done == [1, 2]
    assert not list(tmp_path.iterdir())
    with pytest.raises(InputError, match="no steps to show"):
        save_page(tmp_path / "run.html", Run("", run.stage, (), run.marks, run.options))


MARKS = Marks(turns=(0, 10), turn_blocks=(0, 1), block_names=("0", "1"), phases=(0, 5, 10, 15), barriers=(4, 14))


def opened(qtbot: QtBot, film: FilmOffer | None) -> ExportDialog:
    dialog = ExportDialog(DARK, film)
    qtbot.addWidget(dialog)
    return dialog


def test_a_film_is_of_the_run_of_a_block_of_the_loop_or_of_any_steps(qtbot: QtBot) -> None:
    dialog = opened(qtbot, FilmOffer(20, MARKS, 12, Loop(3, 6), True))
    assert list(dialog.choice.positions) == [3, 4, 5, 6]  # the loop that was chosen on the timeline
    assert dialog.choice.moving
    dialog.range.setCurrentIndex(0)
    assert list(dialog.choice.positions) == list(range(20))
    dialog.range.setCurrentIndex(1)
    assert list(dialog.choice.positions) == list(range(10, 20))
    dialog.stride.setCurrentIndex(1)
    assert list(dialog.choice.positions) == [10, 15, 19]
    assert dialog.words.text().startswith("3 pictures, 0:03 minutes")
    dialog.first.setValue(16)
    assert dialog.range.currentText() == "From … to …"
    assert list(dialog.choice.positions) == [15, 19]
    dialog.last.setValue(2)
    assert not dialog.save.isEnabled()
    assert "must not be after" in dialog.words.text()


def test_a_film_that_is_too_long_is_refused_and_a_long_one_does_not_move(qtbot: QtBot) -> None:
    dialog = opened(qtbot, FilmOffer(MOST_FILMED + 1, Marks(turns=(0,)), 0, Loop(), True))
    assert not dialog.save.isEnabled()
    assert f"at most {MOST_FILMED:,}" in dialog.words.text()
    dialog.last.setValue(MOST_MOVING + 1)
    assert dialog.save.isEnabled()
    assert not dialog.choice.moving
    dialog.last.setValue(MOST_MOVING)
    assert dialog.choice.moving


def test_what_is_chosen_is_reported(qtbot: QtBot) -> None:
    dialog = opened(qtbot, None)
    dialog.colours.setCurrentIndex(0)
    with qtbot.waitSignal(dialog.chosen) as found:
        dialog.save.click()
    assert found.args == [Choice(LIGHT, QSize(1920, 1080))]
