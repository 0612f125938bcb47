"""Our own `cuda/pipeline` and `cuda/barrier`: what they do of a thread's copies, and of a whole block's barrier.

A pipeline of a thread is what `__pipeline_memcpy_async` and its like work on. A barrier knows how many threads it waits
for: here that must be all of the block, for it waits as `__syncthreads()` does.
"""

from __future__ import annotations

import re
from typing import Final

HEADER: Final = re.compile(r"cuda/(pipeline|barrier)")
"""Names of the headers."""

TEXT: Final = """
#ifndef OWN_PIPELINES
#define OWN_PIPELINES
namespace cuda {

template <int SCOPE> struct pipeline {
    int committed, waited;
    __device__ void producer_acquire() {}
    __device__ void producer_commit() { __pipeline_commit(); ++committed; }
    __device__ void consumer_wait() { __pipeline_wait_prior(committed - waited - 1); ++waited; }
    __device__ void consumer_release() {}
};

__device__ inline pipeline<10> make_pipeline() { return pipeline<10>{0, 0}; }

template <int PRIOR> __device__ void pipeline_consumer_wait_prior(pipeline<10> &pipe) {
    __pipeline_wait_prior(PRIOR);
    pipe.waited = pipe.committed - PRIOR;
}

template <typename T> __device__ void memcpy_async(T *to, const T *from, size_t bytes, pipeline<10> &pipe) {
    for (size_t i = 0; i < bytes / sizeof(T); ++i) __pipeline_memcpy_async(to + i, from + i, sizeof(T));
}

template <int SCOPE> struct barrier {
    unsigned int expected, phase;
    __device__ void arrive_and_wait() {
        unsigned int whole_block = blockDim.x * blockDim.y * blockDim.z;
        assert(expected == whole_block);
        __syncthreads();
    }
};

template <typename BARRIER> __device__ void init(BARRIER *which, unsigned int expected) {
    which->expected = expected;
}

}
#endif
"""
"""What both of them hold."""
