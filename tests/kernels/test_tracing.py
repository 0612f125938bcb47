"""What a launch of a file of one's own may ask for."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.errors import LaunchError
from kernels.launch import Dim3, Launch
from kernels.tracing import trace_source

KERNEL = """
extern __shared__ float tile[];
__global__ void k(float *out) {
    STATIC
    tile[16 * 1024] = 3;
    out[0] = tile[16 * 1024];
}"""


@pytest.mark.parametrize(
    ("static", "dynamic", "message"),
    [
        ("", 100_000, ""),
        ("__shared__ float more[12 * 1024]; more[0] = 1;", 232_448 - 49_152, ""),
        ("", 232_449, "a block needs 232,449 bytes of shared memory, the device allows 232,448: choose"),
        (
            "__shared__ float more[12 * 1024 + 1]; more[0] = 1;",
            70_000,
            "a block needs 49,156 bytes of shared memory, the device allows 49,152: choose",
        ),
    ],
)
def test_host_code_may_have_allowed_more_dynamic_shared_memory(
    static: str, dynamic: int, message: str
) -> None:
    def run() -> float:
        arguments = {"out": np.zeros(1, np.float32)}
        launch = Launch(Dim3(1), Dim3(1), dynamic)
        source = KERNEL.replace("STATIC", static)
        return float(trace_source(source, "k.cu", None, launch, arguments).outputs["out"][0])

    if message:
        with pytest.raises(LaunchError, match=message):
            run()
    else:
        assert run() == 3
