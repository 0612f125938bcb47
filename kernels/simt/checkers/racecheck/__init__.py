"""Data races: two threads, one element, at least one plain write, and nothing that orders them."""

from kernels.simt.checkers.racecheck.watch import Watch

__all__ = ["Watch"]
