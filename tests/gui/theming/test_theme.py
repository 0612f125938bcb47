"""Contrast of every pair of colours used for text, and palettes as a colour-blind viewer sees them."""

from itertools import combinations, pairwise
from typing import get_args

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtGui import QAction, QColor
from pytestqt.qtbot import QtBot

from gui.explore.stage.hues import HUES, hue
from gui.shell.main_window import MainWindow
from gui.shell.settings import Settings
from gui.theming.style import ink_on, mix
from gui.theming.theme import Contrast, PaletteChoice, Theme, ratio, theme_of

ALL = [
    theme_of(dark=dark, contrast=contrast, palette=palette)
    for dark in (False, True)
    for contrast in get_args(Contrast)
    for palette in get_args(PaletteChoice)
]


HIGH = [theme for theme in ALL if theme.contrast == "high"]


SHARES = (0.16, 0.26, 0.44, 0.54, 0.8, 1.0)
"""Shares of an array's colour in its cells: plain and in shared memory, light and dark; read; written."""


DEUTERANOPIA = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
)
"""Linear RGB as seen without green cones (Machado, Oliveira and Fernandes, 2009)."""


XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


D65 = np.array([0.9505, 1.0, 1.089])


def texts(theme: Theme) -> dict[str, float]:
    """Return the contrast of each text with each ground that it is written on."""
    colours = {name: getattr(theme, name) for name in ("text", "muted", "accent", "warning", "hazard")}
    colours |= {f"syntax {number}": color for number, color in enumerate(theme.syntax)}
    found = {f"{n} on {g}": ratio(c, getattr(theme, g)) for n, c in colours.items() for g in ("window", "panel")}
    found["text of a pressed button"] = ratio(theme.text, theme.inactive)
    found["text of a checked button"] = ratio(theme.accent_text, theme.accent)
    return found


def on_cells(theme: Theme, shares: tuple[float, ...]) -> list[float]:
    """Return the contrast of a number with its cell."""
    tints = (theme.matrix_a, theme.matrix_b, theme.matrix_c, theme.shared)
    grounds = [mix(theme.panel, tint, share) for tint in tints for share in shares]
    return [ratio(ink_on(ground).name(), ground.name()) for ground in grounds]


def seen(color: str) -> NDArray[np.float64]:
    """Return a colour in CIE L*a*b* as a viewer with deuteranopia sees it."""
    rgb = np.array([QColor(color).redF(), QColor(color).greenF(), QColor(color).blueF()])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    x, y, z = np.cbrt(np.maximum(XYZ @ np.clip(DEUTERANOPIA @ linear, 0, 1) / D65, 1e-6))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def apart(color: str, other: str) -> float:
    """Return the distance of two colours; 2.3 is just noticeable."""
    return float(np.linalg.norm(seen(color) - seen(other)))


@pytest.mark.parametrize("theme", ALL)
def test_every_text_can_be_read(theme: Theme) -> None:
    assert min(texts(theme).values()) >= 4.5, texts(theme)
    assert min(ratio(theme.text, theme.window), ratio(theme.text, theme.panel)) >= 7
    assert min(on_cells(theme, SHARES)) >= 4.1  # black or white on any colour


@pytest.mark.parametrize("theme", HIGH)
def test_high_contrast_has_seven_to_one_and_borders_that_are_seen(theme: Theme) -> None:
    assert min(texts(theme).values()) >= 7, texts(theme)
    assert min(on_cells(theme, (0.16 if not theme.dark else 0.26, 1.0))) >= 7
    assert min(ratio(theme.border, theme.window), ratio(theme.border, theme.panel)) >= 4.5
    assert min(ratio(color, theme.panel) for color in theme.series) >= 3


@pytest.mark.parametrize("theme", ALL)
def test_arrays_and_neighbouring_groups_differ_without_green_cones(theme: Theme) -> None:
    arrays = (theme.matrix_a, theme.matrix_b, theme.matrix_c, theme.shared)
    assert min(apart(a, b) for a, b in combinations(arrays, 2)) >= 8
    groups = [hue(theme, number) for number in range(HUES + 1)]
    assert min(apart(a, b) for a, b in pairwise(groups)) >= 8
    assert len(set(theme.series)) == len(theme.series) == 8


def test_choices_are_in_the_view_menu_and_there_at_the_next_start(window: MainWindow, qtbot: QtBot) -> None:
    before = window.appearance.theme
    inner = {menu.title(): menu for menu in window.header.view_menu.findChildren(type(window.header.view_menu))}

    def actions() -> dict[str, QAction]:
        return {action.text(): action for menu in inner.values() for action in menu.actions()}

    window.set_theme("dark")
    assert [text for text, action in actions().items() if action.isChecked()] == ["Normal contrast", "Okabe–Ito"]
    actions()["High contrast"].trigger()
    actions()["Grey and shapes"].trigger()
    wanted = theme_of(dark=True, contrast="high", palette="grey")
    assert window.appearance.theme == wanted != before
    assert [text for text, action in actions().items() if action.isChecked()] == ["High contrast", "Grey and shapes"]
    window._settings.flush()
    again = MainWindow(Settings())
    qtbot.addWidget(again)
    assert (again.appearance.contrast, again.appearance.palette) == ("high", "grey")


@pytest.mark.parametrize("text", ["", "low", "okabe"])
def test_a_choice_that_makes_no_sense_is_the_usual_one(text: str) -> None:
    settings = Settings()
    settings.remember("contrast", text)
    settings.remember("palette", text)
    assert (settings.contrast, settings.palette) == ("normal", "okabe-ito")
