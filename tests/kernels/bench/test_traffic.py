"""Traffic for the roofline: that of a recorded run, and of a smaller problem for a large one."""

from __future__ import annotations

import pytest

from kernels.analysis import counts
from kernels.bench.traffic import LARGEST_COUNTED, count_traffic, counted_size, ideal_intensity
from kernels.catalog import find_kernel
from kernels.errors import InputError
from kernels.launch import Dim3
from kernels.simt import Options
from kernels.tracing import trace_kernel
from kernels.workload import Size


@pytest.mark.parametrize("name", ["matmul_naive", "matmul_tiled"])
def test_the_traffic_is_that_of_a_recorded_run(name: str) -> None:
    kernel, size, block = find_kernel(name), Size(48, 40, 56), Dim3(8, 8)
    recorded = counts(trace_kernel(kernel, size, block, options=Options(advise=False)))
    sectors = sum(array.sectors for array in recorded.arrays if array.space == "global")
    assert count_traffic(kernel, block, size).bytes == 32 * sectors


@pytest.mark.parametrize("n", [1, 64, 512, 513, 1000, 4095, 8192])
def test_a_large_problem_is_counted_at_a_smaller_one_with_equal_remainders(n: int) -> None:
    (counted, _, _) = counted_size(Size(n, n, n))
    assert counted <= max(LARGEST_COUNTED, n)
    assert counted == n if n <= LARGEST_COUNTED else counted > LARGEST_COUNTED - 128
    assert counted % 128 == n % 128


def test_the_intensity_at_a_smaller_size_is_close_to_that_of_the_large_one() -> None:
    kernel, block = find_kernel("matmul_tiled"), Dim3(16, 16)
    large, small = (
        count_traffic(kernel, block, Size(n, n, n)).intensity for n in (1023, counted_size(Size(1023, 1023, 1023)).n)
    )
    assert small == pytest.approx(large, rel=0.03)


def test_the_ideal_moves_every_array_once() -> None:
    assert ideal_intensity(find_kernel("matmul_naive"), Size(64, 64, 64)) == pytest.approx(64 / 6)


def test_a_library_routine_has_no_traffic_to_count() -> None:
    with pytest.raises(InputError, match="no CUDA source"):
        count_traffic(find_kernel("cublas_sgemm"), Dim3(16, 16), Size(64, 64, 64))


def test_a_launch_that_takes_too_long_is_not_counted() -> None:
    with pytest.raises(InputError, match=r"the simulator needs more than 0 s for .*, 16×16, n = 256"):
        count_traffic(find_kernel("matmul_naive"), Dim3(16, 16), Size(256, 256, 256), 0.0)


def test_a_block_whose_shared_memory_needs_an_opt_in_is_counted() -> None:
    kernel = find_kernel("matmul_split_k")
    block = Dim3(192)
    assert kernel.launch(Size(64, 64, 64), block).dynamic_shared_bytes > 48 * 1024
    assert count_traffic(kernel, block, Size(64, 64, 64)).bytes
