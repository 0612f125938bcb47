from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize

from gui.explore.export.dialog import MOST_FILMED, MOST_MOVING, Choice, ExportDialog, FilmOffer
from gui.explore.timeline.marks import Loop, Marks
from gui.theming.theme import DARK, LIGHT

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

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
