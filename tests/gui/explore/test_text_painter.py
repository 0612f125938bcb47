from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QImage, QPainter, QStaticText

from gui.explore.stage.text_painter import SMALLEST_TEXT, TextPainter, fitting_size, number_text, rounded_text

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication


@pytest.mark.parametrize(
    ("value", "text", "shorter"),
    [
        (7.0, "7", "7"),
        (1110.0, "1110", "1110"),
        (4.666667, "4.67", "4.7"),
        (-0.5, "-0.5", "-0.5"),
    ],
)
def test_whole_numbers_are_exact_and_others_take_the_digits_there_are(value: float, text: str, shorter: str) -> None:
    assert number_text(value) == text
    assert number_text(value, 2) == shorter


def test_a_point_takes_less_room_than_a_digit() -> None:
    assert fitting_size(22, ["4.7"]) >= SMALLEST_TEXT
    assert fitting_size(22, ["467"]) == 0
    assert fitting_size(60, ["7"]) > fitting_size(60, ["1110"]) > 0


def test_wide_cells_hold_words_although_they_are_low() -> None:
    assert fitting_size(15, ["0.397"]) == 0
    assert fitting_size(15, ["0.397"], 45) == SMALLEST_TEXT
    assert fitting_size(12, ["0.397"], 45) == 0  # it would touch the lines


@pytest.mark.parametrize(
    ("value", "text"),
    [(9999, ""), (10_400, "10.4k"), (469_007, "469k"), (999_600, "1M"), (1_046_000, "1.05M"), (-2e6, "-2M"), (1e9, "")],
)
def test_a_large_number_is_written_in_thousands_or_millions(value: float, text: str) -> None:
    assert rounded_text(value) == text


def test_cached_layouts_are_limited_over_all_sizes(qapp: QApplication) -> None:
    image = QImage(10, 10, QImage.Format.Format_RGB32)
    texts = [str(number) for number in range(1_000)]
    before = sum(isinstance(thing, QStaticText) for thing in gc.get_objects())
    painter, text_painter = QPainter(image), TextPainter(qapp.font().family())
    for size in range(10, 30):
        text_painter.draw_all_centred(painter, [(5, 5)] * len(texts), texts, size)
    painter.end()
    kept = sum(isinstance(thing, QStaticText) for thing in gc.get_objects()) - before
    assert 1_000 <= kept <= 8_193
