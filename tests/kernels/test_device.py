from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels import RESOURCES
from kernels.device import device_of_driver, devices, find_device, read_device
from kernels.errors import InputError
from tests.cases import Cases

if TYPE_CHECKING:
    from pathlib import Path

CASES = Cases(__file__)


@pytest.mark.parametrize(("name", "tflops"), CASES("peak_is_the_one_that_nvidia"))
def test_peak_is_the_one_that_nvidia_states(name: str, tflops: float) -> None:
    assert find_device(name).peak_fp32_gflops / 1e3 == pytest.approx(tflops, rel=0.01)


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


@pytest.mark.parametrize(("name", "id"), CASES("a_drivers_name_finds_the_device"))
def test_a_drivers_name_finds_the_device_of_the_table(name: str, id: str | None) -> None:
    found = device_of_driver(name)
    assert (found.id if found else None) == id
