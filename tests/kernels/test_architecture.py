"""The architecture of a launch: names, macros, runs, trace files, and the commands that take one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner

from kernels.architecture import SM_80, Architecture
from kernels.bench.plan import Plan
from kernels.cli.trace import command as trace_command
from kernels.cli.verify import command as verify_command
from kernels.custom_launch.model import CustomLaunch, LaunchValue
from kernels.custom_launch.run import perform
from kernels.device import devices, find_device
from kernels.errors import InputError
from kernels.launch import Dim3, Launch
from kernels.simt import Options
from kernels.trace.file import load, save
from kernels.tracing import trace_source

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """__global__ void f(int *out)
{
    out[0] = __CUDA_ARCH__;
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    out[1] = 1;
#else
    out[1] = 0;
#endif
}
"""


def architecture(name: str) -> Architecture:
    return Architecture.parse(name)


@pytest.mark.parametrize("name", ["sm_70", "sm_80", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_120"])
def test_an_architecture_is_found_again_among_the_macros_of_a_launch(name: str) -> None:
    macros = architecture(name).among([("N", "4"), ("__CUDA_ARCH__", "750")])
    assert macros[0] == ("N", "4")
    assert Architecture.of_macros(macros) == architecture(name)
    assert SM_80.among(macros) == (("N", "4"),)


@pytest.mark.parametrize("text", ["", "90a", "sm_60", "sm_80a", "sm_90f", "compute_90", "sm_9"])
def test_another_name_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="no architecture"):
        architecture(text)


def test_every_device_has_an_architecture() -> None:
    assert [architecture(device.architecture.name) for device in devices()] == [d.architecture for d in devices()]
    assert find_device("h200").architecture == architecture("sm_90a")


@pytest.mark.parametrize(("name", "out"), [("sm_80", [800, 0]), ("sm_90", [900, 0]), ("sm_90a", [900, 1])])
def test_the_code_of_an_architecture_runs_and_its_trace_says_so(name: str, out: list[int], tmp_path: Path) -> None:
    arguments = {"out": np.zeros(2, np.int32)}
    macros = architecture(name).among(())
    trace = trace_source(SOURCE, "f.cu", None, Launch(Dim3(1), Dim3(1)), arguments, macros)
    assert trace.outputs["out"].tolist() == out
    save(trace, tmp_path / "f.trace")
    assert load(tmp_path / "f.trace").architecture == trace.architecture == architecture(name)


def test_a_launch_keeps_its_architecture_and_else_follows_the_device() -> None:
    from pathlib import Path

    launch = CustomLaunch(Path("f.cu"), SOURCE, "f", "1", "1", (LaunchValue("out", "int *", "i32[2]:zeros"),))
    chosen = CustomLaunch.of_settings(launch.file, SOURCE, launch.settings.replace("{", '{"arch": "sm_90a", ', 1))
    own = CustomLaunch.of_settings(
        launch.file, SOURCE, launch.settings.replace('"defines": ""', '"defines": "__CUDA_ARCH__=890"')
    )
    for one, device, value in (
        (launch, "sm_80", 800),
        (launch, "sm_100", 1000),
        (chosen, "sm_100", 900),
        (own, "sm_100", 890),
    ):
        assert perform(one, Options(), architecture=architecture(device)).outputs["out"][0] == value
    assert CustomLaunch.of_settings(chosen.file, SOURCE, chosen.settings) == chosen


def test_trace_takes_an_architecture(tmp_path: Path) -> None:
    file = tmp_path / "f.cu"
    file.write_text(SOURCE, encoding="utf-8")
    words = [str(file), "--grid", "1", "--block", "1", "--arg", "out=i32[2]:zeros"]
    out = tmp_path / "f.trace"
    assert CliRunner().invoke(trace_command, [*words, "--arch", "sm_90a", "--out", str(out)]).exit_code == 0
    assert load(out).outputs["out"].tolist() == [900, 1]


def test_verify_takes_an_architecture_for_the_simulator() -> None:
    words = ["matmul_async", "--in", "simulator", "--size", "8", "--arch", "sm_75", "--json"]
    found = CliRunner().invoke(verify_command, words)
    assert found.exit_code == 0
    assert "right" in found.output or json.loads(found.output)


def test_a_plan_keeps_the_architecture_of_the_simulator() -> None:
    plan = Plan((), architecture=architecture("sm_90a"))
    assert Plan.from_json(plan.to_json()) == plan
    assert "architecture" not in Plan(()).to_json()
