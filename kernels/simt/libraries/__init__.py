"""Libraries that only some kernels use, one folder each: take a folder away, and all other kernels still run."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from kernels.simt.compiler.registry import Registry
from kernels.simt.intrinsics.enter import enter

LIBRARIES: Final = {
    "libcudacxx": r"cuda::atomic\..*|atomic_thread_fence|__phase_.*",
    "cooperative_groups": r"this_(thread_block|thread|grid)|coalesced_threads|(tiled|labeled|binary)_partition|\.?sync",
    "curand": r"curand.*|skipahead.*",
    "device_heap": r"malloc|free|new(\[\])?(\{\})?",
    "half_bfloat16": r"__h.*|h[a-z0-9]+|__.*(half|bfloat16|bf16).*",
    "inline_ptx": r"asm",
    "rare_math": r"__[df].*_r[duz]|__v.*|__dp[24]a.*|(erfc?inv|erfcx|normcdf|normcdfinv)f?",
    "tensor_cores": r"(fill_fragment|(load|store)_matrix_sync|mma_sync|__float_to_tf32)",
    "textures": r"(tex|surf)[A-Z0-9].*",
}
"""By name: a pattern of the functions that are the library's, for the message where it is absent."""


@cache
def installed(without: frozenset[str] = frozenset()) -> Registry:
    """Return the registry of CUDA's own functions and of every library that is there, but those named."""
    registry = Registry()
    enter(registry)
    for name, functions in LIBRARIES.items():
        module = f"{__name__}.{name}"
        if name in without or find_spec(module) is None:
            registry.absent[name] = functions
        else:
            import_module(module).enter(registry)
    return registry
