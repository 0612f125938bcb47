"""Messages on a machine that cannot run kernels on a GPU."""

from __future__ import annotations

import subprocess
import sys

import pytest
from click.testing import CliRunner

from kernels.cli import main
from kernels.errors import UnavailableError
from kernels.gpu import compiler, device
from kernels.installation import install_command

without_gpu = pytest.mark.skipif(not device.missing(), reason="this machine has a GPU")


@without_gpu
def test_the_reason_says_what_to_do() -> None:
    assert "install" in device.missing() or "GPU" in device.missing()
    with pytest.raises(UnavailableError):
        device.present_device()


@pytest.mark.skipif(not compiler.missing(), reason="NVRTC is installed")
def test_the_command_to_install_is_named() -> None:
    assert install_command("cuda13") in compiler.missing()


@without_gpu
def test_versions_are_empty_texts() -> None:
    assert set(device.versions().values()) == {""}


def test_importing_the_room_loads_neither_cupy_nor_numba() -> None:
    code = (
        "import sys; from kernels.gpu import run, libraries; from kernels.cpu import matmul\n"
        "from kernels.bench.measure import worker\n"
        "assert not {'cupy', 'numba', 'PySide6'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@without_gpu
def test_a_trace_is_not_compared_with_a_gpu_that_is_not_there() -> None:
    result = CliRunner().invoke(main, ["trace", "matmul_tiled", "--on-gpu"])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("tilescope: --on-gpu: ")
    assert result.stderr.count("\n") == 1
