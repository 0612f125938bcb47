"""Write the page: HTML, style and script of `resources/player`, with the data of a run inside."""

from __future__ import annotations

import base64
import zlib
from html import escape
from typing import TYPE_CHECKING, Final

from gui.explore.export.elements import Json
from gui.explore.export.run_data import run_data
from gui.theming.theme import DARK, LIGHT
from kernels import RESOURCES, __version__
from kernels.errors import InputError
from kernels.files import check_writable, write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from gui.explore.export.run_data import Data, Run
    from gui.theming.theme import Theme

_PLAYER: Final = RESOURCES / "player"

MOST_STEPS: Final = 3000
"""Steps of a page, at most: each takes about 60 ms to write, and about a kilobyte."""

_COLOURS: Final = (
    "window",
    "panel",
    "border",
    "text",
    "muted",
    "accent",
    "accent_text",
    "warning",
    "hazard",
    "inactive",
)


def save_page(
    path: Path,
    run: Run,
    cancelled: Callable[[], bool] | None = None,
    progress: Callable[[int], object] | None = None,
) -> int:
    """Write a run as one HTML file and return its size in bytes; parameters as `run_data`.

    Raises
    ------
    InputError
        When the run has no step or too many, or the file cannot be written.
    Cancelled
        When `cancelled` returns true; no file is written.
    """
    check_writable(path)
    if not len(run.frames):
        raise InputError(f"{path}: no page was written, because there are no steps to show")
    if len(run.frames) > MOST_STEPS:
        raise InputError(
            f"A web page has at most {MOST_STEPS:,} steps; this one would have {len(run.frames):,}. "
            "Choose a smaller size, one warp, or turn off “Every statement”."
        )
    text = page(run_data(run, cancelled, progress))
    write_text(path, text)
    return len(text.encode())


def page(data: Data) -> str:
    """Return the page that plays a run."""
    packed = zlib.compress("".join(_json(data)).encode(), 9)
    text = (_PLAYER / "player.html").read_text(encoding="utf-8")
    parts = {
        "title": escape(str(data["title"])),
        "version": escape(__version__),
        "style": _variables() + (_PLAYER / "player.css").read_text(encoding="utf-8"),
        "script": (_PLAYER / "player.js").read_text(encoding="utf-8"),
        "data": base64.b64encode(packed).decode(),
    }
    for name, part in parts.items():
        text = text.replace(f"<!--{name}-->", part)
    return text


def _json(data: object) -> Iterator[str]:
    """Yield JSON in pieces: Python would stop the window while it writes all of it at once."""
    if isinstance(data, Json):
        yield data
    elif isinstance(data, dict):
        for number, (key, value) in enumerate(data.items()):
            yield f"{',' if number else '{'}{Json.of(str(key))}:"
            yield from _json(value)
        yield "}" if data else "{}"
    elif isinstance(data, list):
        for number, value in enumerate(data):
            yield "," if number else "["
            yield from _json(value)
        yield "]" if data else "[]"
    else:
        yield Json.of(data)


def _variables() -> str:
    """Return the colours of both themes as variables of CSS."""

    def block(selector: str, theme: Theme) -> str:
        colours = "".join(f"--{name}:{getattr(theme, name)};" for name in _COLOURS)
        return f"{selector}{{{colours}color-scheme:{theme.name}}}\n"

    return block(":root", LIGHT) + block(':root[data-theme="dark"]', DARK)
