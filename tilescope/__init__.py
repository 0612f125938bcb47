"""tilescope: see how a CUDA kernel works, then measure it. A wheel has everything in here (`hatch_build.py`)."""

from kernels import __version__

__all__ = ["__version__"]
