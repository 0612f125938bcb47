"""Headers of CUDA that the rewritten text has to include."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.recorder.names import below

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kernels.frontend.ast import Function

PIPELINE: Final = ("__pipeline_memcpy_async", "__pipeline_commit", "__pipeline_wait_prior")
"""Asynchronous copies, and the waits for them."""

_GROUPS: Final = ("this_thread_block", "this_grid", "tiled_partition")
"""Functions that create cooperative groups."""

_OF_GROUPS: Final = {"reduce": "reduce", "inclusive_scan": "scan"}
"""Collective functions of groups, with the headers that declare them."""


def headers(functions: Iterable[Function]) -> list[str]:
    """Return the directives for cooperative groups, half precision and asynchronous copies."""
    bodies = tuple(function.body for function in functions)
    called = {part.function for part in below(bodies) if isinstance(part, ast.Call)}
    found = ["#include <cuda_pipeline_primitives.h>"] if called & set(PIPELINE) else []
    if any("half" in name for name in called):
        found += ["#include <cuda_fp16.h>"]
    if called & set(_GROUPS):
        found += ["#include <cooperative_groups.h>"]
        wanted = sorted({header for name, header in _OF_GROUPS.items() if name in called})
        found += [f"#include <cooperative_groups/{header}.h>" for header in wanted]
        found += ["using namespace cooperative_groups;"]
    return found
