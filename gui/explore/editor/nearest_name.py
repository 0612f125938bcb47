"""Names that an unknown one may be meant for. No Qt."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Final

from gui.explore.editor.vocabulary import names_of

_ALIKE: Final = 0.5
"""Least share of common letters."""

_MOST: Final = 2


def nearest_names(unknown: str, text: str) -> list[str]:
    """Return the names of a text, or of CUDA, that are most alike; those that differ by one letter go first."""
    own, cuda = names_of(text)
    rated = []
    for name in (*own, *cuda):
        if name != unknown and abs(len(name) - len(unknown)) <= 2:
            match = SequenceMatcher(None, unknown.lower(), name.lower()).ratio()
            rated.append((-match, name not in own, name))
    best = sorted(rated)[:_MOST]
    return [name for match, _, name in best if -match >= _ALIKE and match == best[0][0]]
