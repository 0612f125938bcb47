"""The window on a machine with a GPU: what goes wrong there ends a worker; edits are measured beside their original."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from gui.measure.page import BenchmarkPage
from gui.selection.session import Selection, Session
from gui.shell.main_window import MainWindow
from gui.shell.settings import Settings
from kernels.bench.plan import Plan, points
from kernels.bench.sample import Entry
from kernels.catalog import find_kernel
from kernels.gpu.device import present_device
from kernels.launch import Dim3
from kernels.tour import tour
from kernels.workload import Size
from tests.gpu.faulty_kernels import broken_entry
from tests.gui.explore.editor.conftest import Typist

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from kernels.bench.sample import Sample

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


@pytest.fixture
def typist(qtbot: QtBot) -> Typist:
    window = MainWindow(Settings())
    qtbot.addWidget(window)
    window._started = True  # without the search for this machine's GPUs: it is known
    window.session.set_devices((present_device(),), "")
    window.show()
    window.show_page(0)
    window.session.select(kernel=find_kernel("matmul_tiled"), size=Size(16, 16, 16), block=Dim3(16, 16))
    made = Typist(qtbot, window)
    made.settle()
    made.page.setFocus()
    QTest.keyClick(made.page, Qt.Key.Key_E)
    return made


def measured(typist: Typist) -> dict[bool, Sample]:
    """Measure what is edited, as Ctrl+M and Start do; return the samples by whether they are of the original."""
    typist.settle()
    QTest.keyClick(typist.area, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier)
    page = cast("BenchmarkPage", typist.window.page(1))
    page.setup.sizes.first.setText("1024")
    page.setup.sizes.last.setText("1024")
    with typist.qtbot.waitSignal(page.run.run_finished, timeout=120_000):
        page.start()
    found = {sample.point.entry.kernel == "matmul_tiled": sample for sample in page.samples}
    assert len(found) == len(page.samples) == 2
    return found


def test_a_right_edit_has_a_rate_beside_its_original(typist: Typist) -> None:
    text = typist.area.text
    assert "float sum" in text
    typist.area.replace_text(text.replace("float sum", "double sum"))
    found = measured(typist)
    assert found[True].verified
    assert found[False].verified
    assert found[False].gflops


def test_a_wrong_edit_has_no_rate(typist: Typist) -> None:
    text = typist.area.text
    assert "sum +=" in text
    typist.area.replace_text(text.replace("sum +=", "sum -="))
    found = measured(typist)
    assert found[True].verified
    assert (found[False].outcome, found[False].gflops) == ("wrong", None)
