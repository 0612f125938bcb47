"""Progress of a run in a terminal, its end, and control characters of a user's file."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from kernels.cli import main
from kernels.cli.run_progress import interruptible
from kernels.simt import Options
from kernels.startup import INTERRUPTED
from tests.cases import Cases

if TYPE_CHECKING:
    from pathlib import Path

CASES = Cases(__file__)

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


PRINTING = r"""
__global__ void printing(int *o)
{
    printf("\x1b[2Jgone\r\b\a\tkept\n");
    printf("%c31m %s\n", 0x9b, "RLOadmin");
    o[threadIdx.x + 1] = 1; // ESC
    assert(o[0] == 2 /* ESCRLO */);
}
""".replace("ESC", "\x1b[31m").replace("RLO", "\u202e")
LAUNCH = ("--grid", "1", "--block", "1", "--arg", "o=i32[1]:ones")
FOOTER = CASES.text("footer.txt")


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def shown(result: Result) -> str:
    """Return all that was printed, which has no control characters but ends of lines and tabs."""
    text = result.stdout + result.stderr
    assert [c for c in text if not c.isprintable() and c not in "\n\t"] == []
    return text


def test_printf_and_messages_show_control_characters_as_escapes(tmp_path: Path) -> None:
    file = tmp_path / "printing.cu"
    file.write_text(PRINTING, encoding="utf-8")
    text = shown(run("trace", file, *LAUNCH))
    assert "  \\x1b[2Jgone\\r\\b\\a\tkept\n" in text
    assert "  \\x9b31m \\u202eadmin\n" in text
    assert "assert(o[0] == 2 /* \\x1b[31m\\u202e */) does not hold" in text


def test_json_holds_what_was_printed(tmp_path: Path) -> None:
    file = tmp_path / "printing.cu"
    file.write_text(PRINTING, encoding="utf-8")
    result = run("trace", file, *LAUNCH, "--json")
    shown(result)
    assert json.loads(result.stdout)["printf"] == ["\x1b[2Jgone\r\b\a\tkept", "\x9b31m \u202eadmin"]


@pytest.mark.parametrize(("source", "words"), CASES("messages_about_a_source_show"))
def test_messages_about_a_source_show_control_characters_as_escapes(source: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text(source, encoding="utf-8")
    result = run("trace", file, "--grid", "1", "--block", "1")
    assert result.exit_code == 2
    assert words in shown(result)
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
@pytest.mark.parametrize(
    "words", [("trace",), ("occupancy",), ("bench",), ("verify", "--in", "simulator")], ids=lambda words: words[0]
)
@pytest.mark.parametrize("name", ["no\x1b[31m.cu", "two\nlines.cu", "back\r.cu", "\u202eknil.cu"])
def test_names_of_files_show_control_characters_as_escapes(words: tuple[str, ...], name: str, tmp_path: Path) -> None:
    missing = run(*words, tmp_path / name)
    assert missing.exit_code == 2
    assert len(missing.stderr.splitlines()) == 1
    shown(missing)
    (tmp_path / name).write_text(f"__global__ void k(const float *A, float *C) {{ }}\n{FOOTER}", encoding="utf-8")
    shown(run(*words, tmp_path / name))


def test_options_show_control_characters_as_escapes() -> None:
    for words in (("trace", "--\x1b[31m"), ("trace", "x", "--max-steps", "\x1b"), ("\x1b[2J",)):
        result = run(*words)
        assert result.exit_code == 2
        shown(result)
