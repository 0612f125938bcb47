"""Playback decides without widgets: where it starts, what is in focus, and the way back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from gui.explore.playback.playback import Playback
from gui.explore.playback.story import Story, story_of_selection
from gui.explore.stage.focus import NOTHING, Focus
from gui.selection.session import Selection
from kernels.device import devices
from kernels.launch import Dim3
from kernels.workload import Size
from tests.gui.explore.conftest import kernel

if TYPE_CHECKING:
    from kernels.catalog import Kernel


def story(shown: Kernel) -> Story:
    selection = Selection(shown, Size.parse("4,4,4"), Dim3(2, 2, 1), devices()[0])
    return story_of_selection(selection, lambda: False)


@pytest.fixture(scope="module")
def tiled() -> Story:
    return story(kernel("matmul_tiled"))


@pytest.fixture
def playback(tiled: Story) -> Playback:
    found = Playback()
    found.start(tiled)
    return found


def test_a_story_begins_at_its_first_frame_and_goes_on_where_it_was_left(playback: Playback, tiled: Story) -> None:
    assert playback.frame == tiled.memory.frames[0]
    playback.position = 7
    playback.click(Focus.on_thread(3))
    playback.clear()
    assert (playback.focus, len(playback.frames)) == (NOTHING, 0)
    playback.start(tiled)
    assert playback.position == 7


def test_an_edited_source_is_played_from_the_same_execution_of_the_line(playback: Playback, tiled: Story) -> None:
    assert tiled.selection is not None
    playback.position = 7
    frame = playback.frame
    source = tiled.selection.kernel
    edited = story(replace(source, source="// one more line\n" + source.text))
    playback.start(edited, edited=True)
    assert playback.frame == frame
    assert playback.story is edited


def test_a_thread_in_focus_is_followed_into_other_blocks(playback: Playback) -> None:
    playback.click(Focus.on_thread(3))
    position = playback.position_of_block(2)
    assert position is not None
    playback.position = position
    assert playback.focus == Focus.on_thread(2 * 4 + 3)
    playback.click(playback.clicked)
    assert playback.focus == NOTHING


def test_a_followed_line_leads_back_once(playback: Playback) -> None:
    playback.click(Focus.on_element(0, 1))
    playback.push_place()
    playback.select(NOTHING)
    back = playback.pop_place()
    assert back is not None
    assert (back.block, back.step, back.focus) == (*playback.frames[0], Focus.on_element(0, 1))
    assert playback.pop_place() is None


def test_steps_that_access_nothing_are_left_out_at_first(playback: Playback, tiled: Story) -> None:
    memory = {tuple(frame) for frame in tiled.memory.frames}
    other = next(frame for frame in tiled.statements.frames if tuple(frame) not in memory)
    assert playback.leaves_out(*other)
    playback.every_statement = True
    playback.lay_out(other)
    assert playback.frame == other
    assert not playback.leaves_out(*other)


def test_a_warp_that_the_launch_has_not_is_not_followed(playback: Playback) -> None:
    playback.chosen = replace(playback.chosen, warp=1)
    playback.lay_out()
    assert playback.chosen.warp is None
