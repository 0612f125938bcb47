"""Interactions of threads in a picture, against the trace."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtGui import QColor

from gui.explore.playback.story import panels_of
from gui.explore.stage.build import build_scene
from gui.explore.stage.interactions import LaneReads
from gui.explore.stage.scene import Options
from gui.explore.stage.stage import Stage
from gui.explore.stage.still import Surface, paint_still
from gui.explore.stage.text_painter import TextPainter
from gui.selection.recording import Recording
from gui.theming.theme import LIGHT
from kernels.analysis import Frame
from tests.gui.explore.conftest import step_on
from tests.kernels.analysis.traces import source
from tests.kernels.hazards.corpus import FOLDER, read_case

if TYPE_CHECKING:
    from PySide6.QtGui import QImage

    from gui.explore.stage.scene import Scene
    from kernels.trace import Trace

WARP = Options(zoom="warp")


def of_trace(trace: Trace) -> Stage:
    return Stage(trace, panels_of(Recording(FOLDER, trace, None)))


def of_corpus(name: str, schedule: str = "lockstep") -> Stage:
    case = read_case(FOLDER / f"{name}.cu")
    words = list(case.words)
    arguments = [words[at + 1] for at, word in enumerate(words) if word == "--arg"]
    grid, block = (words[words.index(option) + 1] for option in ("--grid", "--block"))
    return of_trace(source(case.file.read_text(encoding="utf-8"), grid, block, *arguments, schedule=schedule))


def painted(scene: Scene, width: int = 880, height: int = 620) -> QImage:
    return paint_still(scene, Surface(width, height, 18, LIGHT), TextPainter("sans-serif")).image


def pairs(reads: LaneReads) -> dict[int, int]:
    return dict(zip(reads.threads.tolist(), reads.sources.tolist(), strict=True))


# --- shuffles ---------------------------------------------------------------------------------------------


def test_each_round_of_a_sum_has_its_arrows() -> None:
    found = of_corpus("warp_sum_shuffle")
    for number, distance in enumerate((16, 8, 4, 2, 1)):
        scene = build_scene(found, Frame(0, step_on(found, "sum +=", nth=number)))
        expected = {lane: lane + distance for lane in range(64) if lane % 32 + distance < 32}
        assert pairs(scene.shuffles) == expected
        assert not scene.shuffles.undefined.any()
    assert not len(build_scene(found, Frame(0, step_on(found, "out["))).shuffles.threads)


def test_threads_of_other_blocks_have_numbers_in_their_block() -> None:
    found = of_corpus("block_sum_shuffle")
    scene = build_scene(found, Frame(1, step_on(found, "x +=", block=1)))
    assert pairs(scene.shuffles) == {lane: lane ^ 16 for lane in range(128)}


def test_an_arrow_from_a_lane_that_takes_no_part_is_marked() -> None:
    found = of_corpus("shuffle_from_other_branch")
    scene = build_scene(found, Frame(0, step_on(found, "x = __shfl")))
    assert pairs(scene.shuffles) == {lane: lane + 1 for lane in range(16)}
    assert scene.shuffles.threads[scene.shuffles.undefined].tolist() == [15]


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("options", [Options(), WARP], ids=["block", "warp"])
@pytest.mark.parametrize(
    ("name", "statement"),
    [("warp_sum_shuffle", "sum +="), ("block_sum_shuffle", "x +="), ("shuffle_from_other_branch", "x = __shfl")],
)
def test_arrows_are_painted_where_lanes_read_each_other(name: str, statement: str, options: Options) -> None:
    found = of_corpus(name)
    scene = build_scene(found, Frame(0, step_on(found, statement)), options)
    none = np.zeros(0, np.int64)
    nothing = LaneReads(none, none, none.astype(bool))
    accent = QColor(LIGHT.accent).rgb()
    with_arrows, without = (pixels(painted(shown), accent) for shown in (scene, replace(scene, shuffles=nothing)))
    assert with_arrows > without + 100


def pixels(image: QImage, color: int) -> int:
    """Count the pixels of a colour."""
    data = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    return int(np.count_nonzero(data == color))
