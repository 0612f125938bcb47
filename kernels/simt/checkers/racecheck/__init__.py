"""Racecheck: data races, two unordered accesses of one element by two threads, at least one of them a plain write."""

from kernels.simt.checkers.racecheck.checker import Racecheck

__all__ = ["Racecheck"]
