"""No field of a scene changes unless a change is meant."""

from dataclasses import replace

import numpy as np
import pytest

from tests.gui.explore.golden import digests

STORED = digests.stored()


@pytest.mark.parametrize("name", digests.KERNELS)
def test_scenes_of_a_kernel(name: str) -> None:
    assert digests.moved(digests.of_kernel(name), STORED[name]) == []


def test_every_digest_belongs_to_a_kernel() -> None:
    assert set(STORED) == set(digests.KERNELS)


def test_the_field_that_moved_is_named() -> None:
    scene = next(digests.scenes("matmul_tiled"))
    first = scene.cells[0]
    values = np.array(first.values)
    values[0, 0] += 1
    changed = replace(scene, cells=(replace(first, values=values), *scene.cells[1:]), line=scene.line + 1)
    before, now = ({k: [v] for k, v in digests.of_scene(one).items()} for one in (scene, changed))
    frames = ", ".join(map(str, range(digests.FRAMES)))
    assert digests.moved(now, before) == [f"cells.values: frames {frames}", f"line: frames {frames}"]
    now["line"] = [*before["line"] * 7, "", *before["line"] * 12]
    assert digests.moved(now, before)[1:] == ["line: frames 7"]
