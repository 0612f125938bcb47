"""Advice for data races: cures proposed from the source's structure, and tried out in the simulator."""

from kernels.simt.advice.trial import advise

__all__ = ["advise"]
