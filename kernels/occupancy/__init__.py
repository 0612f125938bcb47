"""Occupancy: the number of resident blocks on an SM, its limits, and remedies."""

from kernels.occupancy.calculate import Limit, Occupancy, Resources, occupancy

__all__ = ["Limit", "Occupancy", "Resources", "occupancy"]
