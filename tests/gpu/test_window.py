"""The window on a machine with a GPU: what goes wrong there ends a worker, never the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gui.measure.page import BenchmarkPage
from gui.selection.session import Selection, Session
from kernels.bench.plan import Plan, points
from kernels.bench.sample import Entry
from kernels.gpu.device import present_device
from kernels.launch import Dim3
from kernels.tour import tour
from kernels.workload import Size
from tests.gpu.faulty_kernels import broken_entry

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

GOOD = Entry("matmul_naive", Dim3(16, 16))
LIBRARY = Entry("cublas_sgemm")
SIZE = Size(64, 64, 64)
TIMEOUT_MS = 120_000


@pytest.fixture
def page(qtbot: QtBot, tmp_path: Path) -> BenchmarkPage:
    opening = tour().explore[0]
    session = Session(Selection(opening.kernel, opening.size, opening.block, present_device()))
    session.set_devices((present_device(),), "")
    made = BenchmarkPage(session, tmp_path / "samples.sqlite")
    qtbot.addWidget(made)
    made.show()
    return made


def _measure(qtbot: QtBot, page: BenchmarkPage, plan: Plan) -> None:
    with qtbot.waitSignal(page.run.run_finished, timeout=TIMEOUT_MS):
        page.measure(plan)


@pytest.mark.parametrize(("name", "words"), [("out_of_bounds", "illegal"), ("twenty_seconds", "longer than 8 s")])
def test_the_window_says_what_happened_and_goes_on(
    qtbot: QtBot, page: BenchmarkPage, tmp_path: Path, name: str, words: str
) -> None:
    _measure(qtbot, page, Plan(points([GOOD, broken_entry(tmp_path, name), LIBRARY], [SIZE]), 0.1, 3, 8.0))

    assert [sample.verified for sample in page.samples] == [True, False, True]
    assert words in page.lines.failure.text()
    assert page.lines.failure.isVisible()

    _measure(qtbot, page, Plan(points([GOOD, LIBRARY], [SIZE]), 0.1, 3, 60.0))
    assert [sample.verified for sample in page.samples] == [True, True]
    assert not page.lines.failure.isVisible()


def test_stop_ends_a_kernel_that_is_running(qtbot: QtBot, page: BenchmarkPage, tmp_path: Path) -> None:
    plan = Plan(points([GOOD, broken_entry(tmp_path, "twenty_seconds")], [SIZE]), 0.1, 3, 60.0)
    with qtbot.waitSignal(
        page.run.point_started, timeout=TIMEOUT_MS, check_params_cb=lambda point: point.entry != GOOD
    ):
        page.measure(plan)
    with qtbot.waitSignal(page.run.run_finished, timeout=5_000):
        page.stop()
    assert [sample.verified for sample in page.samples] == [True]
    assert not page.run.running
