"""A race on the picture: the element and both threads are named, at a size where the values can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage, QPainter

from gui.explore.packing.layout import arrange
from gui.explore.stage.build import build_scene
from gui.explore.stage.paint import paint_scene
from gui.explore.stage.paint_cells import cell_texts
from gui.explore.stage.stage import Stage
from gui.explore.stage.text_painter import TextPainter
from gui.theming.theme import DARK, LIGHT
from kernels.analysis import Frame
from kernels.analysis.order.races import hazard_shown_at
from kernels.simt import Options
from kernels.tracing import trace_kernel
from tests.gui.explore.conftest import kernel
from tests.gui.explore.painted_texts import paint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtWidgets import QApplication

    from gui.explore.page import ExplorePage
    from gui.explore.stage.scene import Scene
    from gui.theming.theme import Theme

LESSONS = {
    "lesson_missing_barrier": ("As[5][2]", "(0,5) reads", "(2,5) writes later"),
    "lesson_missing_second_barrier": ("As[5][2]", "(0,5) reads", "(2,5) overwrote it"),
}
PICTURE = QSize(821, 516)
"""The picture in a window of 1280×800, with a caption of two lines."""

LARGE = QSize(1240, 780)
"""The picture in a window of 1920×1080."""


class Listener(TextPainter):
    """A painter of texts that keeps what it drew."""

    def __init__(self) -> None:
        super().__init__("sans-serif")
        self.drawn: list[tuple[str, float, float, float]] = []

    def draw_all_centred(
        self,
        painter: QPainter,
        places: Sequence[tuple[float, float]],
        texts: Sequence[str],
        size: float,
        bold: bool = False,
        *,
        measured: bool = False,
    ) -> None:
        self.drawn += [(text, x, y, size) for (x, y), text in zip(places, texts, strict=True)]
        super().draw_all_centred(painter, places, texts, size, bold, measured=measured)


def shown(name: str) -> Scene:
    found = kernel(name)
    trace = trace_kernel(found, found.size, found.block, options=Options(schedule=found.schedule))
    place = hazard_shown_at(trace, trace.hazards[0])
    assert place is not None
    return build_scene(Stage(trace, found.workload.panels), Frame(*place))


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("name", LESSONS)
def test_both_threads_and_the_element_are_named_on_the_picture(qapp: QApplication, name: str, theme: Theme) -> None:
    scene, listener = shown(name), Listener()
    image = QImage(PICTURE, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    paint_scene(painter, scene, theme, listener, PICTURE.width(), PICTURE.height(), 18.0)
    painter.end()
    found = {text: (x, y) for text, x, y, _ in listener.drawn}
    assert set(LESSONS[name]) <= set(found)
    places = [found[text] for text in LESSONS[name]]
    assert len(set(places)) == 3
    assert all(0 < x < PICTURE.width() and 0 < y < PICTURE.height() for x, y in places)


def test_an_element_that_is_read_before_it_is_written_shows_no_value(qapp: QApplication) -> None:
    scene, listener = shown("lesson_missing_barrier"), Listener()
    image = QImage(PICTURE, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    layout = paint_scene(painter, scene, LIGHT, listener, PICTURE.width(), PICTURE.height(), 18.0)
    painter.end()
    assert scene.race is not None
    raster = layout.rasters[scene.race.view]
    x, y = raster.x + (scene.race.column + 0.5) * raster.across, raster.y + (scene.race.row + 0.5) * raster.cell
    assert [text for text, *place, _ in listener.drawn if place == [x, y]] == ["?"]


@pytest.mark.parametrize("name", LESSONS)
def test_the_values_of_a_race_lesson_can_be_read(qapp: QApplication, name: str) -> None:
    scene = shown(name)
    for size, places in ((PICTURE, {"shared"}), (LARGE, {"shared", "left", "top"})):
        layout = arrange(scene, size.width(), size.height(), 18.0)
        for cells, raster in zip(scene.cells, layout.rasters, strict=True):
            if cells.view.place in places:
                assert min(cell_texts(cells, raster)[1]) >= 10.0, (cells.view.name, size)


@pytest.mark.parametrize("name", LESSONS)
def test_a_click_on_the_hazard_leads_to_the_read_that_goes_wrong(
    open_page: Callable[..., ExplorePage], name: str
) -> None:
    page = open_page(kernel(name))
    assert page.story is not None
    [hazard] = page.story.stage.trace.hazards
    page.show_hazard(hazard)
    assert page.scene is not None
    assert page.scene.race is not None
    assert page.scene.race.element == LESSONS[name][0]
    assert LESSONS[name][0] in page.caption.whole
    clause = page.caption.whole.partition("; ")[2]
    assert f"In this run {clause}." in page.side.hazards.item(0).text()
    for number in page.scene.race.threads:
        assert page.scene.threads.hazard[number]
    assert page.scene.lane == page.scene.threads.first_lane + page.scene.race.threads[0]


@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.parametrize("size", [(746, 437), (771, 354), (1165, 565)])
def test_labels_of_a_race_cover_no_title(qapp: QApplication, name: str, size: tuple[int, int]) -> None:
    scene = shown(name)
    painter, _ = paint(scene, LIGHT, *size, 18.0)
    titles = {cells.view.title for cells in scene.cells}
    found = [text for text in painter.texts if text.text in titles]
    assert {text.text for text in found} == titles
    for title in found:
        assert not any(order > title.order and plate.intersects(title.ink) for order, plate in painter.plates)
