"""Tests of the Benchmark page: without the runs that ship with the program, unless a test asks for some."""

from pathlib import Path

import pytest

from gui.measure.run.panel import RunsPanel
from tests.gui.measure.quick_worker import quick_worker, waiting_worker

__all__ = ["quick_worker", "waiting_worker"]


@pytest.fixture(autouse=True)
def no_recorded_runs(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without runs, which the page reads instead of the shipped one."""
    folder = tmp_path_factory.mktemp("no-runs")
    monkeypatch.setitem(RunsPanel.__init__.__kwdefaults__ or {}, "recorded", folder)
    return folder
