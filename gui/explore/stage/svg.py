"""Vector pictures: what is painted, as SVG elements.

A painting is recorded by Qt's SVG generator. Its output repeats the whole state of the painter for every call; here it
is read into elements that are equal where they look equal, so that pictures of a run share them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Final, NamedTuple
from xml.etree import ElementTree

from PySide6.QtCore import QBuffer, QIODevice, QRectF, QSize
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from xml.etree.ElementTree import Element as Node

_STATES: Final = re.compile(r"<g [^>]*transform=.*?</g>", re.DOTALL)
"""What was painted in one state of the painter; groups are not nested, except for one around all."""

_LINKS: Final = 'xmlns:xlink="http://www.w3.org/1999/xlink"'

_STATE: Final = {
    "fill-opacity": "1",
    "stroke-opacity": "1",
    "stroke-width": "1",
    "stroke-dasharray": "none",
    "stroke-dashoffset": "0",
    "stroke-linecap": "",
    "stroke-linejoin": "",
    "opacity": "1",
}
"""Properties of the painter's state that an element keeps where they differ from the default of SVG."""

_OF_STROKES: Final = ("stroke-",)
_IDENTITY: Final = "matrix(1,0,0,1,0,0)"

_FITTED_LETTERS: Final = 4
"""Texts of more letters are fitted to the width that they have here: another font could be wider."""

_HALO: Final = 1.0
"""Width of the pen, pixels: a text painted with a wider pen has a halo of that width in the colour of the brush."""


class Element(NamedTuple):
    """One element of a picture."""

    style: str
    """Colours, lines and font, as CSS."""
    shape: str
    """The element without its style: "rect x='1' …/", or "text …>words"."""

    def markup(self, attribute: str) -> str:
        """Return the element as SVG with an attribute for its style."""
        tag, inside, words = self.shape.partition(">")
        name, _, rest = tag.partition(" ")
        return f"<{name} {attribute} {rest}>{words}</{name}>" if inside else f"<{name} {attribute} {rest}/>"


class Drawing(NamedTuple):
    """One picture as elements, from back to front."""

    elements: tuple[Element, ...]
    patterns: dict[str, str]
    """Hatchings, by the names that styles use."""


def record(paint: Callable[[QPainter], object], width: float, height: float) -> Drawing:
    """Record what is painted into (0, 0, width, height)."""
    from PySide6.QtSvg import QSvgGenerator  # loaded only where a picture is recorded

    stored = QBuffer()
    stored.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(stored)
    generator.setSize(QSize(round(width), round(height)))
    generator.setViewBox(QRectF(0, 0, width, height))
    painter = QPainter(generator)
    try:
        paint(painter)
    finally:
        painter.end()
    head, _, body = bytes(stored.data().data()).decode().partition("</defs>")
    elements = tuple(element for state in _STATES.findall(body) for element in _elements(state))
    return Drawing(elements, dict(_patterns(head)))


def document(drawing: Drawing, width: float, height: float, title: str) -> str:
    """Return a picture as an SVG file."""
    body = "\n".join(element.markup(f'style="{escape(element.style)}"') for element in drawing.elements)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" fill-rule="evenodd" text-anchor="middle" font-family="{escape(font_family())}">\n'
        f"<title>{escape(title)}</title>\n<defs>{''.join(drawing.patterns.values())}</defs>\n{body}\n</svg>\n"
    )


def font_family() -> str:
    """Return the fonts for the texts of a picture: the one that they were measured in, else one of the system."""
    return f"'{QFont().family()}', system-ui, sans-serif"


@lru_cache(maxsize=8192)  # from one step to the next most of a picture stays
def _elements(markup: str) -> tuple[Element, ...]:
    """Return the elements that were painted in one state of the painter."""
    state = ElementTree.fromstring(markup.replace("<g ", f"<g {_LINKS} ", 1))
    return tuple(_read(state))


def _read(state: Node) -> Iterator[Element]:
    style, moved = _style(state), _moved(state)
    for node in state:
        name = node.tag
        if name == "text":
            yield _text(state, node, moved)
            continue
        kept = {key: value for key, value in node.items() if key not in ("vector-effect", "fill-rule")}
        own = f"{style};fill:none" if kept.pop("fill", "") == "none" else style
        yield Element(own, " ".join([name, *(f'{key}="{value.strip()}"' for key, value in kept.items()), *moved]))


def _style(state: Node) -> str:
    found = {"fill": state.get("fill", "none"), "stroke": state.get("stroke", "none")}
    for name, default in _STATE.items():
        value = state.get(name, default)
        if value != default and (found["stroke"] != "none" or not name.startswith(_OF_STROKES)):
            found[name] = value
    return ";".join(f"{name}:{value}" for name, value in found.items())


def _moved(state: Node) -> list[str]:
    transform = state.get("transform", _IDENTITY)
    return [] if transform == _IDENTITY else [f'transform="{transform}"']


def _text(state: Node, node: Node, moved: list[str]) -> Element:
    """Return a text, placed by its middle: another font may have another width."""
    words, size, weight = node.text or "", node.get("font-size", "12"), node.get("font-weight", "400")
    width = _width(words, size, weight)
    style = f"fill:{node.get('fill')};font-size:{size}px"
    style += ";font-weight:700" if int(weight) > 500 else ""
    halo = float(state.get("stroke-width", "1"))
    if halo > _HALO:
        style += f";paint-order:stroke;stroke-linejoin:round;stroke:{state.get('fill')};stroke-width:{halo:g}"
    x, y = float(node.get("x", "0")) + width / 2, float(node.get("y", "0"))
    fitted = [f'textLength="{width:.4g}" lengthAdjust="spacingAndGlyphs"'] if len(words) > _FITTED_LETTERS else []
    return Element(style, " ".join(["text", f'x="{x:.6g}" y="{y:.6g}"', *fitted, *moved]) + f">{escape(words)}")


@lru_cache(maxsize=8192)
def _width(words: str, size: str, weight: str) -> float:
    font = QFont()
    font.setPixelSize(max(1, round(float(size))))
    font.setBold(int(weight) > 500)
    return QFontMetricsF(font).horizontalAdvance(words)


def _patterns(head: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the markup of each hatching, without the masks that Qt makes of them."""
    if "<pattern" not in head:
        return
    root = ElementTree.fromstring(f"<defs>{head.partition('<defs>')[2]}</defs>")
    masks = {mask.get("id", ""): mask for mask in root.iter("mask")}
    for pattern in root.iter("pattern"):
        ground = pattern.find("rect")
        if ground is None:
            continue
        mask = masks[ground.get("mask", "").removeprefix("url(#").removesuffix(")")]
        spots = "".join("<rect " + " ".join(f'{key}="{value}"' for key, value in spot.items()) + "/>" for spot in mask)
        sizes = " ".join(f'{key}="{pattern.get(key)}"' for key in ("width", "height", "patternUnits"))
        name = pattern.get("id", "")
        yield name, f'<pattern id="{name}" {sizes} fill="{ground.get("fill")}">{spots}</pattern>'
