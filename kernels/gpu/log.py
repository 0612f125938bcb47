"""The log of an instrumented kernel: what a thread writes into it, on both sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from kernels.source.nodes import Span
    from kernels.trace.records import Access, Space

ENTRY: Final = np.dtype([("address", "u8"), ("note", "u4"), ("bytes", "u4")])
"""One entry: `ts_entry` of the prelude."""


@dataclass(frozen=True, slots=True)
class Noted:
    """An access: where in the source, and its kind.

    The `deferred` write of an asynchronous copy is made when the thread waits for it.
    """

    span: Span
    access: Access
    deferred: bool = False


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The end of a group of asynchronous copies, or a wait that leaves as many groups in flight as there are bytes."""

    waits: bool


@dataclass(frozen=True, slots=True)
class Declared:
    """An array whose beginning is noted; `bytes` are 0 for the launch's dynamic shared memory."""

    name: str
    space: Space
    bytes: int


Note = Noted | Declared | Pipeline

EVERYTHING: Final = 0xFFFFFFFF
"""What a wait that leaves nothing in flight, committed or not, has for bytes."""

PRELUDE: Final = """\
struct ts_entry { unsigned long long address; unsigned int note; unsigned int bytes; };
extern "C" {
__device__ ts_entry *ts_log;
__device__ unsigned int *ts_count;
__device__ unsigned int ts_capacity;
}
__device__ __forceinline__ void ts_note(unsigned int note, const void *place, unsigned int bytes)
{
    unsigned long long thread = ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    thread = (thread * blockDim.z + threadIdx.z) * blockDim.y + threadIdx.y;
    thread = thread * blockDim.x + threadIdx.x;
    unsigned int count = ts_count[thread];
    ts_count[thread] = count + 1;
    // Each thread's log has one entry more than counts: what does not fit goes there, without a branch.
    ts_entry *entry = ts_log + thread * (ts_capacity + 1ull) + (count < ts_capacity ? count : ts_capacity);
    entry->address = (unsigned long long)place;
    entry->note = note;
    entry->bytes = bytes;
}
template <typename T> __device__ __forceinline__ void ts_mark(unsigned int note, const T *place)
{
    ts_note(note, place, sizeof(T));
}
template <typename T> __device__ __forceinline__ T ts_read(unsigned int note, const T &place)
{
    ts_mark(note, &place);
    return place;
}
template <typename T, unsigned long long N>
__device__ __forceinline__ T (&ts_read(unsigned int, T (&place)[N]))[N] { return place; }
template <typename T> __device__ __forceinline__ T &ts_write(unsigned int note, T &place)
{
    ts_mark(note, &place);
    return place;
}
template <typename T> __device__ __forceinline__ T &ts_modify(unsigned int read, unsigned int write, T &place)
{
    ts_mark(read, &place);
    ts_mark(write, &place);
    return place;
}
template <typename T> __device__ __forceinline__ T *ts_through(unsigned int note, T *place)
{
    ts_mark(note, place);
    return place;
}
struct ts_values {
    template <typename... T> __device__ ts_values(const T &...) {}
    __device__ int none() const { return 0; }
};

"""
"""What comes before an instrumented program."""
