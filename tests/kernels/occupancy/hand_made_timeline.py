"""A block timeline for tests: two SMs with two places each, six blocks of 64 threads, in steps of 32 ns."""

from __future__ import annotations

import numpy as np

from kernels.launch import Dim3
from kernels.occupancy.block_timeline import BlockTimeline, Measured
from kernels.workload import Size

MEASURED = Measured(
    kernel="matmul_naive",
    title="One thread per element",
    size=Size(16, 16, 24),
    block=Dim3(8, 8),
    grid=Dim3(3, 2),
    gpu="Test GPU",
    sm_count=3,
    warps_per_sm=8,
    software="driver for CUDA 13.0, NVRTC 13.0",
    taken="2026-11-20T10:15:00+00:00",
    sm_clock_mhz=1980.0,
    checked="every element",
    registers=32,
    timed_registers=40,
    resident_blocks=2,
    timed_resident_blocks=2,
    launch_ms=0.001,
    timed_launch_ms=0.00102,
)

TIMELINE = BlockTimeline(
    MEASURED,
    np.array([0, 2, 0, 2, 0, 2], np.int32),
    np.array([0, 0, 32, 64, 320, 960], np.int64),
    np.array([320, 640, 352, 704, 640, 1600], np.int64),
)
"""SM 1 stays empty; SM 2 is empty from 704 to 960 ns."""
