"""Names that an unknown one may be meant for. No Qt."""

from __future__ import annotations

from typing import Final

from gui.explore.code.vocabulary import names_of

_MOST: Final = 2


def nearest_names(unknown: str, text: str) -> list[str]:
    """Return the names of a text, or of CUDA, that differ from a name in the fewest letters, up to a third of them."""
    own, cuda = names_of(text)
    rated = []
    for origin, names in enumerate((own, cuda)):
        for name in names:
            longer = abs(len(name) - len(unknown))
            if name != unknown and longer <= max(1, len(unknown) // 3):
                rated.append((_edits(unknown.lower(), name.lower()), longer, origin, name))
    near = [each for each in rated if each[0] <= max(1, len(unknown) // 3)]
    best = min((each[:3] for each in near), default=None)
    return [name for *rating, name in near if tuple(rating) == best][:_MOST]


def _edits(a: str, b: str) -> int:
    """Return the letters to insert, delete, replace or swap with their neighbour (optimal string alignment)."""
    rows = [list(range(len(b) + 1))]
    for i, letter in enumerate(a, start=1):
        row = [i]
        for j, other in enumerate(b, start=1):
            cost = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (letter != other))
            if i > 1 and j > 1 and (letter, a[i - 2]) == (b[j - 2], other):
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]
