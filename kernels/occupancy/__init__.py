"""How many blocks fit on an SM at once, what limits them, and what would lift the limit."""

from kernels.occupancy.calculate import Limit, Occupancy, Resources, occupancy

__all__ = ["Limit", "Occupancy", "Resources", "occupancy"]
