"""Hosts on the Benchmark page: list, test, choice, live series. The host is this machine, behind `env`."""

import json
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.measure.page import BenchmarkPage
from gui.measure.results.series import Origin
from gui.measure.setup.hosts import HostsPanel
from gui.selection.session import Session
from kernels.bench.hosts.host import default_path
from kernels.bench.plan import Plan, points
from kernels.bench.sample import Entry
from kernels.child_process import WORKING_FOLDER
from kernels.workload import Size

TIMEOUT_MS = 60_000


CHECKED, UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked


PLAN = Plan(points([Entry("cpu_sequential"), Entry("cpu_blas", threads=1)], [Size(n, n, n) for n in (3, 4)]), 0.02)


def _write(text: str) -> None:
    default_path().parent.mkdir(parents=True, exist_ok=True)
    default_path().write_text(text, encoding="utf-8")


@pytest.fixture
def hosts() -> None:
    _write(
        f"""
        [box]
        command = ["env", {json.dumps(f"PYTHONPATH={WORKING_FOLDER}")}]
        tilescope = [{json.dumps(sys.executable)}, "-m", "kernels"]
        [gone]
        command = ["no such program"]
        """
    )


@pytest.fixture
def page(qtbot: QtBot, session: Session, tmp_path: Path, hosts: None) -> BenchmarkPage:
    session.set_devices((), "this is a test")
    made = BenchmarkPage(session, tmp_path / "s")
    qtbot.addWidget(made)
    return made


def _tick(panel: HostsPanel, *names: str) -> None:
    for row in range(panel.list.count()):
        item = panel.list.item(row)
        name = item.data(Qt.ItemDataRole.UserRole)
        item.setCheckState(CHECKED if name in names else UNCHECKED)


def test_a_host_is_tested_with_a_button(qtbot: QtBot, hosts: None) -> None:
    panel = HostsPanel()
    qtbot.addWidget(panel)
    assert [panel.list.item(row).text() for row in range(3)] == ["This machine", "box", "gone"]
    for row, words in ((1, "✓"), (2, "gone cannot be reached: no such program")):
        panel.list.setCurrentRow(row)
        assert "Not tested yet." in panel.details.text()
        with qtbot.waitSignal(panel.tester.host_answered, timeout=TIMEOUT_MS):
            panel.test_button.click()
            assert not panel.test_button.isEnabled()
        assert words in panel.details.text()
    assert "answered after" in panel.list.item(1).data(Qt.ItemDataRole.UserRole + 1)[1]
    assert panel.list.item(2).text() == "gone   ⚠ cannot measure"
    panel.tester.close()


def test_the_file_is_read_again_and_a_damaged_one_is_one_sentence(qtbot: QtBot, hosts: None) -> None:
    panel = HostsPanel()
    qtbot.addWidget(panel)
    _tick(panel, "box")
    _write("[box]")
    panel.read()
    assert "host box: has no command" in panel.problem.text()
    assert panel.chosen == ("box",)  # as the file was
    _write('[box]\ncommand = ["ssh", "box"]')
    panel.read()
    assert panel.problem.isHidden()
    assert panel.list.count() == 2
    assert "Reached by: ssh box" in panel.details.text() or panel.list.currentRow() == 0


def test_points_of_a_host_are_series_of_that_host_and_a_lost_one_is_said(qtbot: QtBot, page: BenchmarkPage) -> None:
    assert not page.setup.no_gpu.isHidden()
    _tick(page.hosts, "box")
    assert page.setup.start.text() == "Start on box"
    assert page.setup.no_gpu.isHidden()  # it may have a GPU
    _tick(page.hosts, "box", "gone")
    assert page.setup.start.text() == "Start on 2 machines"
    with qtbot.waitSignal(page.run.run_finished, timeout=TIMEOUT_MS):
        page.measure(PLAN)
    assert page.run.outcome_count == 4
    assert "gone cannot be reached" in page.lines.failure.text()
    assert page.results.series.origins == (Origin("host", "box"),)
    assert {row.environment.host for row in page.run.rows if row.environment} == {"box"}
    assert {series.name.rpartition(" ")[2] for series in page.results.series.series()} == {"(box)"}


def test_several_gpus_of_this_machine_are_a_host_of_the_list(page: BenchmarkPage) -> None:
    assert not page.hosts.elsewhere
    _write("[local]\ngpus = [0, 1]")
    page.hosts.read()
    assert page.hosts.list.count() == 1
    assert page.hosts.elsewhere == page.hosts.chosen
    assert page.setup.start.text() == "Start"


def test_without_any_host_the_reason_is_shown(qtbot: QtBot, page: BenchmarkPage) -> None:
    _tick(page.hosts, "gone")
    with qtbot.waitSignal(page.run.run_finished, timeout=TIMEOUT_MS):
        page.measure(PLAN)
    assert "gone cannot be reached: no such program: No such file" in page.lines.status.text()
    _tick(page.hosts)
    page.measure(PLAN)
    assert "Tick one on the tab “Hosts”" in page.lines.status.text()


def test_stop_ends_the_workers_of_all_hosts(qtbot: QtBot, page: BenchmarkPage) -> None:
    _tick(page.hosts, "box")
    with qtbot.waitSignal(page.run.point_started, timeout=TIMEOUT_MS):
        page.measure(PLAN)
    with qtbot.waitSignal(page.run.run_finished, timeout=TIMEOUT_MS):
        page.stop()
    assert "stopped" in page.lines.status.text().lower()
