"""The help has every sign, key and word, and a search over all of them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, get_args

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QPixmap, QTextDocument
from PySide6.QtTest import QTest

from gui.explore.stage.legend import Mark
from gui.explore.stage.signs import SIGNS, signs
from gui.shell.help import glossary
from gui.theming.theme import DARK, LIGHT
from gui.widgets.keys import KEYS

if TYPE_CHECKING:
    from gui.shell.help import HelpWindow
    from gui.shell.main_window import MainWindow

IMAGE = QTextDocument.ResourceType.ImageResource.value


@pytest.fixture
def shown(window: MainWindow) -> HelpWindow:
    window.set_theme("light")
    window.show()
    window.show_help()
    assert window._help is not None
    return window._help


def picture(found: HelpWindow, number: int) -> QPixmap:
    made = found.text.document().resource(IMAGE, QUrl(f"sign:{number}"))
    assert isinstance(made, QPixmap)
    return made


@pytest.mark.usefixtures("qapp")
def test_every_mark_of_the_legend_has_a_sign_of_its_own_look() -> None:
    assert set(SIGNS) == set(get_args(Mark))
    painted = [sign.picture.toImage() for sign in signs(LIGHT, 32, 1.0)]
    assert all(a != b for number, a in enumerate(painted) for b in painted[:number])


def test_everything_is_in_the_help_and_found_by_its_words(shown: HelpWindow) -> None:
    lines = shown.text.toPlainText().splitlines()
    assert {title for title, _ in SIGNS.values()} <= {line.replace("\ufffc", "") for line in lines}
    assert {(key.words, key.does) for key in KEYS.values()} <= set(pairwise(lines))
    assert {(word.name, word.meaning) for word in glossary()} <= set(pairwise(lines))
    QTest.keyClicks(shown.search, "barrier waits")
    assert [word for word in ("Lane waits", "Waits at", "bank conflict") if word in shown.text.toPlainText()] == [
        "Lane waits"
    ]
    shown.search.setText("no such thing")
    assert shown.text.toPlainText() == "Nothing in the help has “no such thing”."


def test_a_word_comes_first_among_those_that_name_it(shown: HelpWindow, window: MainWindow) -> None:
    window.show_help("warp")
    words = shown.text.toPlainText().partition("Words\n")[2].splitlines()
    assert words[0] == "warp"
    assert "divergence" in words


def test_signs_follow_the_colours_of_the_window(shown: HelpWindow, window: MainWindow) -> None:
    before = picture(shown, 0).toImage()
    window.set_theme("dark")
    after = picture(shown, 0).toImage()
    assert after != before
    assert after.pixelColor(0, 0).name() == DARK.panel
    assert shown.text.toPlainText().startswith("Signs of the picture")
