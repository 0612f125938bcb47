"""Affine accesses: proven free of races from their coefficients, mostly without listing elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from kernels.simt.machine.affine_index import Pattern

    Key = tuple[int, Pattern, int]
    """What was done: site, pattern, and the number that is added to it."""

    Rest = tuple[int, int, NDArray[Any] | None]
    """When: clock and step; and what was stored."""


class Later:
    """Such accesses since the last barrier, in their order.

    A loop does between two barriers what it did between the two before. Where that was clean, or nothing is written,
    equal keys are all that is looked at.
    """

    def __init__(self) -> None:
        self.keys: list[Key] = []
        self.stored = 0
        self._rest: list[Rest] = []
        self._clean: list[list[Key]] = []

    def add(self, key: Key, rest: Rest) -> None:
        """Add one; `stored` counts the values that are held."""
        self.keys.append(key)
        self._rest.append(rest)
        if rest[2] is not None:
            self.stored += len(key[1].index)

    def take(self) -> list[tuple[Key, Rest]]:
        """Return all, and begin again with none."""
        found = list(zip(self.keys, self._rest, strict=True))
        self.forget()
        return found

    def forget(self) -> None:
        """Begin again with none."""
        self.keys, self._rest, self.stored = [], [], 0

    def is_clean(self) -> bool:
        """Whether these accesses are known not to race with each other."""
        return not self.stored or self.keys in self._clean

    def remember(self, keys: list[Key], most: int) -> None:
        """Note that such accesses do not race with each other; so many sets of them are kept."""
        self._clean = [keys, *self._clean[: most - 1]]
