"""The check for ReFrame, run by ReFrame."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import kernels
from kernels.cli import main

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(shutil.which("reframe") is None, reason="reframe is not installed (pip install ReFrame-HPC)"),
]


def test_reframe_runs_each_shard_and_extracts_the_rates(tmp_path: Path) -> None:
    folder = tmp_path / "plan"
    kernel = ("cpu_sequential", "--sizes", "3,4,5", "--budget", "0.02", "--shards", "2")
    assert CliRunner().invoke(main, ["plan", *kernel, "--reframe", "--folder", str(folder)]).exit_code == 0
    program = tmp_path / "tilescope"
    root = Path(kernels.__file__).parent.parent
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{root}" exec "{sys.executable}" -m kernels "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        ["reframe", "-c", "tilescope_check.py", "-r", "--performance-report", "--exec-policy=serial"],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout
    for n in (3, 4, 5):
        assert f"cpu_sequential_0_device_{n}x{n}x{n}" in done.stdout
    collected = CliRunner().invoke(main, ["collect", str(folder), "--store", str(tmp_path / "s")])
    assert "3 of 3 points have an outcome" in collected.stdout
