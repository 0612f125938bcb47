"""Colours: grounds, light and dark in two contrasts, and palettes that are safe for colour-blind people.

A theme is a ground with a palette. Colour is never the only carrier of meaning: a mark, a hatch or a word says the
same.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Final, Literal

Contrast = Literal["normal", "high"]
PaletteChoice = Literal["okabe-ito", "tol-bright", "grey"]

_TEXT_RATIO: Final = 7.0
"""Contrast of text on a full tint in high contrast; of WCAG 2.1, level AAA."""
_CURVE_RATIO: Final = 3.0
"""Contrast of curves on the panel in high contrast; of WCAG 2.1 for graphics."""
_INKS: Final = ("#0d0f12", "#ffffff")
"""Colours of text on a tint."""


@dataclass(frozen=True, kw_only=True)
class _Ground:
    """Colours of everything but arrays, curves and groups."""

    window: str
    panel: str
    border: str
    text: str
    muted: str
    accent: str
    accent_text: str
    warning: str
    hazard: str
    inactive: str
    syntax: tuple[str, str, str, str]
    """Colours of keywords, functions of CUDA, literals and preprocessor lines in a listing."""


@dataclass(frozen=True, kw_only=True)
class Theme(_Ground):
    """Colours as #rrggbb. `text` on `window` or `panel` has a contrast of at least 7:1, other texts of 4.5:1.

    In high contrast all texts have 7:1, and borders 4.5:1.
    """

    name: str
    matrix_a: str
    matrix_b: str
    matrix_c: str
    shared: str
    thread: str
    highlight: str
    series: tuple[str, ...]
    """Colours of curves and groups; the sixth is that of text."""
    dark: bool
    contrast: Contrast


@dataclass(frozen=True, slots=True)
class _Palette:
    """Colours of arrays, curves and groups on a light or a dark ground."""

    matrix_a: str
    matrix_b: str
    matrix_c: str
    shared: str
    highlight: str
    series: tuple[str, str, str, str, str, str, str]


_GROUNDS: Final[dict[tuple[Contrast, bool], _Ground]] = {
    ("normal", False): _Ground(
        window="#f4f5f7",
        panel="#ffffff",
        border="#c3c8d0",
        text="#14171c",
        muted="#505a68",
        accent="#005a94",
        accent_text="#ffffff",
        warning="#b34700",
        hazard="#b3261e",
        inactive="#d5d8dd",
        syntax=("#0072b2", "#00664b", "#a34700", "#8a3d6b"),
    ),
    ("normal", True): _Ground(
        window="#16181d",
        panel="#1f2229",
        border="#454c59",
        text="#f2f4f8",
        muted="#aab3c2",
        accent="#56b4e9",
        accent_text="#10141a",
        warning="#f5a742",
        hazard="#ff8a80",
        inactive="#3a3f49",
        syntax=("#56b4e9", "#2bc79a", "#e69f00", "#e59ac4"),
    ),
    ("high", False): _Ground(
        window="#ffffff",
        panel="#ffffff",
        border="#4d4d4d",
        text="#000000",
        muted="#33383f",
        accent="#00406b",
        accent_text="#ffffff",
        warning="#7a3000",
        hazard="#8c1410",
        inactive="#d0d4da",
        syntax=("#00477a", "#004d38", "#7a3000", "#6b2450"),
    ),
    ("high", True): _Ground(
        window="#000000",
        panel="#000000",
        border="#9a9a9a",
        text="#ffffff",
        muted="#d0d5dc",
        accent="#7cc6f2",
        accent_text="#000000",
        warning="#ffb84d",
        hazard="#ff9d94",
        inactive="#33363c",
        syntax=("#7cc6f2", "#4fdcb2", "#ffb84d", "#f0b3d4"),
    ),
}
"""By contrast, and whether they are dark."""

_PALETTES: Final[dict[tuple[PaletteChoice, bool], _Palette]] = {
    # Okabe and Ito, 2008: Color Universal Design.
    ("okabe-ito", False): _Palette(
        matrix_a="#56b4e9",
        matrix_b="#e69f00",
        matrix_c="#009e73",
        shared="#cc79a7",
        highlight="#f0e442",
        series=("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#e69f00"),
    ),
    ("okabe-ito", True): _Palette(
        matrix_a="#2f86bd",
        matrix_b="#b57d00",
        matrix_c="#00805d",
        shared="#a85684",
        highlight="#f0e442",
        series=("#56b4e9", "#e69f00", "#2bc79a", "#e59ac4", "#f0e442", "#6aa2ff", "#ff8f4d"),
    ),
    # Tol, 2021: Colour Schemes, SRON/EPS/TN/09-002, "bright"; on a dark ground two of them lighter.
    ("tol-bright", False): _Palette(
        matrix_a="#66ccee",
        matrix_b="#ccbb44",
        matrix_c="#228833",
        shared="#aa3377",
        highlight="#f0e442",
        series=("#4477aa", "#ee6677", "#228833", "#aa3377", "#ccbb44", "#66ccee", "#bbbbbb"),
    ),
    ("tol-bright", True): _Palette(
        matrix_a="#4aa8c9",
        matrix_b="#a5962f",
        matrix_c="#1e752c",
        shared="#93306a",
        highlight="#f0e442",
        series=("#6d9bd1", "#ee6677", "#3d9a4e", "#d76aa6", "#ccbb44", "#66ccee", "#bbbbbb"),
    ),
    # Steps of lightness only: marks, hatches, letters and places say the rest.
    ("grey", False): _Palette(
        matrix_a="#d6d6d6",
        matrix_b="#b3b3b3",
        matrix_c="#959595",
        shared="#555555",
        highlight="#ffffff",
        series=("#3d3d3d", "#959595", "#6b6b6b", "#858585", "#525252", "#767676", "#2b2b2b"),
    ),
    ("grey", True): _Palette(
        matrix_a="#c4c4c4",
        matrix_b="#989898",
        matrix_c="#5a5a5a",
        shared="#ececec",
        highlight="#ffffff",
        series=("#d9d9d9", "#8c8c8c", "#b3b3b3", "#7a7a7a", "#e6e6e6", "#a0a0a0", "#c4c4c4"),
    ),
}
"""By name, and whether the ground is dark."""


@lru_cache
def theme_of(*, dark: bool, contrast: Contrast = "normal", palette: PaletteChoice = "okabe-ito") -> Theme:
    """Return a palette on a ground; in high contrast its colours are as far from it as text and curves need."""
    ground, colours = _GROUNDS[contrast, dark], _PALETTES[palette, dark]
    tints = [colours.matrix_a, colours.matrix_b, colours.matrix_c, colours.shared]
    series = list(colours.series)
    if contrast == "high":
        tints = [_away(tint, _ink(tint), _TEXT_RATIO) for tint in tints]
        series = [_away(color, ground.panel, _CURVE_RATIO) for color in series]
    a, b, c, shared = tints
    return Theme(
        **asdict(ground),
        name="dark" if dark else "light",
        matrix_a=a,
        matrix_b=b,
        matrix_c=c,
        shared=shared,
        thread=ground.text,
        highlight=colours.highlight,
        series=(*series[:5], ground.text, *series[5:]),
        dark=dark,
        contrast=contrast,
    )


def luminance(color: str) -> float:
    """Return the relative luminance of #rrggbb (WCAG 2.1)."""
    parts = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ratio(color: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21 (WCAG 2.1)."""
    high, low = sorted((luminance(color), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _ink(tint: str) -> str:
    """Return the colour of text on a tint: of two the one that contrasts more."""
    return max(_INKS, key=lambda ink: ratio(ink, tint))


def _away(color: str, from_color: str, least: float) -> str:
    """Return a colour mixed with white or black, whichever is farther from another one, until it contrasts enough."""
    end = max(("#000000", "#ffffff"), key=lambda color: ratio(color, from_color))
    parts = [(int(color[at : at + 2], 16), int(end[at : at + 2], 16)) for at in (1, 3, 5)]
    mixed = color
    for share in range(101):
        mixed = "#" + "".join(f"{round(x + (y - x) * share / 100):02x}" for x, y in parts)
        if ratio(mixed, from_color) >= least:
            break
    return mixed


LIGHT: Final = theme_of(dark=False)
DARK: Final = theme_of(dark=True)
