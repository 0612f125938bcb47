"""compute-sanitizer finds nothing in any kernel of the catalogue that is not a lesson."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest

from kernels.catalog import catalog
from tests.gpu.sanitizer_options import EXTRA, ROOT

EXPECTED = {k.id for k in catalog() if k.runs_on == "cuda" and not k.flaw}
TIMEOUT_S = 240


@pytest.mark.parametrize("tool", ["memcheck", "racecheck"])
def test_nothing_is_found(tool: str) -> None:
    sanitizer = shutil.which("compute-sanitizer")
    if sanitizer is None:
        pytest.skip("compute-sanitizer is not on the PATH: it comes with the CUDA toolkit")
    done = subprocess.run(
        [sanitizer, "--tool", tool, *EXTRA.get(tool, ()), sys.executable, "-m", "tests.gpu.sanitized_kernels"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    ran = dict(re.findall(r"ran (\w+) (\d+)", done.stdout))
    assert ran.keys() == EXPECTED, f"{done.stdout[-2000:]} {done.stderr[-2000:]}"
    assert all(int(launches) for launches in ran.values())
    clean = "ERROR SUMMARY: 0 errors" if tool == "memcheck" else "RACECHECK SUMMARY: 0 hazards displayed"
    assert clean in done.stdout + done.stderr, done.stdout[-4000:]
