"""Every command writes to streams that can encode only some of its characters: pipes on Windows, ASCII terminals.

Commands whose whole output is known run with one kind of stream each, in turn; the exhaustive command takes every kind.
Reports with times and the help texts take the same way to the stream, so each of them is written to one kind, the help
to the one with the fewest characters.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from kernels.child_process import WORKING_FOLDER
from kernels.cli import COMMANDS, main
from kernels.cli.encoding import PLAIN_FORM
from tests.sweeps import in_turn

ASCII = {"PYTHONIOENCODING": "ascii"}
WINDOWS = {"PYTHONIOENCODING": "cp1252"}
C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
STREAMS = {"ascii": (ASCII, "ascii"), "cp1252": (WINDOWS, "cp1252"), "C locale": (C_LOCALE, "ascii")}
LINES = ("kernels", "experiment", "trace größe.cu", "occupancy matmul_tiled --device T4 --curve")
HELP_OF_ALL = """
from gui.shell.command import program
for name in (None, *program.list_commands(None)):
    try:
        program([*([name] if name else []), "--help"])
    except SystemExit as end:
        assert not end.code, name
"""


def run(*arguments: str, variables: dict[str, str], encoding: str = "utf-8") -> subprocess.CompletedProcess[str]:
    hidden = ("PYTHONIOENCODING", "PYTHONUTF8", "LC_ALL", "LANG")
    return subprocess.run(
        [sys.executable, *arguments],
        env={**{k: v for k, v in os.environ.items() if k not in hidden}, **variables},
        cwd=WORKING_FOLDER,
        capture_output=True,
        encoding=encoding,
        timeout=120,
        check=False,
    )


def command(line: str, variables: dict[str, str], encoding: str) -> subprocess.CompletedProcess[str]:
    return run("-m", "kernels", *line.split(), variables=variables, encoding=encoding)


@pytest.mark.parametrize(("line", "stream"), in_turn(LINES, list(STREAMS), str))
def test_the_same_is_written_in_plain_forms(line: str, stream: str) -> None:
    variables, encoding = STREAMS[stream]
    whole = CliRunner().invoke(main, line.split())
    plain = command(line, variables, encoding)
    assert plain.returncode == whole.exit_code

    def expected(text: str) -> str:
        return text.encode(encoding, PLAIN_FORM).decode(encoding)

    assert (expected(whole.stdout) != whole.stdout) or encoding != "ascii" or whole.stdout.isascii()
    if "größe" in line and variables is C_LOCALE:  # an argument's bytes are no text there
        assert r"gr\xc3\xb6\xc3\x9fe.cu" in plain.stderr
    else:
        assert (plain.stdout, plain.stderr) == (expected(whole.stdout), expected(whole.stderr))


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("line", "variables", "encoding"),
    [
        ("bench cpu_sequential --sizes 8,2x3x4 --budget 0.01 --no-store", WINDOWS, "cp1252"),
        ("verify cpu_sequential --size 4 --print", C_LOCALE, "ascii"),
    ],
)
def test_reports_with_times_are_written(line: str, variables: dict[str, str], encoding: str) -> None:
    done = command(line, variables, encoding)
    assert done.returncode == 0, done.stderr
    assert "internal error" not in done.stderr
    assert done.stdout


def test_every_help_is_written() -> None:
    done = run("-c", HELP_OF_ALL, variables=C_LOCALE, encoding="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("Usage: ") == len(COMMANDS) + 3  # demo, the window, the program itself


@pytest.mark.parametrize(
    ("text", "encoding", "written"),
    [
        ("16×16 … A·Aᵀ ≥ 10⁶", "ascii", "16x16 ... A*A^T >= 10^6"),
        ("16×16 … A·Aᵀ ≥ 10⁶", "cp1252", "16×16 … A·A^T >= 10^6"),
        ("C₆₄, γ_K, 2⁻⁷ → √n", "ascii", "C64, gamma_K, 2^-7 -> sqrtn"),
        ("größe 中", "ascii", r"gr\xf6\xdfe \u4e2d"),
        ("größe 中", "cp1252", r"größe \u4e2d"),
        ("gr\udcf6\udcdfe", "utf-8", r"gr\xf6\xdfe"),
    ],
)
def test_plain_forms(text: str, encoding: str, written: str) -> None:
    assert text.encode(encoding, PLAIN_FORM).decode(encoding) == written
