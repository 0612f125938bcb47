"""Reading machine code: its loads and stores, their widths and their lines."""

from __future__ import annotations

import pytest

from kernels.errors import UnavailableError
from kernels.gpu.compiler import compile_text, missing
from kernels.sass.cubin import memory_code

needs_nvrtc = pytest.mark.skipif(bool(missing()), reason=missing())

COPY = """extern "C" __global__ void k(const float4 *x, float *y, int n)
{
    __shared__ float s[128];
    ((float4 *)s)[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < 4; ++i)
        sum += s[4 * threadIdx.x + i];
    for (int i = 0; i < n; i += 2)
        sum += y[i * n];
    y[threadIdx.x] = sum;
}
"""


@needs_nvrtc
@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_120"])
def test_loads_and_stores_of_a_kernel(arch: str) -> None:
    code = compile_text(COPY, "copy.cu", "k", (), arch)
    found = memory_code(code.cubin, code.symbol, arch)
    assert [(i.line, i.space, i.access, i.size, i.barriers, i.count) for i in found.instructions if i.line != 10] == [
        (4, "global", "read", 16, 0, 1),
        (4, "shared", "write", 16, 0, 1),
        (8, "shared", "read", 16, 1, 1),  # the compiler's own doing
        (11, "global", "write", 4, 1, 1),
    ]
    around = {found.regions[i.region] for i in found.instructions if i.line == 10}
    assert any(region.loop and region.line == 9 and not region.waits for region in around)


@needs_nvrtc
@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_100"])
@pytest.mark.parametrize("size", [4, 8, 16])
def test_an_asynchronous_copy_is_a_read_and_a_write(arch: str, size: int) -> None:
    text = f"""extern "C" __global__ void k(const float *x, float *y)
    {{
        __shared__ __align__(16) float s[128];
        unsigned to = __cvta_generic_to_shared(&s[4 * threadIdx.x]);
        asm volatile("cp.async.ca.shared.global [%0], [%1], {size};" :: "r"(to), "l"(x + 4 * threadIdx.x));
        asm volatile("cp.async.wait_all;");
        __syncthreads();
        y[threadIdx.x] = s[threadIdx.x];
    }}"""
    code = compile_text(text, "async.cu", "k", (), arch)
    found = [i for i in memory_code(code.cubin, code.symbol, arch).instructions if i.line == 5]
    idle = [i for i in found if i.guarded]  # loads that read nothing: a GPU counts them
    assert {(i.space, i.access) for i in idle} <= {("shared", "read")}
    found = [i for i in found if i not in idle]
    assert [(i.space, i.access, i.size, i.region, i.guarded, i.count) for i in found] == [
        ("global", "read", size, -1, False, 1),
        ("shared", "write", size, -1, False, 1),
    ]


@needs_nvrtc
def test_matrices_of_a_warp_have_no_size_and_functions_that_are_called_stand_in_a_loop() -> None:
    text = """__device__ __noinline__ float twice(const float *p, int i)
    {
        return p[i] * 2.0f;
    }
    extern "C" __global__ void k(const float *x, float *y)
    {
        __shared__ __align__(16) unsigned s[128];
        unsigned a, from = __cvta_generic_to_shared(&s[4 * threadIdx.x]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(from));
        y[threadIdx.x] = twice(x, a) + twice(x, threadIdx.x);
    }"""
    code = compile_text(text, "called.cu", "k", (), "sm_90")
    found = memory_code(code.cubin, code.symbol, "sm_90")
    reads = [(i.line, i.space, i.size) for i in found.instructions if i.access == "read"]
    assert reads == [(9, "shared", 0), (3, "global", 4)]
    (called,) = (i for i in found.instructions if i.line == 3)
    assert found.regions[called.region].loop


GUARDED = """extern "C" __global__ void k(const float *x, float *y)
{
    __shared__ float s[64];
    if (threadIdx.x < 40)
        s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = s[0];
}
"""


@needs_nvrtc
def test_a_short_guard_becomes_a_condition_of_what_stands_under_it() -> None:
    code = compile_text(GUARDED, "guarded.cu", "k", (), "sm_90")
    found = memory_code(code.cubin, code.symbol, "sm_90").instructions
    assert {(i.line, i.guarded, i.region) for i in found if i.line in (5, 7)} == {
        (5, True, -1),
        (7, False, -1),
    }


@needs_nvrtc
def test_a_kernel_that_is_not_there_is_refused() -> None:
    code = compile_text(COPY, "copy.cu", "k", (), "sm_90")
    with pytest.raises(UnavailableError, match="no line table"):
        memory_code(code.cubin, "other", "sm_90")


@pytest.mark.parametrize("damaged", [b"", b"\x7fELF", b"\x7fELF\x02\x01" + bytes(58)])
def test_files_without_code_are_refused(damaged: bytes) -> None:
    with pytest.raises(UnavailableError, match="k has no line table"):
        memory_code(damaged, "k", "sm_90")
