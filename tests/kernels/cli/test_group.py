"""The frame of the command line: help, version, errors, exit statuses, kernels, and streams of any encoding."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import click
import numpy as np
import pytest
from click.testing import CliRunner

from kernels import __version__
from kernels.catalog import catalog
from kernels.child_process import WORKING_FOLDER
from kernels.cli import COMMANDS, LazyGroup, main
from kernels.cli.encoding import PLAIN_FORM
from tests.cases import Cases
from tests.sweeps import in_turn

CASES = Cases(__file__)


def test_help_names_every_command_without_importing_it() -> None:
    result = CliRunner().invoke(main, ["--help"])
    assert result.exit_code == 0
    assert all(name in result.stdout for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    result = CliRunner().invoke(main, [name, "--help"])
    assert result.exit_code == 0
    assert "Usage: " in result.stdout


def test_version() -> None:
    assert CliRunner().invoke(main, ["--version"]).stdout == f"tilescope, version {__version__}\n"


@pytest.mark.parametrize(("words", "message"), CASES("a_wrong_command_is_one_line"))
def test_a_wrong_command_is_one_line_and_status_2(words: list[str], message: str) -> None:
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(message)
    assert result.stderr.count("\n") == 1


def test_too_little_memory_is_one_line_and_status_2() -> None:
    @click.command(name="large")
    def large() -> None:
        np.zeros(1 << 60, np.uint8)

    group = LazyGroup(lazy={})
    group.add_command(large)
    result = CliRunner().invoke(group, ["large"])
    assert result.exit_code == 2
    assert result.output == ("tilescope: this machine does not have enough memory for that: choose a smaller size\n")


def test_without_a_command_help_is_shown() -> None:
    result = CliRunner().invoke(main, [])
    assert result.exit_code == 2
    assert result.stderr.startswith("Usage: ")


def test_python_minus_m_runs_it() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "kernels", "trace", "hello_grid"], capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0, run.stderr
    assert "Hello from thread (1, 1) of block (0, 0)" in run.stdout
    run = subprocess.run([sys.executable, "-m", "kernels", "trace", "no"], capture_output=True, text=True, timeout=60)
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr.startswith("tilescope: no kernel 'no'")


def test_another_group_can_add_commands() -> None:
    group = LazyGroup(name="more", lazy={"again": ("kernels.cli.trace", "The trace command by another name.")})
    result = CliRunner().invoke(group, ["again", "hello_grid"])
    assert result.exit_code == 0
    assert "Hello from" in result.stdout


def test_every_kernel_is_listed_in_teaching_order_with_its_options_and_flaw() -> None:
    result = CliRunner().invoke(main, ["kernels"])
    assert result.exit_code == 0
    starts = [line.split()[0] for line in result.stdout.splitlines() if not line.startswith(" ")]
    assert starts == [kernel.id for kernel in catalog()]
    assert "  lesson: Sums are added to C, which was never set to zero." in result.stdout
    assert "  option x: threadIdx.x gives the row (default) or mmt_naive:x=column" in result.stdout


def test_json_has_them_all() -> None:
    listed = json.loads(CliRunner().invoke(main, ["kernels", "--json"]).stdout)["kernels"]
    assert [kernel["id"] for kernel in listed] == [kernel.id for kernel in catalog()]
    stripe = next(kernel for kernel in listed if kernel["id"] == "mmt_stripe")
    assert (stripe["clear"], stripe["options"]) == (["P"], {"x": ["row", "column"]})


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
