"""Hints are shown one after another during the first play, and never again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from gui.explore.stage.focus import Focus
from gui.explore.stage.hints import HINTS, Hints
from gui.shell.settings import Settings
from tests.gui.explore.conftest import kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytestqt.qtbot import QtBot

    from gui.explore.page import ExplorePage


def made(qtbot: QtBot, settings: Settings | None = None) -> Hints:
    hints = Hints()
    qtbot.addWidget(hints)
    if settings is not None:
        hints.remember_in(settings)
    return hints


def played(hints: Hints, steps: int) -> list[str]:
    """Return the hints in sight while steps are played."""
    seen = []
    for _ in range(steps):
        hints.step(playing=True)
        if not hints.isHidden():
            seen.append(hints.text())
    return list(dict.fromkeys(seen))


@pytest.fixture
def settings(qtbot: QtBot) -> Iterator[Settings]:
    found = Settings()
    yield found
    found.flush()


def test_each_is_shown_once_and_not_at_the_next_start(qtbot: QtBot, settings: Settings) -> None:
    hints = made(qtbot, settings)
    assert hints.isHidden()
    assert played(hints, 60) == list(HINTS.values())
    assert hints.isHidden()
    settings.flush()
    assert played(made(qtbot, Settings()), 60) == []


def test_one_that_was_interrupted_comes_again(qtbot: QtBot, settings: Settings) -> None:
    first = made(qtbot, settings)
    assert played(first, 8) == [HINTS["point"], HINTS["drag"]]
    assert first.left == ("drag", "keys")
    assert played(made(qtbot, settings), 60) == [HINTS["drag"], HINTS["keys"]]


def test_a_step_by_hand_shows_none_and_a_pause_keeps_it(qtbot: QtBot, settings: Settings) -> None:
    hints = made(qtbot, settings)
    hints.step(playing=False)
    assert hints.isHidden()
    played(hints, 1)
    for _ in range(30):
        hints.step(playing=False)
    assert hints.text() == HINTS["point"]
    assert not hints.isHidden()


def test_what_the_user_does_is_not_said(qtbot: QtBot, settings: Settings) -> None:
    hints = made(qtbot, settings)
    played(hints, 1)
    hints.heed("point")
    assert hints.isHidden()
    hints.heed("keys")
    hints.heed("keys")
    assert played(hints, 60) == [HINTS["drag"]]


def test_without_settings_there_is_none(qtbot: QtBot) -> None:
    assert played(made(qtbot), 60) == []


def left_of(page: ExplorePage) -> list[str]:
    return list(page.hints.left)


def test_a_click_a_drag_and_an_arrow_key_end_their_hints(
    open_page: Callable[..., ExplorePage], qtbot: QtBot, settings: Settings
) -> None:
    page = open_page(kernel("matmul_tiled"))
    page.remember_choices(settings)
    assert left_of(page) == ["point", "drag", "keys"]
    with qtbot.waitActive(page):
        page.activateWindow()
    page.setFocus()
    QTest.keyClick(page, Qt.Key.Key_Space)  # who plays does not know the arrows yet
    assert left_of(page) == ["point", "drag", "keys"]
    QTest.keyClick(page, Qt.Key.Key_Right)
    assert left_of(page) == ["point", "drag"]
    grip = page.block_drag.grip
    qtbot.waitUntil(grip.isVisible)
    QTest.mouseClick(grip, Qt.MouseButton.LeftButton)
    assert left_of(page) == ["point"]
    page.canvas.clicked.emit(Focus.on_thread(0))
    assert left_of(page) == []
