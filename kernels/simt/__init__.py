"""The simulator: runs CUDA C for all threads of a launch on NumPy vectors, and records what happens.

What it offers is imported with the first name that is asked for: a reader of traces needs the order of blocks, and not
the 100 modules of the compiler and the machine.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from kernels.simt.binding.arguments import Argument, Unwritten
    from kernels.simt.binding.textures import Sampler, Texture
    from kernels.simt.engine import Options, choose_kernel, run
    from kernels.simt.machine.scheduler import check_threads

_MODULES: Final = {
    "Argument": "binding.arguments",
    "Options": "engine",
    "Sampler": "binding.textures",
    "Texture": "binding.textures",
    "Unwritten": "binding.arguments",
    "check_threads": "machine.scheduler",
    "choose_kernel": "engine",
    "run": "engine",
}

__all__ = ["Argument", "Options", "Sampler", "Texture", "Unwritten", "check_threads", "choose_kernel", "run"]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
