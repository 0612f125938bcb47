"""Traces of wide accesses, made of scalar ones: each site takes `width` elements, counting up from the first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kernels.arguments import parse_arguments
from kernels.launch import Dim3, Launch
from kernels.simt import Options
from kernels.tracing import trace_source

if TYPE_CHECKING:
    from kernels.trace import Trace

COPY = """__global__ void k(const float *A, float *C)
{
    __shared__ float s[32];
    int i = 4 * threadIdx.x;
    s[i] = A[blockIdx.x * 32 + i];
    __syncthreads();
    C[blockIdx.x * 32 + i] = s[i];
}
"""
"""Two blocks of eight threads copy 64 numbers, four each, once the sites are widened by four."""


def widened(trace: Trace, width: int) -> Trace:
    """Let every site take `width` elements at once; what is written counts up from the value of the first."""
    chunks, offsets, end = [], trace.group_value.copy(), len(trace.value_bytes)
    for number in range(len(trace.group_step)):
        values = trace.group(number).values
        if values is not None:
            more = values[:, None] + np.arange(width).astype(values.dtype)
            chunks.append(more.reshape(-1).view(np.uint8))
            offsets[number] = end
            end += chunks[-1].nbytes
    return replace(
        trace,
        sites=tuple(replace(site, width=width) for site in trace.sites),
        group_value=offsets,
        value_bytes=np.concatenate([trace.value_bytes, *chunks]),
    )


def vector_copy() -> Trace:
    """Copy A = 0, 1, 2, … to C through shared memory, four elements at once."""
    arguments = parse_arguments(("A=f32[8,8]:iota", "C=f32[8,8]:uninit"))
    launch = Launch(Dim3(2), Dim3(8))
    return widened(trace_source(COPY, "copy.cu", None, launch, arguments, options=Options()), 4)
