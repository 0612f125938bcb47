"""Reports of `tilescope trace --json` on kernels of the corpus."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from click.testing import CliRunner

from kernels.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kernels.hazards.corpus import Case


def report(case: Case, schedule: str, *options: str) -> dict[str, Any]:
    """Return the report on a case; runs are deterministic, so it is printed once in a process."""
    return parse_report(_printed(case.file, case.words, schedule, options))


def new_report(case: Case, schedule: str, *options: str) -> dict[str, Any]:
    """Return the report of a new run, for tests that change the simulator."""
    return parse_report(_print(case.file, case.words, schedule, options))


def parse_report(printed: str) -> dict[str, Any]:
    """Return a printed report."""
    found: dict[str, Any] = json.loads(printed)
    return found


def _print(file: Path, words: tuple[str, ...], schedule: str, options: tuple[str, ...]) -> str:
    result = CliRunner().invoke(main, ["trace", str(file), *words, "--schedule", schedule, "--json", *options])
    report = parse_report(result.stdout) if result.stdout else {}
    assert result.exit_code == bool(report.get("hazards", True)), result.stderr
    return result.stdout


_printed = cache(_print)
