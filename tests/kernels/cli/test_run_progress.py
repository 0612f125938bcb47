from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from kernels.cli.run_progress import interruptible
from kernels.simt import Options
from kernels.startup import INTERRUPTED

if TYPE_CHECKING:
    from pathlib import Path

TWICE = "".join(f"__device__ float f{n}(float x) {{ return f{n + 1}(x) + f{n + 1}(x); }}\n" for n in range(40)).replace(
    "f40(x) + f40(x)", "x"
)
COMPILED = f"{TWICE}__global__ void k(float *x) {{ x[0] = f0(1); }}\n"
READ = "template <int N, int M> struct F { static const int v = F<N - 1, M>::v + F<N - 1, M + 1>::v; };\n"
READ += "template <int M> struct F<0, M> { static const int v = 1; };\n"
READ += "".join(f"const int v{n} = F<20, {n}>::v;\n" for n in range(1000))
READ += "__global__ void k(float *x) { x[0] = v0; }\n"
LONG = "__global__ void k(float *x, int n) { for (int j = 0; j < n; ++j) x[threadIdx.x] += j; }"


def test_the_first_interrupt_asks_the_run_to_end_and_the_second_ends_the_program() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interruptible(Options()) as run:
        assert run.options.cancelled is not None
        assert not run.options.cancelled()
        signal.raise_signal(signal.SIGINT)
        assert run.interrupted
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
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "COLUMNS": "150", "TERM": "xterm"},
    ) as process:
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


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize(
    ("text", "counted", "words"),
    [
        (
            COMPILED,
            "kernels.simt.compiler.trace_tables.Tables.new_statement",
            "stopped by the user before the first step",
        ),
        (READ, "kernels.frontend.templates.struct_templates.StructTemplates.count_instance", "stopped by the user"),
    ],
    ids=["compiling", "reading"],
)
def test_an_interrupt_ends_a_file_that_is_still_read_or_compiled(
    tmp_path: Path, text: str, counted: str, words: str
) -> None:
    """Without its limits, either would take hours; it says when it is at work."""
    file = tmp_path / "twice.cu"
    file.write_text(text)
    owner, _, name = counted.rpartition(".")
    room, _, kind = owner.rpartition(".")
    program = f"""
import sys
from importlib import import_module
from kernels.simt.compiler.calls import functions
from kernels.frontend.templates import struct_templates
functions.MAX_INLINED = struct_templates.MAX_INSTANCES = sys.maxsize
owner, calls = getattr(import_module({room!r}), {kind!r}), []
before = owner.{name}
def counted(*arguments):
    calls.append(None)
    if len(calls) == 200:
        print("at work", flush=True)
    return before(*arguments)
owner.{name} = counted
from kernels.cli import main
main()
"""
    words_of_command = ["trace", str(file), "--grid", "1", "--block", "32", "--arg", "x=f32[32]:zeros"]
    with subprocess.Popen(
        [sys.executable, "-c", program, *words_of_command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "at work\n"
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate()
    assert process.returncode == INTERRUPTED
    assert output == ""
    assert errors.split("\n")[-2:] == [f"tilescope: {words}", ""]
    assert "Traceback" not in errors
