"""Checkers: they observe the machine and report hazards, by the names of Compute Sanitizer's tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

KINDS: Final = {
    "memcheck": ("out-of-bounds", "misaligned-access", "use-after-free", "double-free", "invalid-free"),
    "initcheck": ("uninitialised-read",),
    "racecheck": ("data-race",),
    "synccheck": ("barrier-divergence", "warp-mask", "inactive-shuffle"),
}
"""Kinds of hazards, by the checker that they belong to. All others are reported in every run."""

ALL: Final = frozenset(KINDS)
"""The names of all checkers."""


def unwanted_kinds(checkers: Collection[str]) -> frozenset[str]:
    """Return the kinds of hazards that no checker of a run reports.

    Compiled code tests some of them itself (a null pointer, the mask of a shuffle), without an event of the machine.
    """
    return frozenset(kind for name, kinds in KINDS.items() if name not in checkers for kind in kinds)
