"""Font of source code."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF


def fixed_pitch_font(points: float) -> QFont:
    """Return the system's fixed-pitch font, or the first family of fixed pitch if the system's is not."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    if not _is_fixed_pitch(font):
        # Under a Chinese, Japanese or Korean locale, fontconfig may resolve "monospace" to a proportional font.
        font.setFamily(_fixed_pitch_family() or font.family())
    font.setPointSizeF(points)
    font.setStyleHint(QFont.StyleHint.Monospace)
    return font


def _is_fixed_pitch(font: QFont) -> bool:
    # Measured, because QFontInfo.fixedPitch() reports the font's own flag, which Noto Sans Mono does not set.
    metrics = QFontMetricsF(font)
    return len({metrics.horizontalAdvance(character) for character in "iM0 "}) == 1


@lru_cache(maxsize=1)
def _fixed_pitch_family() -> str | None:
    """Return the first family of fixed pitch; those that declare it are measured first."""
    families = QFontDatabase.families(QFontDatabase.WritingSystem.Latin)
    declared_first = sorted(families, key=lambda family: not QFontDatabase.isFixedPitch(family))
    return next((family for family in declared_first if _is_fixed_pitch(QFont(family))), None)
