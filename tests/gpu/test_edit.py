"""An edit of a kernel, measured in the window beside its original: a rate if it is right, none if it is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from gui.shell.main_window import MainWindow
from gui.shell.settings import Settings
from kernels.catalog import find_kernel
from kernels.gpu.device import present_device
from kernels.launch import Dim3
from kernels.workload import Size
from tests.gui.explore.editor.conftest import Typist

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from gui.measure.page import BenchmarkPage
    from kernels.bench.sample import Sample


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
