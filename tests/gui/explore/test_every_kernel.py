"""Every kernel that has a file can be looked at: scenes build, fit and carry words, in every variant.

The plain command takes one kernel of each kind, the exhaustive command the rest.
"""

import itertools
from typing import get_args

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from gui.explore.memory.paint_memory import paint_card
from gui.explore.memory.row import MemoryRow, build_memory_row, cards_of
from gui.explore.packing.warp_layout import arrange_cards, fan_of
from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import Focus
from gui.explore.stage.paint_cells import Tools
from gui.explore.stage.scene import Colouring, Options, Zoom
from gui.explore.stage.stage import Stage
from gui.explore.stage.still import Surface, paint_still
from gui.explore.stage.text_painter import TextPainter
from gui.theming.theme import LIGHT
from kernels.analysis import playlist
from kernels.catalog import Kernel, catalog
from kernels.tracing import trace_kernel
from tests.gui.explore.boxes import boxes, overlap
from tests.sweeps import handful

KERNELS = [v for k in catalog() if k.file is not None for v in k.variants()]


FRAMES = 12
"""Of each run that are looked at, evenly spread."""


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("kernel", handful(KERNELS))
def test_a_kernel_can_be_looked_at(kernel: Kernel) -> None:
    trace = trace_kernel(kernel, kernel.size, kernel.block)
    stage = Stage(trace, kernel.workload.panels, on_cpu=kernel.runs_on == "cpu")
    frames = playlist(trace, "statement").frames
    shown = set()
    for number in np.unique(np.linspace(0, len(frames) - 1, FRAMES).astype(int)).tolist():
        scene = build_scene(stage, frames[number])
        assert scene.caption
        found = boxes(scene, 1240, 850)
        assert not [pair for pair in itertools.combinations(found, 2) if overlap(*pair)]
        shown |= {cells.view.name for cells in scene.cells}
        row = build_memory_row(stage, frames[number])
        assert (row is None) == stage.on_cpu
        if row is not None:
            _paint(row)
    assert shown >= {panel.array for panel in kernel.workload.panels}
    assert shown >= {array.name for array in trace.arrays if array.space == "shared"}


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("kernel", handful(k for k in catalog() if k.file is not None))
def test_a_kernel_can_be_looked_at_from_near_and_far(kernel: Kernel) -> None:
    trace = trace_kernel(kernel, kernel.size, kernel.block)
    stage = Stage(trace, kernel.workload.panels, on_cpu=kernel.runs_on == "cpu")
    frames, text_painter = playlist(trace, "statement").frames, TextPainter("sans-serif")
    last = trace.launch.block.count - 1
    for turn, number in enumerate(sorted({len(frames) // 3, len(frames) - 1})):
        for zoom, colouring in list(itertools.product(get_args(Zoom), get_args(Colouring)))[turn::2]:
            scene = build_scene(stage, frames[number], Options(zoom=zoom, colouring=colouring), Focus.on_thread(last))
            assert (scene.warp is not None) == (zoom == "warp" and not stage.on_cpu)
            paint_still(scene, Surface(770, 372, 18, LIGHT), text_painter)


def _paint(row: MemoryRow) -> None:
    """Paint the memory row at two widths; nothing reaches out of its card."""
    image = QImage(1200, 600, QImage.Format.Format_ARGB32_Premultiplied)
    tools = Tools(QPainter(image), LIGHT, TextPainter("sans-serif"), 18.0)
    try:
        cards = cards_of(row.accesses)
        for width in (400, 1200):
            for card, box in zip(cards, arrange_cards(len(cards), width, tools.line), strict=True):
                paint_card(tools, card, box, 0)
                fan = fan_of(box, tools.line)
                if card.strip is not None:
                    lines = fan.line_boxes(card.strip)
                    assert lines[0].width > 0
                    assert fan.left <= lines[0].x
                    assert lines[-1].x + lines[-1].width == pytest.approx(box.x + box.width)
    finally:
        tools.painter.end()
