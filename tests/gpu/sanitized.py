"""Runs kernels of the hazard corpus on the GPU, one after another, for compute-sanitizer to watch:

    compute-sanitizer --tool racecheck --print-level info python -m tests.gpu.sanitized rotate_in_shared_no_barrier

Without names all run that leave the process usable; `tests/kernels/hazards/corpus.py` says which do not. Nothing is
read back, so that what the tool reports is the kernel's own.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import cupy
import numpy as np

from kernels.arguments import parse_arguments
from kernels.launch import Dim3, Launch
from kernels.simt import Unwritten
from tests.gpu.launch_source import launch_source
from tests.kernels.hazards.corpus import FOLDER, Case, cases, read_case

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernels.simt import Argument

ALIGNMENT = 256
"""Bytes: where arrays begin that share one allocation."""


def launch(case: Case) -> None:
    """Run a kernel once, with its arrays on the device; raises CuPy's errors."""
    given = parse_arguments(case.options("--arg"))
    grid, block = (Dim3.parse(*case.options(name)) for name in ("--grid", "--block"))
    shared = int((*case.options("--dynamic-shared"), "0")[0])
    arguments = {**given, **_arrays(given, case.one_allocation)}
    launch_source(case.file.read_text(encoding="utf-8"), case.name, Launch(grid, block, shared), arguments)


def _arrays(given: Mapping[str, Argument], one_allocation: bool) -> dict[str, Any]:
    """Put arrays on the device: each in an allocation of its own size, or all behind one another in one."""
    wanted = {name: value for name, value in given.items() if isinstance(value, np.ndarray | Unwritten)}
    sizes = [np.dtype(a.dtype).itemsize * int(np.prod(a.shape)) for a in wanted.values()]
    starts = np.cumsum([0, *(-(-size // ALIGNMENT) * ALIGNMENT for size in sizes)])
    whole = cupy.empty(int(starts[-1]), np.uint8) if one_allocation else None
    found = {}
    for (name, value), start in zip(wanted.items(), starts.tolist(), strict=False):
        memory = None if whole is None else whole.data + start
        found[name] = cupy.ndarray(value.shape, value.dtype, memory)
        if isinstance(value, np.ndarray):
            found[name].set(np.ascontiguousarray(value))
    return found


def main(names: list[str]) -> None:
    """Run kernels by name; a failure is told, and ends the run."""
    cupy.cuda.set_allocator(None)  # CuPy's pool would round sizes up, and hide an index that is a little too large
    chosen = [read_case(FOLDER / f"{name}.cu") for name in names]
    for case in chosen or [case for case in cases() if not case.breaks_context and not case.endless]:
        print(f"running {case.name}", flush=True)
        launch(case)


if __name__ == "__main__":
    main(sys.argv[1:])
