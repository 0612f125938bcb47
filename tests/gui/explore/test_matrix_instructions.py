"""Matrix instructions at the zoom "warp": what is under the pointer, the texts, and other steps as they were."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from gui.explore.packing.layout import Layout, arrange, hit
from gui.explore.packing.matrix_layout import LoadLayout, ProductLayout
from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.stage.legend import legend_of
from gui.explore.stage.paint_motion import MovingPicture
from gui.explore.stage.scene import Options, Scene
from gui.explore.stage.stage import Stage
from gui.explore.stage.still import Surface, paint_still
from gui.explore.stage.text_painter import TextPainter
from gui.theming.theme import DARK, LIGHT
from kernels.analysis import Frame
from kernels.analysis.values.fragments import Multiplication
from kernels.analysis.values.matrix_loads import MatrixLoad
from kernels.catalog import read_kernel
from kernels.number_types import round_to_bfloat
from kernels.tracing import trace_kernel
from tests.gui.explore.conftest import stage
from tests.gui.explore.painted_texts import picture_findings
from tests.kernels.simt.libraries.tensor_cores.test_mma import KINDS, SUMS, product
from tests.kernels.simt.programs import trace
from tests.sweeps import in_turn

WARP: Final = Options(zoom="warp")
SIZES: Final = ((870, 621), (1305, 890), (1270, 620), (600, 600))
FORMS: Final = (("tf32", 8, "f32"), ("bf16", 16, "f32"), ("f16", 8, "f16"), ("f16", 16, "f16"), ("s8", 32, "s32"))
LOADS: Final = (("mma_bf16", "m8n8.x4"), ("mma_bf16", "m8n8.x2.trans"), ("mma_f16_swizzled", "m8n8.x4"))


@cache
def own(name: str) -> Stage:
    """Return the stage of one of the kernels of `tests/kernels/fragments`."""
    kernel = read_kernel(Path(__file__).parents[2] / "kernels" / "fragments" / f"{name}.cu")
    return Stage(trace_kernel(kernel, kernel.size, kernel.block), kernel.workload.panels)


@cache
def form(factors: str, depth: int, kind: str) -> Stage:
    """Return the stage of one `mma.sync`."""
    random = np.random.default_rng(3)
    dtype = KINDS[factors][1]
    given: dict[str, Any] = {"C": np.zeros((16, 8), SUMS[kind][1])}
    for name, shape in (("A", (16, depth)), ("B", (depth, 8))):
        tile = random.integers(-100, 100, shape)
        given[name] = round_to_bfloat(tile) if dtype is None else tile.astype(dtype)
    return Stage(trace(product(factors, depth, kind), given, block=(32,)), ())


def scene_on(found: Stage, text: str, nth: int = 0, focus: Focus = NOTHING, options: Options = WARP) -> Scene:
    """Return the scene of the nth step whose statement contains a text."""
    steps = [step for step in range(found.trace.steps) if text in found.trace.statement(step).text]
    return build_scene(found, Frame(0, steps[nth]), options, focus)


def product_layout(scene: Scene, width: int = 870, height: int = 621) -> tuple[Layout, ProductLayout, Multiplication]:
    layout = arrange(scene, width, height, 18)
    assert layout.warp is not None
    assert scene.warp is not None
    assert isinstance(layout.warp.matrices, ProductLayout)
    assert isinstance(scene.warp.instruction, Multiplication)
    return layout, layout.warp.matrices, scene.warp.instruction


def load_layout(scene: Scene, width: int = 870, height: int = 621) -> tuple[Layout, LoadLayout, MatrixLoad]:
    layout = arrange(scene, width, height, 18)
    assert layout.warp is not None
    assert scene.warp is not None
    assert isinstance(layout.warp.matrices, LoadLayout)
    assert isinstance(scene.warp.instruction, MatrixLoad)
    return layout, layout.warp.matrices, scene.warp.instruction


@pytest.mark.parametrize("case", FORMS)
def test_pointing_at_an_element_finds_its_lane_and_at_a_lane_the_lane(case: tuple[str, int, str]) -> None:
    scene = scene_on(form(*case), "mma.sync")
    layout, places, shown = product_layout(scene)
    number = 0
    for fragment, raster in zip(shown.matrices, places.matrices, strict=True):
        for row, column in np.ndindex(fragment.values.shape):
            box = raster.rect(row, column)
            focus = hit(scene, layout, box.x + box.width / 2, box.y + box.height / 2)
            assert focus == Focus.on_thread(int(fragment.holders.lane[row, column]), number)
            number += 1
    for lane in range(32):
        box = places.lanes.rect(*divmod(lane, places.lanes.columns))
        assert hit(scene, layout, box.x + 1, box.y + 1) == Focus.on_thread(lane)
    assert hit(scene, layout, 1, 1) == NOTHING


def test_pointing_at_a_row_of_ldmatrix_finds_the_lane_that_names_it() -> None:
    scene = scene_on(own("mma_f16_swizzled"), "m8n8.x4", 1)
    layout, places, shown = load_layout(scene)
    matrix = places.matrices[1].rect(3, 4)
    assert hit(scene, layout, matrix.x + 1, matrix.y + 1) == Focus.on_thread(int(shown.holders.lane[1, 3, 4]))
    assert hit(scene, layout, places.matrices[1].x - 5, matrix.y + 1) == Focus.on_thread(8 + 3)
    # Row 3 of matrix 0: chunk 2, which the swizzle moves to 2 ^ 3.
    assert places.named is not None
    named, lies = places.named.rect(3, 2), places.banks.rect(3, 1)
    assert hit(scene, layout, named.x + 1, named.y + 1) == Focus.on_thread(3)
    assert hit(scene, layout, lies.x + 1, lies.y + 1) == Focus.on_thread(3)
    empty = places.banks.rect(3, 7)
    assert hit(scene, layout, empty.x + 1, empty.y + 1) == NOTHING


def test_a_load_without_a_swizzle_has_the_banks_alone() -> None:
    layout, places, _ = load_layout(scene_on(own("mma_bf16"), "m8n8.x4"))
    assert places.named is None
    assert layout.only_warp


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(("case", "size"), in_turn(((case,) for case in FORMS), SIZES, str))
def test_texts_of_a_product_can_be_read(case: tuple[str, int, str], size: tuple[int, int]) -> None:
    found = form(*case)
    for focus in (NOTHING, Focus.on_thread(13), Focus.on_thread(13, 3 * case[1] + 2)):
        assert picture_findings(scene_on(found, "mma.sync", 0, focus), LIGHT, *size, 18) == []


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(("case", "size"), in_turn(((case,) for case in LOADS), SIZES, str))
def test_texts_of_a_load_can_be_read(case: tuple[str, str], size: tuple[int, int]) -> None:
    name, text = case
    for focus in (NOTHING, Focus.on_thread(29)):
        assert picture_findings(scene_on(own(name), text, 1, focus), DARK, *size, 18) == []


@pytest.mark.usefixtures("qapp")
def test_texts_of_the_catalogue_can_be_read() -> None:
    scene = scene_on(stage("matmul_3xtf32"), "mma.sync", 20, Focus.on_thread(14, 128 + 64 + 29))
    assert picture_findings(scene, LIGHT, 870, 621, 18) == []
    assert scene.caption == (
        "Block 0, phase 0, warp 0: 16×8 sums from 16×8 of A and 8×8 of B; each lane holds 4 of A, 2 of B, 4 sums"
    )


@pytest.mark.usefixtures("qapp")
def test_the_motion_goes_through_all_columns_of_a_and_ends_in_the_still() -> None:
    text_painter, surface = TextPainter("Sans"), Surface(870, 621, 18, LIGHT)
    scenes = [scene_on(own("mma_bf16"), text) for text in ("m8n8.x2", "mma.sync")]
    before, after = (paint_still(scene, surface, text_painter) for scene in scenes)
    moving = MovingPicture(before, after, text_painter)
    assert moving.moves
    pictures = []
    for step in range(9):
        image = QImage(870, 621, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        moving.paint(painter, step / 8)
        painter.end()
        pictures.append(image)
    assert pictures[-1] == after.image
    assert all(one != other for one, other in pairwise(pictures))
    assert not MovingPicture(after, before, text_painter).moves


def test_captions_and_legend() -> None:
    plain, swizzled = (scene_on(own(name), "m8n8.x4") for name in ("mma_bf16", "mma_f16_swizzled"))
    words = "Block 0, first = 0, k = 0, warp 0: 4 matrices from As, a row named by each of 32 lanes"
    assert plain.caption == f"{words}: 32 wavefronts, 4 would do"
    assert swizzled.caption == f"{words}: 4 wavefronts"
    layout, _, _ = load_layout(plain)
    assert [entry.mark for entry in legend_of(plain, layout)] == ["active", "hues", "conflict"]


def test_other_steps_and_zooms_have_no_instruction() -> None:
    found = own("mma_bf16")
    other = scene_on(found, "unsigned a_at")
    assert other.warp is not None
    assert other.warp.instruction is None
    block = scene_on(found, "mma.sync", options=Options())
    assert block.warp is None
    assert "mma.sync" in block.caption
