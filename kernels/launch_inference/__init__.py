"""A `.cu` file that does not say how it is launched: what has to be asked, a first proposal, and the run. No Qt."""

from kernels.launch_inference.proposals import proposals
from kernels.launch_inference.run import perform

__all__ = ["perform", "proposals"]
