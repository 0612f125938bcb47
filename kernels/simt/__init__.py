"""The simulator: runs CUDA C for all threads of a launch on NumPy vectors, and records what happens."""

from kernels.simt.engine import Options, choose_kernel, run
from kernels.simt.launch.arguments import Argument, Unwritten
from kernels.simt.launch.textures import Sampler, Texture
from kernels.simt.machine.schedule import check_threads

__all__ = ["Argument", "Options", "Sampler", "Texture", "Unwritten", "check_threads", "choose_kernel", "run"]
