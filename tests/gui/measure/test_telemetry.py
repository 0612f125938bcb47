"""While a run is measured, the page says the clocks of the latest point and what disturbed the points."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gui.measure.page import BenchmarkPage
from kernels.bench.measure.conditions import Conditions
from tests.gui.measure.samples import sample

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from gui.selection.session import Session

CALM = Conditions(machine_cores=8.0, other_cores=0.1, sm_clock_mhz=1980.0, power_w=512.4, temperature_c=61.0)


def test_a_point_without_a_result_is_named(qtbot: QtBot, session: Session, tmp_path: Path) -> None:
    page = BenchmarkPage(session, tmp_path / "samples.sqlite3")
    qtbot.addWidget(page)
    page.run.run_started.emit(1)
    page.run.sample_arrived.emit(sample(64, (), "matmul_tiled", outcome="refused", error="the block is too large"))
    assert page.lines.failure.whole == "⚠ Shared-memory tiles, 8×8, n = 64: the block is too large"


def test_clocks_of_the_latest_point_and_counts_of_disturbed_ones(
    qtbot: QtBot, session: Session, tmp_path: Path
) -> None:
    page = BenchmarkPage(session, tmp_path / "samples.sqlite3")
    qtbot.addWidget(page)
    strip = page.lines.telemetry
    conditions = (
        CALM,
        replace(CALM, throttle_reasons=("SW power cap",), gpu_processes=2.0),
        replace(CALM, throttle_reasons=("SW power cap",), memory_clock_mhz=2619.0, other_cores=7.9),
    )
    page.run.run_started.emit(3)
    for n, found in enumerate(conditions, 8):
        page.run.sample_arrived.emit(replace(sample(n), conditions=found))
    assert strip.reading.whole == (
        "At the latest point: SM 1,980 MHz · memory 2,619 MHz · 512 W · 61 °C · other processes: 7.9 of 8 cores"
    )
    assert strip.warning.whole == (
        "⚠ Of 3 points, at 2 the GPU's clocks were throttled, at 1 other processes used the GPU, "
        "at 1 other processes kept the cores busy."
    )
    page.show()
    assert strip.reading.isVisible()
    page.run.run_finished.emit("")
    assert (strip.reading.isVisible(), strip.warning.isVisible()) == (False, True)
    page.run.run_started.emit(3)
    assert (strip.reading.whole, strip.warning.whole) == ("", "")
