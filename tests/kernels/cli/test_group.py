"""The frame of the command line: help, version, errors and exit statuses."""

from __future__ import annotations

import subprocess
import sys

import click
import numpy as np
import pytest
from click.testing import CliRunner

from kernels import __version__
from kernels.cli import COMMANDS, LazyGroup, main
from tests.cases import Cases

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
