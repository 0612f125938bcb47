from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gui.selection.session import Selection, Session
from kernels.catalog import catalog, read_kernel
from kernels.device import devices
from kernels.launch import Dim3
from kernels.workload import Size

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QApplication


@pytest.fixture
def told(session: Session) -> list[Selection]:
    found: list[Selection] = []
    session.selection_changed.connect(found.append)
    return found


def test_another_kernel_brings_its_own_size_and_block(session: Session, told: list[Selection]) -> None:
    kernel = next(k for k in catalog() if k.runs_on == "cuda" and k != session.selection.kernel)
    session.select(kernel=kernel)
    assert (told[-1].size, told[-1].block) == (kernel.size, kernel.block)


def test_size_given_with_a_kernel_wins(session: Session) -> None:
    kernel = next(k for k in catalog() if k.runs_on == "cuda" and k != session.selection.kernel)
    session.select(kernel=kernel, size=Size(7, 7, 7))
    assert session.selection.size == Size(7, 7, 7)


def test_the_same_again_is_not_told(session: Session, told: list[Selection]) -> None:
    session.select(block=session.selection.block)
    assert told == []


def test_snapshots_do_not_change(session: Session) -> None:
    before = session.selection
    session.select(block=Dim3(1, 1))
    assert before.block != session.selection.block


def test_an_opened_file_is_offered_once_however_often_it_is_opened(session: Session, own_kernel: Path) -> None:
    for _ in range(2):
        session.open(read_kernel(own_kernel))
    assert [k.title for k in session.kernels if k.file == own_kernel] == ["Mine"]
    assert session.selection.kernel.title == "Mine"


def test_an_edited_file_is_another_selection_with_the_same_size(
    session: Session, told: list[Selection], own_kernel: Path
) -> None:
    session.open(read_kernel(own_kernel))
    session.select(size=Size(2, 2, 2))
    session.reread(read_kernel(own_kernel))
    assert told[-1] != told[-2]
    assert told[-1].size == Size(2, 2, 2)


def test_a_file_opened_before_the_start_is_offered_still(qapp: QApplication, own_kernel: Path) -> None:
    kernel = read_kernel(own_kernel)
    session = Session(Selection(kernel, kernel.size, kernel.block, devices()[0]))
    assert session.kernels == (*catalog(), kernel)


def test_gpus_of_this_machine_come_first(session: Session) -> None:
    shipped = session.devices
    session.set_devices((shipped[-1],), "")
    assert session.devices == (shipped[-1], *shipped)
