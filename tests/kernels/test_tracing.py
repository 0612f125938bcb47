"""Launches of files that are not in the catalogue: arguments, templates and limits."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.catalog import find_kernel
from kernels.errors import InputError, LaunchError
from kernels.fill import Fill
from kernels.launch import Dim3, Launch
from kernels.tracing import prepare, trace_source
from kernels.workload import Size
from tests.cases import Cases

CASES = Cases(__file__)


@pytest.mark.parametrize(("static", "dynamic", "message"), CASES("host_code_may_have_allowed_more"))
def test_host_code_may_have_allowed_more_dynamic_shared_memory(static: str, dynamic: int, message: str) -> None:
    def run() -> float:
        arguments = {"out": np.zeros(1, np.float32)}
        launch = Launch(Dim3(1), Dim3(1), dynamic)
        source = CASES.source("kernel").replace("STATIC", static)
        return float(trace_source(source, "k.cu", None, launch, arguments).outputs["out"][0])

    if message:
        with pytest.raises(LaunchError, match=message):
            run()
    else:
        assert run() == 3


def test_too_many_threads_are_refused_before_anything_is_filled() -> None:
    kernel = find_kernel("matmul_naive")
    with pytest.raises(InputError, match="a grid of 600,000,000 threads is too large to trace"):
        prepare(kernel, Size(5, 100_000_000, 7), Dim3(2, 2), Fill.parse("none.npy"))


def test_arrays_are_refused_before_they_are_filled() -> None:
    kernel = find_kernel("matmul_tiled")
    with pytest.raises(InputError, match="cannot hold that 4 times: choose a smaller size, up to 64"):
        prepare(kernel, Size(64, 64, 10**12), Dim3(8, 8), Fill.parse("none.npy"))
