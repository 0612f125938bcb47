"""Launch inference for a `.cu` file without a tilescope comment: proposed values, their trial, and the run. No Qt."""

from kernels.launch_inference.proposals import proposals
from kernels.launch_inference.run import perform

__all__ = ["perform", "proposals"]
