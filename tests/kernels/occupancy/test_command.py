from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from kernels.cli import main
from kernels.cli.devices import find_present
from kernels.device import devices
from tests.cases import Cases

CASES = Cases(__file__)


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, arguments)
    return result.exit_code, result.stdout, result.stderr


def test_the_answer_in_words() -> None:
    status, out, _ = run("occupancy", "matmul_tiled", "--block", "16,16", "--device", "rtx 3060")
    assert status == 0
    assert out.startswith("matmul_tiled, block 16×16 (256 threads, 8 warps) on RTX 3060 (sm_86)\n")
    assert "6 resident blocks per SM, 48 of 48 warps: 100 % occupancy" in out
    assert "Block Limit Registers" in out


def test_the_answer_as_json_has_the_whole_curve() -> None:
    _, out, _ = run("occupancy", "matmul_tiled", "--block", "8,8", "--device", "T4", "--curve", "--json")
    answer = json.loads(out)
    assert (answer["device"], answer["block"], answer["threads"]) == ("t4", [8, 8, 1], 64)
    assert answer["occupancy"] == answer["resident_warps"] / answer["warps_per_sm"]
    assert [entry["block"][0] for entry in answer["curve"]] == list(range(1, 33))
    chosen = answer["curve"][7]
    assert chosen == {key: answer[key] for key in chosen}


def test_the_curve_marks_the_chosen_block() -> None:
    _, out, _ = run("occupancy", "matmul_naive", "--block", "16,16", "--device", "H200", "--curve")
    marked = [line for line in out.splitlines() if line.startswith(">")]
    assert [line.split()[1] for line in marked] == ["16×16"]


def test_a_suggestion_is_derived_in_words_and_its_block_is_the_one_reported() -> None:
    status, out, _ = run("occupancy", "matmul_tiled_dynamic", "--suggest", "--device", "T4")
    assert status == 0
    assert "1,024 threads: 1 block on an SM, 1,024 of 1,024 threads, 100 % occupancy" in out.replace(
        "has 1,024:", "1,024 threads:"
    )
    assert "4^floor(log4 1024) = 1024" in out
    assert "matmul_tiled_dynamic, block 32×32" in out
    _, out, _ = run("occupancy", "matmul_tiled_dynamic", "--suggest", "--device", "T4", "--json")
    answer = json.loads(out)
    assert (answer["suggestion"]["side"], answer["block"], answer["resident_blocks"]) == (32, [32, 32, 1], 1)


@pytest.mark.parametrize(("arguments", "said"), CASES("unusable_arguments_are_one_line", tuples=True))
def test_unusable_arguments_are_one_line_and_status_2(arguments: tuple[str, ...], said: str) -> None:
    status, out, error = run("occupancy", *arguments)
    assert (status, out) == (2, "")
    assert error.startswith("tilescope: ")
    assert said in error
    assert len(error.splitlines()) == 1


def test_no_gpu_is_told_when_the_present_one_is_asked_for() -> None:
    present, why = find_present()
    if present:
        pytest.skip(f"this machine has one: {present[0].name}")
    for arguments in (("--device", "present"), (), ("--achieved",)):
        status, _, error = run("occupancy", "matmul_naive", *arguments)
        assert status == 2
        assert why in error


def test_devices_as_json_has_every_field() -> None:
    _, out, _ = run("devices", "--json")
    answer = json.loads(out)
    assert bool(answer["missing"]) != answer["devices"][0]["present"]
    listed = [entry for entry in answer["devices"] if not entry["present"]]
    assert [entry["id"] for entry in listed] == [device.id for device in devices()]
    assert {"arch", "peak_fp32_gflops", "shared_unit_bytes"} <= set(listed[0])


def test_devices_for_people() -> None:
    _, out, _ = run("devices")
    present, why = find_present()
    assert (why in out) if why else (present[0].name in out)
    assert all(device.name in out for device in devices())
