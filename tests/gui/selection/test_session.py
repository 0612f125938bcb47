"""The selected kernel, size and block of each page, and what becomes of them when another kernel is chosen."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gui.selection.session import Selection, Session
from gui.selection.shapes import Scale, Shape, is_legal, opening
from gui.shell.main_window import MainWindow
from kernels.catalog import Kernel, catalog, find_kernel, read_kernel
from kernels.device import devices
from kernels.launch import Dim3
from kernels.launch_inference.proposals import proposals
from kernels.workload import Size
from tests.gui.conftest import OWN_KERNEL


@pytest.fixture
def told(session: Session) -> list[Selection]:
    found: list[Selection] = []
    session.selection_changed.connect(found.append)
    return found


def test_selections_change_once_and_are_snapshots(session: Session, told: list[Selection]) -> None:
    kernel = next(k for k in catalog() if k.runs_on == "cuda" and k != session.selection.kernel)
    session.select(kernel=kernel)
    assert (told[-1].size, told[-1].block) == (kernel.size, kernel.block)
    # Size given with a kernel wins.
    session.select(kernel=kernel, size=Size(7, 7, 7))
    assert session.selection.size == Size(7, 7, 7)
    # The same again is not told.
    told.clear()
    session.select(block=session.selection.block)
    assert told == []
    # Snapshots do not change.
    before = session.selection
    session.select(block=Dim3(1, 1))
    assert before.block != session.selection.block


def test_opened_files_are_offered_once_and_keep_their_size(
    session: Session, own_kernel: Path, told: list[Selection], qapp: QApplication
) -> None:
    for _ in range(2):
        session.open(read_kernel(own_kernel))
    assert [k.title for k in session.kernels if k.file == own_kernel] == ["Mine"]
    assert session.selection.kernel.title == "Mine"
    # An edited file is another selection with the same size.
    session.open(read_kernel(own_kernel))
    session.select(size=Size(2, 2, 2))
    session.reread(read_kernel(own_kernel))
    assert told[-1] != told[-2]
    assert told[-1].size == Size(2, 2, 2)
    # A file opened before the start is offered still.
    kernel = read_kernel(own_kernel)
    session = Session(Selection(kernel, kernel.size, kernel.block, devices()[0]))
    assert session.kernels == (*catalog(), kernel)
    # Gpus of this machine come first.
    shipped = session.devices
    session.set_devices((shipped[-1],), "")
    assert session.devices == (shipped[-1], *shipped)


EXPLORE, BENCHMARK, OCCUPANCY = range(3)


@pytest.mark.parametrize("scale", ["picture", "device"])
@pytest.mark.parametrize("kernel", [k for k in catalog() if k.runs_on == "cuda"], ids=lambda k: k.id)
def test_every_kernel_opens_with_a_shape_it_can_be_launched_with(kernel: Kernel, scale: Scale) -> None:
    assert is_legal(kernel, opening(kernel, scale))


def test_a_launch_rule_that_cannot_be_evaluated_has_no_legal_shape(own_kernel: Path) -> None:
    own_kernel.write_text(OWN_KERNEL.replace("block_x - 1", "block_ - 1"), encoding="utf-8")
    kernel = read_kernel(own_kernel)
    assert not is_legal(kernel, Shape(kernel.size, kernel.block))


def test_pages_have_their_own_size_and_block(session: Session) -> None:
    small = session.selection.shape
    session.set_scale("device")
    large = session.selection.shape
    assert large.size > small.size
    session.select(size=Size(512, 512, 512), block=Dim3(8, 8))
    session.set_scale("picture")
    assert session.selection.shape == small
    session.set_scale("device")
    assert session.selection.shape == (Size(512, 512, 512), Dim3(8, 8))


def test_what_was_entered_is_kept_where_it_is_legal(session: Session) -> None:
    session.select(kernel=find_kernel("matmul_tiled"), size=Size(6, 5, 7), block=Dim3(4, 4))
    session.select(kernel=find_kernel("matmul_naive"))
    assert session.selection.shape == (Size(6, 5, 7), Dim3(4, 4))
    # What is not legal there is not kept.
    exact = find_kernel("matmul_tiled_exact")
    session.select(kernel=exact)
    assert session.selection.shape == opening(exact, "picture")
    warp_tiled = find_kernel("matmul_warp_tiled")
    session.select(kernel=find_kernel("matmul_naive"), size=Size(40, 40, 40))
    session.select(kernel=warp_tiled)
    assert session.selection.shape == (Size(40, 40, 40), warp_tiled.block)
    # A lesson opens at a size that shows its mistake.
    lesson = next(kernel for kernel in catalog() if kernel.flaw and kernel.workload.id == "matmul")
    session.select(kernel=find_kernel("matmul_tiled"), size=Size(12, 12, 12), block=Dim3(4, 4))
    session.select(kernel=lesson)
    assert session.selection.shape == (lesson.size, lesson.block)


def test_a_size_that_nobody_entered_is_not_kept(session: Session) -> None:
    naive, transposed = find_kernel("matmul_naive"), find_kernel("matmul_tiled_transposed")
    session.select(kernel=naive, size=naive.size, block=naive.block)
    session.select(kernel=transposed)
    assert session.selection.shape == Shape(transposed.size, transposed.block)


def test_a_kernel_chosen_on_one_page_is_that_of_the_other(session: Session) -> None:
    session.set_scale("device")
    session.select(kernel=find_kernel("mmt_stripe"))
    session.set_scale("picture")
    assert session.selection.shape == opening(find_kernel("mmt_stripe"), "picture")


def test_fields_are_shown_where_they_act(window: MainWindow) -> None:
    window.show()
    shown = {}
    for page in (EXPLORE, BENCHMARK, OCCUPANCY):
        window.show_page(page)
        parts = {"size": window.bar.lengths, "block": window.bar.block, "device": window.bar.device}
        shown[page] = {name for name, part in parts.items() if part.isVisible()}
    assert shown == {EXPLORE: {"size", "block"}, BENCHMARK: set(), OCCUPANCY: {"size", "block", "device"}}


def test_what_is_entered_on_occupancy_acts_there_alone(window: MainWindow, tmp_path: Path) -> None:
    file = tmp_path / "own.cu"
    file.write_text("__global__ void fill(float *out) { out[threadIdx.x] = 1; }", encoding="utf-8")
    window.show()
    window.show_page(EXPLORE)
    (launch,) = proposals(file)
    window.session.play(launch)
    bar, small = window.bar, window.session.selection.shape
    window.show_page(OCCUPANCY)
    for box, text in ((bar.lengths, "512"), (bar.block, "8,8")):
        field = box.lineEdit()
        assert field is not None
        field.selectAll()
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key.Key_Return)
    bar.device.setCurrentIndex(bar.device.count() - 1)
    bar.device.activated.emit(bar.device.currentIndex())
    entered = window.session.selection
    assert (entered.size.n, entered.block, entered.device) == (512, Dim3(8, 8), bar.device.currentData())
    window.show_page(EXPLORE)
    assert window.session.selection.shape == small
    assert window.session.recording is launch
    window.show_page(OCCUPANCY)
    assert window.session.selection == entered


def test_the_grid_is_that_of_the_launch(window: MainWindow) -> None:
    window.session.select(kernel=find_kernel("matmul_tiled"), size=Size(6, 5, 7), block=Dim3(4, 4))
    assert window.bar.grid.text() == "grid 2×2"
    window.session.select(kernel=find_kernel("cpu_parallel"))
    assert window.bar.grid.text() == ""
