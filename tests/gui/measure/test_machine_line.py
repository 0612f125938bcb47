"""The machine is one line of whole parts, whatever the width."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gui.measure.run.status import MachineLine, shortened

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

PARTS = ["NVIDIA H200", "Intel(R) Xeon(R) Platinum 8480C CPU @ 2.00GHz, 16 cores", "driver CUDA 12.8", "Python 3.12.11"]


@pytest.mark.parametrize("width", [2000, 500, 300, 60])
def test_the_first_parts_are_whole_and_the_rest_is_in_the_tooltip(qtbot: QtBot, width: int) -> None:
    line = MachineLine()
    qtbot.addWidget(line)
    line.resize(width, 30)
    line.say(" · ".join(PARTS))
    shown = line.text().split(" · ")
    assert shown == [shortened(part) for part in PARTS][: len(shown)]
    assert len(shown) == 1 or line.fontMetrics().horizontalAdvance(line.text()) <= width
    assert line.toolTip().splitlines() == PARTS


@pytest.mark.parametrize(
    ("part", "short"),
    [
        (PARTS[0], "H200"),
        (PARTS[1], "Xeon Platinum 8480C, 16 cores"),
        ("AMD EPYC 7763 64-Core Processor, 8 cores", "EPYC 7763 64-Core, 8 cores"),
        ("driver CUDA 12.8", "driver CUDA 12.8"),
        ("Recorded with tilescope on NVIDIA H100 80GB HBM3", "Recorded with tilescope on H100 80GB HBM3"),
    ],
)
def test_makers_are_left_out(part: str, short: str) -> None:
    assert shortened(part) == short
