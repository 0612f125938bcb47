"""The font of source code is of fixed pitch, on whatever fonts and locale the system has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF

from gui.theming.fonts import fixed_pitch_font

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QApplication

CODE = """
import json
from PySide6.QtGui import QFontDatabase, QFontMetricsF
from PySide6.QtWidgets import QApplication
application = QApplication([])
from gui.explore.code.text_area import TextArea
from gui.explore.code.code import CodeView
from gui.learn.exercise_list import ExerciseList
from gui.learn.progress import Progress
from gui.theming.theme import LIGHT
exercises = ExerciseList([], [], Progress())
exercises.set_theme(LIGHT)
fonts = {
    "system": QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont),
    "listing": CodeView(LIGHT).font(),
    "editor": TextArea(LIGHT).font(),
    "exercise": exercises.given.font(),
}
print(json.dumps({name: [QFontMetricsF(font).horizontalAdvance(c) for c in "iM0 "] for name, font in fonts.items()}))
"""

ALIAS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <match target="pattern">
    <test name="family"><string>monospace</string></test>
    <edit name="family" mode="assign" binding="strong"><string>{family}</string></edit>
  </match>
  <include>{present}</include>
</fontconfig>
"""
"""Resolves "monospace" to a proportional font, as a Chinese, Japanese or Korean locale may."""


def pitches(**environment: str) -> dict[str, set[float]]:
    """Return the different advances of each view's font in a process with these environment variables."""
    done = subprocess.run(
        [sys.executable, "-c", CODE], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return {name: set(advances) for name, advances in json.loads(done.stdout).items()}


def test_source_keeps_its_fixed_pitch_where_the_fixed_font_of_the_system_is_proportional(
    qapp: QApplication, tmp_path: Path
) -> None:
    if sys.platform != "linux":
        pytest.skip("fontconfig chooses the fonts of Linux only")
    families = QFontDatabase.families(QFontDatabase.WritingSystem.Latin)
    advances = {family: QFontMetricsF(QFont(family)).horizontalAdvance for family in families}
    proportional = next(family for family, advance in advances.items() if advance("i") < advance("M"))
    file = tmp_path / "fonts.conf"
    present = os.environ.get("FONTCONFIG_FILE", "/etc/fonts/fonts.conf")
    file.write_text(ALIAS.format(present=present, family=proportional), encoding="utf-8")
    found = pitches(FONTCONFIG_FILE=str(file))
    assert len(found.pop("system")) > 1  # else the file has no effect
    assert [len(advances) for advances in found.values()] == [1, 1, 1]


def test_source_keeps_its_fixed_pitch_in_japanese() -> None:
    """Where a Japanese font is installed, fontconfig prefers it to the fixed-pitch ones."""
    found = pitches(LC_ALL="ja_JP.UTF-8")
    found.pop("system")
    assert [len(advances) for advances in found.values()] == [1, 1, 1]


def test_the_fixed_font_of_the_system_is_used_where_it_is_one(qapp: QApplication) -> None:
    system, font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont), fixed_pitch_font(14.0)
    advance = QFontMetricsF(system).horizontalAdvance
    assert font.pointSizeF() == 14.0
    assert (font.families() == system.families()) is (advance("i") == advance("M") == advance("0") == advance(" "))
