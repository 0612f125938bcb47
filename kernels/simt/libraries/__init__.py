"""Libraries that only some kernels use, one folder each: without a folder, all other kernels still run.

A library imports no other one. Where it needs another's functions it compiles calls of them, or looks them up in the
registry: `mma.sync` in an asm needs `tensor_cores`; PTX's `mbarrier` and its ordered loads need `libcudacxx`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from kernels.simt.compiler.registry import Registry
from kernels.simt.intrinsics.enter import enter
from kernels.simt.libraries.absent import refuse_types

LIBRARIES: Final = {
    "libcudacxx": r"cuda::atomic.*|__phase_.*",
    "cooperative_groups": r"this_(thread_block|grid)|tiled_partition|\.?sync",
    "curand": r"curand.*",
    "device_heap": r"malloc|free|new(\[\])?(\{\})?",
    "half_bfloat16": r"(half2|__nv_bfloat16(2)?)\.operator.*|__h.*|h[a-z0-9]+|__.*(half|bfloat16|bf16).*",
    "inline_ptx": r"asm",
    "tensor_cores": r"fill_fragment|(load|store)_matrix_sync|mma_sync|__float_to_tf32|mma|ldmatrix|stmatrix",
    "textures": r"(tex|surf)[A-Z0-9].*",
}
"""By name: a pattern of the library's functions and PTX instructions, for the message where it is not installed."""


@cache
def installed(without: frozenset[str] = frozenset()) -> Registry:
    """Return the registry of CUDA's own functions and of all installed libraries but those named."""
    registry = Registry()
    enter(registry)
    for name, functions in LIBRARIES.items():
        module = f"{__name__}.{name}"
        if name in without or find_spec(module) is None:
            registry.absent[name] = functions
            refuse_types(registry, name)
        else:
            import_module(module).enter(registry)
    return registry
