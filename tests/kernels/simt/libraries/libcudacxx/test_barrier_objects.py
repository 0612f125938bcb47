"""Barriers as objects: arriving and waiting apart, copies that end a phase, pipelines of blocks."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.recorder.instrument import instrument

HEADERS = """#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_awbarrier_primitives.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;
"""


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("__shared__ barrier bar; bar.arrive();", "a barrier of part of a block"),
        ("__barrier_sync_count(1, 64);", "a barrier of part of a block"),
        ("if (out[0]) goto end; out[1] = 1; end: ;", "goto"),
    ],
)
def test_kernels_that_are_not_recorded_on_a_gpu(body: str, what: str) -> None:
    program = parse(HEADERS + f"__global__ void k(int *out) {{ {body} }}", "test.cu")
    given = {"out": np.zeros(2, np.int32)}
    with pytest.raises(SourceError, match=f"{what} cannot be recorded on a GPU: trace the kernel without --on-gpu"):
        instrument(program, program.kernels[0], Launch(Dim3(1), Dim3(64)), given)
