"""Checking results: against float64, against float32 summed in order, and against what the documents print."""

from kernels.verify.check import check
from kernels.verify.model import Checks

__all__ = ["Checks", "check"]
