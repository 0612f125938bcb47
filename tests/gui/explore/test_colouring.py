from __future__ import annotations

import numpy as np
import pytest

from gui.explore.stage.build import build_scene
from gui.explore.stage.colouring import NOBODY, SEVERAL, element_groups, thread_groups
from gui.explore.stage.hues import HUES, hue
from gui.explore.stage.scene import Colouring, Options, Scene
from gui.theming.theme import DARK, LIGHT, Theme
from kernels.analysis import Frame
from tests.gui.explore.conftest import stage, step_on


def coloured(colouring: Colouring, on: str) -> Scene:
    found = stage("matmul_tiled", "12,12,12", "6,6")
    return build_scene(found, Frame(0, step_on(found, on)), Options(colouring=colouring))


def view(scene: Scene, name: str) -> int:
    return next(number for number, cells in enumerate(scene.cells) if cells.view.name == name)


def test_by_block_threads_and_elements_are_not_told_apart() -> None:
    scene = coloured("block", "sum +=")
    assert thread_groups(scene) is None
    assert element_groups(scene, view(scene, "As")) is None


def test_elements_have_the_warp_that_accesses_them() -> None:
    scene = coloured("warp", "As")  # 36 threads: the last four are a warp of their own
    groups, warps = element_groups(scene, view(scene, "As")), thread_groups(scene)
    assert groups is not None
    assert warps is not None
    assert warps.tolist() == [0] * 32 + [1] * 4
    assert groups.reshape(-1).tolist() == warps.tolist()
    untouched = element_groups(scene, view(scene, "Bs"))
    assert untouched is not None
    assert (untouched == NOBODY).all()


def test_elements_of_several_warps_are_marked() -> None:
    scene = coloured("warp", "sum +=")  # thread (x, y) reads As[y][0] and Bs[0][x]
    groups = [element_groups(scene, view(scene, name)) for name in ("As", "Bs")]
    assert [None if found is None else found[:, 0].tolist() for found in groups] == [
        [0, 0, 0, 0, 0, SEVERAL],
        [0] + [NOBODY] * 5,
    ]
    assert groups[1] is not None
    assert groups[1][0].tolist() == [0, 0, SEVERAL, SEVERAL, SEVERAL, SEVERAL]


def test_by_thread_each_element_of_a_tile_has_its_own() -> None:
    scene = coloured("thread", "As")
    groups = element_groups(scene, view(scene, "As"))
    assert groups is not None
    np.testing.assert_array_equal(groups.reshape(-1), np.arange(36))


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_hues_differ_and_repeat(theme: Theme) -> None:
    assert len({hue(theme, number) for number in range(HUES)}) == HUES
    assert hue(theme, HUES) == hue(theme, 0)
    assert theme.text not in {hue(theme, number) for number in range(HUES)}
