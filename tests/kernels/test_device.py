from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels import RESOURCES
from kernels.device import device_of_driver, devices, find_device, read_device
from kernels.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "tflops"),
    [
        ("V100", 15.7),
        ("T4", 8.1),
        ("A100", 19.5),
        ("RTX 3090", 35.6),
        ("A10", 31.2),
        ("L4", 30.3),
        ("L40S", 91.6),
        ("RTX 4090", 82.6),
        ("H100", 66.9),
        ("H100 PCIe", 51.2),
        ("B200", 75.0),
        ("RTX 5090", 104.8),
    ],
)
def test_peak_is_the_one_that_nvidia_states(name: str, tflops: float) -> None:
    assert find_device(name).peak_fp32_gflops / 1e3 == pytest.approx(tflops, rel=0.01)


@pytest.mark.parametrize(
    ("name", "factors", "tflops"),
    [
        ("V100", "float16", 125),
        ("T4", "float16", 65),
        ("A100", "bfloat16", 312),
        ("A100", "tf32", 156),
        ("A30", "bfloat16", 165),
        ("A10", "bfloat16", 125),
        ("A40", "float16", 149.7),
        ("RTX 3090", "bfloat16", 71),
        ("L4", "bfloat16", 121),
        ("L40S", "bfloat16", 362),
        ("RTX 4090", "float16", 165.2),
        ("RTX 4090", "tf32", 82.6),
        ("H100", "bfloat16", 989.4),
        ("H100", "tf32", 494.7),
        ("H100 PCIe", "bfloat16", 756),
        ("H200", "float16", 989.4),
        ("RTX 5090", "bfloat16", 209.5),
    ],
)
def test_peak_of_tensor_cores_is_the_one_that_nvidia_states(name: str, factors: str, tflops: float) -> None:
    device = find_device(name)
    assert device.tensor_peak_gflops(factors) / 1e3 == pytest.approx(tflops, rel=0.015)
    clock = device.tensor_clock_mhz or device.boost_clock_mhz
    at_clock = device.peak_fp32_gflops * clock / device.boost_clock_mhz
    assert at_clock * device.tensor_share(factors) == pytest.approx(device.tensor_peak_gflops(factors))


def test_types_without_tensor_cores_have_no_peak() -> None:
    for name, factors in (("V100", "bfloat16"), ("GTX 1650", "float16"), ("H200", "float32")):
        assert find_device(name).tensor_peak_gflops(factors) == find_device(name).tensor_share(factors) == 0


def test_every_device_is_within_its_architecture() -> None:
    for device in devices():
        assert (RESOURCES / "architectures" / f"{device.arch}.toml").is_file()
        assert device.shared_per_block_bytes <= device.shared_per_block_optin_bytes
        assert device.shared_per_block_optin_bytes + device.shared_reserved_bytes <= device.shared_per_sm_bytes
        assert device.source
        assert not device.present
    assert len({device.name for device in devices()}) == len(devices())


@pytest.mark.parametrize("name", ["rtx_4090", "RTX 4090", "rtx4090", "Rtx-4090"])
def test_a_device_is_found_in_any_spelling(name: str) -> None:
    assert find_device(name).id == "rtx_4090"


def test_an_unknown_device_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"no device 'GTX 9000': choose one of v100, .*rtx_5090"):
        find_device("GTX 9000")


def test_a_new_device_is_one_small_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    lines = ['name = "Mine"', "compute_capability = [8, 6]", "sm_count = 2", "boost_clock_mhz = 1000"]
    file.write_text("\n".join([*lines, "memory_gb_s = 100", 'source = "a test"']), encoding="utf-8")
    device = read_device(file)
    assert (device.id, device.arch, device.warps_per_sm, device.peak_fp32_gflops) == (
        "mine",
        "sm_86",
        48,
        512,
    )


@pytest.mark.parametrize(
    "text", ["", "name = ", "compute_capability = [1, 0]", 'compute_capability = [8, 6]\ncolour = "green"']
)
def test_a_bad_device_file_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"bad\.toml: this device cannot be read"):
        read_device(file)


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("NVIDIA H200", "h200"),
        ("NVIDIA H100 80GB HBM3", "h100"),
        ("NVIDIA H100 PCIe", "h100_pcie"),
        ("NVIDIA A100-SXM4-40GB", "a100_40gb"),
        ("NVIDIA A100-SXM4-80GB", "a100"),
        ("NVIDIA A100 80GB PCIe", "a100_pcie"),
        ("Tesla T4", "t4"),
        ("Tesla V100-SXM2-16GB", "v100"),
        ("NVIDIA GeForce RTX 3060", "rtx_3060"),
        ("NVIDIA GeForce RTX 3060 Ti", "rtx_3060_ti"),
        ("NVIDIA GeForce RTX 4070 SUPER", None),
        ("NVIDIA GeForce RTX 3060 Laptop GPU", None),
        ("Some GPU", None),
        ("", None),
    ],
)
def test_a_drivers_name_finds_the_device_of_the_table(name: str, id: str | None) -> None:
    found = device_of_driver(name)
    assert (found.id if found else None) == id
