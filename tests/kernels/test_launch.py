"""Launches and the limits of devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels import RESOURCES
from kernels.device import device_of_driver, devices, find_device, read_device
from kernels.errors import InputError, LaunchError
from kernels.launch import Dim3, Launch, Limits, check
from tests.cases import Cases

if TYPE_CHECKING:
    from pathlib import Path

CASES = Cases(__file__)

SIDES = st.integers(1, 9)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("16", Dim3(16, 1, 1)),
        ("16,8", Dim3(16, 8, 1)),
        ("16, 8, 2", Dim3(16, 8, 2)),
        ("16x8", Dim3(16, 8, 1)),
        ("16×8×2", Dim3(16, 8, 2)),
    ],
)
def test_parse(text: str, expected: Dim3) -> None:
    assert Dim3.parse(text) == expected


@pytest.mark.parametrize("text", ["", "a", "0", "16,0", "-1", "1,2,3,4", "1.5", "16,", "16;8"])
def test_invalid_sizes_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="one to three whole numbers from 1 up"):
        Dim3.parse(text)


@pytest.mark.parametrize(
    ("dims", "text"),
    [(Dim3(16), "16×1"), (Dim3(16, 8), "16×8"), (Dim3(16, 8, 2), "16×8×2"), (Dim3(1, 1, 2), "1×1×2")],
)
def test_shown(dims: Dim3, text: str) -> None:
    assert str(dims) == text
    assert Dim3.parse(text) == dims


def test_members_count_along_x_first() -> None:
    dims = Dim3(2, 3, 2)
    assert dims.count == 12
    assert [dims.member(i) for i in range(4)] == [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]
    assert dims.member(11) == (1, 2, 1)


@given(SIDES, SIDES, SIDES, st.data())
def test_member_is_the_inverse_of_linear(x: int, y: int, z: int, data: st.DataObject) -> None:
    dims = Dim3(x, y, z)
    linear = data.draw(st.integers(0, dims.count - 1))
    assert dims.linear(*dims.member(linear)) == linear


@pytest.mark.parametrize(
    ("block", "warps"), [(Dim3(1), 1), (Dim3(32), 1), (Dim3(33), 2), (Dim3(8, 8), 2), (Dim3(5, 3, 3), 2)]
)
def test_warps_of_a_block(block: Dim3, warps: int) -> None:
    launch = Launch(Dim3(3, 2), block)
    assert launch.warps_per_block == warps
    assert launch.thread_count == 6 * block.count


@pytest.mark.parametrize(("grid", "block", "dynamic", "static", "message"), CASES("illegal_launches", tuples=True))
def test_illegal_launches(
    grid: tuple[int, ...], block: tuple[int, ...], dynamic: int, static: int, message: str
) -> None:
    with pytest.raises(LaunchError) as caught:
        check(Launch(Dim3(*grid), Dim3(*block), dynamic), Limits(), static)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("grid", "block", "dynamic", "static"),
    [((1,), (1024,), 0, 0), ((2**31 - 1, 65535, 65535), (32, 32), 49152, 0), ((1,), (1, 1, 64), 152, 49000)],
)
def test_launches_at_the_limits(grid: tuple[int, ...], block: tuple[int, ...], dynamic: int, static: int) -> None:
    check(Launch(Dim3(*grid), Dim3(*block), dynamic), Limits(), static)


def test_a_device_may_allow_more_shared_memory() -> None:
    launch = Launch(Dim3(1), Dim3(1), 100_000)
    check(launch, Limits(shared_per_block_bytes=227 * 1024))
    with pytest.raises(LaunchError, match="choose a smaller tile"):
        check(launch, Limits())


@pytest.mark.parametrize(("name", "tflops"), CASES("peak_is_the_one_that_nvidia"))
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


@pytest.mark.parametrize(("name", "id"), CASES("a_drivers_name_finds_the_device"))
def test_a_drivers_name_finds_the_device_of_the_table(name: str, id: str | None) -> None:
    found = device_of_driver(name)
    assert (found.id if found else None) == id
