"""Table of the elements of all pictures of a run: a picture is a list of numbers, stored as its change."""

from __future__ import annotations

import json
from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gui.explore.stage.svg import Drawing, Element

_HIDDEN = "display:none"


class Json(str):
    """A value that is written as JSON already.

    Hundreds of thousands of small lists would make Python's garbage collector stop the window again and again.
    """

    __slots__ = ()

    @classmethod
    def of(cls, value: object) -> Json:
        """Write a value."""
        return cls(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


class _Entry(NamedTuple):
    shape: str
    light: str
    dark: str
    again: int
    """How many equal elements lie below it in its picture."""


class ElementTable:
    """Elements that are equal in several pictures, once.

    Each has its style in light and in dark colours.
    """

    def __init__(self) -> None:
        self._numbers: dict[_Entry, int] = {}
        self._patterns: dict[str, str] = {}

    def add(self, light: Drawing, dark: Drawing) -> tuple[int, ...]:
        """Add one picture, painted in light and in dark colours; return the numbers of its elements."""
        self._patterns |= light.patterns | dark.patterns
        found, entries = Counter[_Entry](), []
        for entry in _paired(light.elements, dark.elements):
            entries.append(entry._replace(again=found[entry]))
            found[entry] += 1
        return tuple(self._numbers.setdefault(entry, len(self._numbers)) for entry in entries)

    def data(self) -> dict[str, object]:
        """Return the table: "shapes", the number of the style of each, "styles" in light and dark, and "patterns"."""
        styles: dict[tuple[str, str], int] = {}
        used = [styles.setdefault((entry.light, entry.dark), len(styles)) for entry in self._numbers]
        shapes = [entry.shape for entry in self._numbers]
        return {"shapes": shapes, "used": used, "styles": list(styles), "patterns": "".join(self._patterns.values())}


class Pictures:
    """Pictures of a run, each stored as its change from the one before; the first as one from nothing."""

    def __init__(self) -> None:
        self._last: Sequence[int] = ()
        self.changes: list[Json] = []

    def add(self, numbers: Sequence[int]) -> None:
        """Add the next picture, by the numbers of its elements."""
        self.changes.append(Json.of(list(_change(self._last, numbers))))
        self._last = numbers


def _paired(light: Sequence[Element], dark: Sequence[Element]) -> Iterator[_Entry]:
    """Pair equal shapes; of pictures that differ in more than colours, each element shows in one of them only."""
    if [element.shape for element in light] == [element.shape for element in dark]:
        for one, other in zip(light, dark, strict=True):
            yield _Entry(one.shape, one.style, other.style, 0)
        return
    yield from (_Entry(element.shape, element.style, _HIDDEN, 0) for element in light)
    yield from (_Entry(element.shape, _HIDDEN, element.style, 0) for element in dark)


def _change(before: Sequence[int], after: Sequence[int]) -> Iterator[list[int]]:
    """Yield the change of a picture, from back to front, as [number kept, number dropped, *numbers added]."""
    kept = 0
    for kind, first, end, added, last in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            kept += end - first
        else:
            yield [kept, end - first, *after[added:last]]
            kept = 0
