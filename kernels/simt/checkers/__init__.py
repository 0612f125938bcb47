"""Checkers: they observe the machine and report hazards, by the names of Compute Sanitizer's tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

KINDS: Final = {
    "memcheck": ("out-of-bounds", "misaligned-access", "use-after-free", "double-free", "invalid-free"),
    "initcheck": ("uninitialised-read",),
    "racecheck": ("data-race", "async-race"),
    "synccheck": ("barrier-divergence", "warp-mask", "inactive-shuffle"),
}
"""Kinds of hazards, by checker. Kinds that are not listed are reported in every run."""

ALL: Final = frozenset(KINDS)
"""The names of all checkers."""


def unwanted_kinds(checkers: Collection[str]) -> frozenset[str]:
    """Return the kinds of hazards that belong to none of the given checkers.

    A run suppresses them also where compiled code tests for them itself, without an event of the machine (a null
    pointer, the mask of a shuffle).
    """
    return frozenset(kind for name, kinds in KINDS.items() if name not in checkers for kind in kinds)
