"""Lines of the text that ran, in the text as it is edited now."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import Self

from kernels.catalog import FOOTER


def without_footer(text: str) -> str:
    """Return a source without the launch comment at its end."""
    body, found, _ = text.rpartition(FOOTER)
    return (body if found else text).rstrip()


@dataclass(frozen=True, slots=True)
class LineMap:
    """Two texts with the same first and last lines; the lines between them have changed."""

    first: int
    """Number of equal lines at the beginning."""
    last: int
    """Number of equal lines at the end."""
    before: int
    """Number of lines of the text that ran."""
    after: int
    """Number of lines of the edited text."""

    @classmethod
    def between(cls, ran: str, edited: str) -> Self:
        """Compare two texts."""
        old, new = ran.split("\n"), edited.split("\n")
        first = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
        left, right = reversed(old[first:]), reversed(new[first:])
        last = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))
        return cls(first, last, len(old), len(new))

    def edited_line(self, line: int) -> int:
        """Return where a line that ran is now, both counted from 1; 0 if it has changed or is gone."""
        if line <= self.first:
            return line
        return line + self.after - self.before if line > self.before - self.last else 0

    def ran_line(self, line: int) -> int:
        """Return where a line of the edited text was when it ran, both counted from 1; 0 if it has changed since."""
        return LineMap(self.first, self.last, self.after, self.before).edited_line(line)
