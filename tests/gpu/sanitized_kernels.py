"""Runs every kernel of the catalogue but the lessons on the GPU, or those named, for compute-sanitizer to watch:

compute-sanitizer --tool racecheck python -m tests.gpu.sanitized_kernels [KERNEL…]
"""

from __future__ import annotations

import sys

import cupy

from kernels.catalog import catalog
from kernels.errors import LaunchError
from kernels.fill import Fill
from kernels.gpu.run import CudaRun
from kernels.launch import Dim3
from kernels.workload import Size, verify

SIZES = tuple(Size.parse(text) for text in ("1", "7", "16", "33", "32,16,48", "5,37,19"))
BLOCKS = (Dim3(4, 4), Dim3(8, 8), Dim3(16, 16), Dim3(8, 4))


def main() -> None:
    """Launch each kernel with every size and block that it takes; a wrong result ends the run."""
    named = sys.argv[1:]
    cupy.cuda.set_allocator(None)  # CuPy's pool would round sizes up, and hide an index that is a little too large
    for kernel in catalog():
        if kernel.runs_on != "cuda" or (kernel.id not in named if named else kernel.flaw):
            continue
        launches = 0
        for size in dict.fromkeys(kernel.workload.fit(size) for size in SIZES):
            inputs = kernel.workload.inputs(size, Fill("random", (1,)))
            for block in dict.fromkeys((*BLOCKS, kernel.block, *kernel.blocks)):
                try:
                    run = CudaRun(kernel, size, block, inputs, memory=kernel.memory)
                except LaunchError:
                    continue
                with run:
                    verdict = verify(kernel.workload, size, inputs, run.outputs(), tolerance=kernel.tolerance)
                assert verdict.correct, f"{kernel.id} {block} {size}: {verdict.message}"
                launches += 1
        print(f"ran {kernel.id} {launches}", flush=True)


if __name__ == "__main__":
    main()
