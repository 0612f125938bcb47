"""The bandwidth of a copy is less than the datasheet's, and not by much."""

from __future__ import annotations

from kernels.device import device_of_driver
from kernels.gpu.bandwidth import copy_bandwidth
from kernels.gpu.device import present_device


def test_a_copy_reaches_most_of_the_bandwidth_of_the_datasheet() -> None:
    listed = device_of_driver(present_device().name)
    stated = listed.memory_gb_s if listed else present_device().memory_gb_s
    assert 0.6 * stated < copy_bandwidth() <= stated
