"""Checks of results: against float64, against float32 summed in order, and against the teaching documents."""

from kernels.verify.check import check
from kernels.verify.model import Checks

__all__ = ["Checks", "check"]
