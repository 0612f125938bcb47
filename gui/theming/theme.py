"""Colours and type sizes, light and dark. One colour-blind-safe palette (Okabe and Ito, 2008) for both.

Colour is never the only carrier of meaning: a mark, a hatch or a word says the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours as #rrggbb. `text` on `window` or `panel` has a contrast of at least 7:1, `muted` of 4.5:1."""

    name: str
    window: str
    panel: str
    border: str
    text: str
    muted: str
    accent: str
    accent_text: str
    matrix_a: str
    matrix_b: str
    matrix_c: str
    shared: str
    thread: str
    warning: str
    hazard: str
    inactive: str
    highlight: str
    series: tuple[str, ...]
    dark: bool


LIGHT: Final = Theme(
    name="light",
    window="#f4f5f7",
    panel="#ffffff",
    border="#c3c8d0",
    text="#14171c",
    muted="#505a68",
    accent="#005a94",
    accent_text="#ffffff",
    matrix_a="#56b4e9",
    matrix_b="#e69f00",
    matrix_c="#009e73",
    shared="#cc79a7",
    thread="#14171c",
    warning="#b34700",
    hazard="#b3261e",
    inactive="#d5d8dd",
    highlight="#f0e442",
    series=("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#14171c", "#56b4e9", "#e69f00"),
    dark=False,
)

DARK: Final = Theme(
    name="dark",
    window="#16181d",
    panel="#1f2229",
    border="#454c59",
    text="#f2f4f8",
    muted="#aab3c2",
    accent="#56b4e9",
    accent_text="#10141a",
    matrix_a="#2f86bd",
    matrix_b="#b57d00",
    matrix_c="#00805d",
    shared="#a85684",
    thread="#f2f4f8",
    warning="#f5a742",
    hazard="#ff8a80",
    inactive="#3a3f49",
    highlight="#f0e442",
    series=("#56b4e9", "#e69f00", "#2bc79a", "#e59ac4", "#f0e442", "#f2f4f8", "#6aa2ff", "#ff8f4d"),
    dark=True,
)
