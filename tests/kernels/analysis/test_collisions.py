"""Colliding atomics are those that the contention of a request counts."""

from __future__ import annotations

import pytest

from kernels.analysis.metrics.collisions import colliding_atomics
from kernels.analysis.metrics.warp_access import warp_accesses, warps_in
from kernels.catalog import find_kernel
from kernels.tracing import trace_kernel
from kernels.workload import Size


@pytest.mark.parametrize("name", ["kmeans_update_atomic", "kmeans_update_privatized", "kmeans_update_warp"])
def test_collisions_are_the_contention_of_each_request(name: str) -> None:
    kernel = find_kernel(name)
    trace = trace_kernel(kernel, Size(70, 2, 3), kernel.blocks[0])
    seen = 0
    for step in range(trace.steps):
        for warp in warps_in(trace, step):
            found = [c for c in colliding_atomics(trace, step, warp // trace.launch.warps_per_block) if c.warp == warp]
            for access in warp_accesses(trace, step, warp):
                own = [len(c.lanes) for c in found if c.site == access.site]
                if access.site.access == "atomic":
                    assert max(own, default=1) == max(request.contention for request in access.requests)
                seen += len(own)
    assert (seen > 0) == (name != "kmeans_update_warp")  # one lane of each label adds
