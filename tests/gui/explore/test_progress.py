"""Progress of long runs, and runs that are too large to be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gui.explore.playback.eligibility import MOST_FRAMES, check_frames
from gui.explore.playback.story import Progress, story_of_launch
from kernels.errors import InputError
from kernels.launch_inference.proposals import proposals

if TYPE_CHECKING:
    from pathlib import Path

LOOP = "__global__ void loop(int *a) { for (int i = 0; i < 200; ++i) a[threadIdx.x] += i; }"


def test_before_the_first_step_only_the_time_is_told() -> None:
    progress = Progress()
    progress.begin("Running")
    assert progress.words(3.2) == "Running … 3 s"


@pytest.mark.parametrize(
    ("part", "left"), [(0.5, "4 s"), (0.1, "36 s"), (0.01, "7 min"), (0.0001, "12 h"), (1.0, "0 s")]
)
def test_the_time_left_is_a_bound_at_the_rate_so_far(part: float, left: str) -> None:
    clock = [0.0]
    progress = Progress(lambda: clock[0])
    progress.begin("Running")
    progress.run(128, 0.00001)
    clock[0] = 4
    progress.run(12_800, part)
    assert progress.words(5).splitlines()[1:] == [
        f"12,800 steps so far: {part:.0%} of the limit of a run",
        f"At most {left} left",
    ]


def test_a_run_that_begins_again_is_measured_again() -> None:
    clock = [0.0]
    progress = Progress(lambda: clock[0])
    progress.run(12_800, 0.5)
    clock[0] = 100
    progress.run(128, 0.005)
    assert len(progress.words(100).splitlines()) == 2


def test_a_run_tells_how_far_it_is(tmp_path: Path) -> None:
    file = tmp_path / "loop.cu"
    file.write_text(LOOP, encoding="utf-8")
    told: list[tuple[str, int]] = []

    class Watched(Progress):
        def run(self, steps: int, part: float) -> None:
            super().run(steps, part)
            told.append((self.doing, self.steps))

    progress = Watched()
    story_of_launch(proposals(file)[0], lambda: False, progress)
    assert {doing for doing, _ in told} == {"Running every thread of “loop”"}
    assert [steps for _, steps in told][-3:] == [128, 256, 384]
    assert progress.doing == "Laying out 401 pictures"
    assert not progress.part


def test_a_run_with_too_many_pictures_is_refused() -> None:
    check_frames(MOST_FRAMES)
    with pytest.raises(InputError, match=r"20,000,001 pictures.*Launch fewer blocks"):
        check_frames(MOST_FRAMES + 1)
