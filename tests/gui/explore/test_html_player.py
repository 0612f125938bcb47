"""The page of a recorded run, played in a real browser without a screen."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, cast, get_args

import pytest

from gui.explore.export.elements import Pictures
from gui.explore.export.page import save_page
from gui.explore.export.run_data import Run, run_data
from gui.explore.memory.row import build_memory_row
from gui.explore.stage.build import build_scene
from gui.explore.stage.scene import Options, Zoom
from gui.explore.stage.stage import Stage
from gui.explore.stage.text_painter import number_text
from gui.explore.timeline.marks import marks_of
from kernels.analysis import playlist
from kernels.cancellation import Cancelled
from kernels.errors import InputError
from tests.gui.explore.conftest import kernel, stage
from tests.sweeps import in_turn

pytestmark = pytest.mark.usefixtures("qapp")

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


def test_a_picture_is_its_change_from_the_one_before() -> None:
    pictures = Pictures()
    for numbers in [(4, 7, 9), (4, 8, 9), (4, 8, 9), (9,)]:
        pictures.add(numbers)
    assert pictures.changes == ["[[0,0,4,7,9]]", "[[1,1,8]]", "[]", "[[0,2]]"]


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


def test_a_hazard_is_reported_with_the_step_that_shows_it() -> None:
    run = run_of("lesson_missing_barrier", "4", "2,2")
    few = replace(run, frames=run.frames[:6])
    (hazard,) = cast("list[dict[str, Any]]", run_data(few)["hazards"])
    assert hazard["words"].startswith("Line 28: thread (0,0) of block (0,0) writes As[0][0]")
    assert hazard["at"] == run.marks.hazards[0]


def test_a_cancelled_page_writes_nothing(tmp_path: Path) -> None:
    done: list[int] = []
    run = run_of("matmul_tiled", "3", "2,2")
    with pytest.raises(Cancelled):
        save_page(tmp_path / "run.html", run, lambda: len(done) == 2, done.append)
    assert done == [1, 2]
    assert not list(tmp_path.iterdir())
    with pytest.raises(InputError, match="no steps to show"):
        save_page(tmp_path / "run.html", Run("", run.stage, (), run.marks, run.options))


def test_words_of_a_source_cannot_become_markup(tmp_path: Path) -> None:
    run = run_of("matmul_tiled", "2", "2,2")
    title = "<script>alert('&')</script>"
    save_page(tmp_path / "run.html", Run(title, run.stage, run.frames[:1], run.marks, run.options))
    text = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert title not in text
    assert "&lt;script&gt;alert" in text
    assert not re.search(r"https?://(?!www\.w3\.org)", text)
