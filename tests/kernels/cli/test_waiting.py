from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from kernels.cli.waiting import waiting
from kernels.simt import Options
from kernels.startup import INTERRUPTED

if TYPE_CHECKING:
    from pathlib import Path

LONG = "__global__ void k(float *x, int n) { for (int j = 0; j < n; ++j) x[threadIdx.x] += j; }"


def test_the_first_interrupt_asks_the_run_to_end_and_the_second_ends_the_program() -> None:
    before = signal.getsignal(signal.SIGINT)
    with waiting(Options()) as run:
        assert run.options.cancelled is not None
        assert not run.options.cancelled()
        signal.raise_signal(signal.SIGINT)
        assert run.ended
        assert run.options.cancelled()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_long_run_shows_how_far_it_is_and_what_there_is_when_interrupted(tmp_path: Path) -> None:
    file = tmp_path / "long.cu"
    file.write_text(LONG)
    words = [
        "trace",
        str(file),
        "--grid",
        "1",
        "--block",
        "32",
        "--arg",
        "n=100000000",
        "--arg",
        "x=f32[32]:zeros",
    ]
    program = "from kernels.cli import main; main()"
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", program, *words, "--no-record", "--max-steps", "1000000000"],
        stdout=subprocess.PIPE, stderr=theirs, env={**os.environ, "COLUMNS": "150", "TERM": "xterm"},
    ) as process:  # fmt: skip
        os.close(theirs)
        shown = b""
        while b"Ctrl+C ends it here" not in shown:
            shown += os.read(ours, 4096)
        process.send_signal(signal.SIGINT)
        while b"so far" not in shown:
            shown += os.read(ours, 4096)
        output, _ = process.communicate()
    os.close(ours)
    assert process.returncode == INTERRUPTED
    assert b"steps, at most" in shown
    assert b"tilescope: stopped by the user after " in shown
    assert b"lockstep: " in output
