"""Timeline, playback, and the progress of long runs."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from gui.explore.playback.eligibility import MOST_FRAMES, check_frames
from gui.explore.playback.playback import Playback
from gui.explore.playback.story import Progress, Story, story_of_launch, story_of_selection
from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.timeline.marks import Marks, Stride
from gui.explore.timeline.timeline import FRAME_MS, SPEEDS, Timeline
from gui.selection.session import Selection
from gui.theming import style
from gui.theming.theme import LIGHT
from kernels.catalog import Kernel
from kernels.device import devices
from kernels.errors import InputError
from kernels.launch import Dim3
from kernels.launch_inference.proposals import proposals
from kernels.workload import Size
from tests.gui.explore.conftest import kernel

NAMES = ("(0,0)", "(1,0)")


MARKS = Marks((0, 10), (0, 1), NAMES, phases=(2, 5, 12, 15), barriers=(4,), hazards=(13,))


@pytest.fixture
def line(qtbot: QtBot) -> Timeline:
    made = Timeline(LIGHT)
    qtbot.addWidget(made)
    made.resize(1000, 70)
    made.scrubber.resize(800, 50)
    made.set_playlist(20, MARKS)
    return made


def test_keys_move_by_steps_phases_barriers_and_tenths(line: Timeline) -> None:
    for start, direction, end in [
        (0, 1, 2),
        (2, 1, 5),
        (5, 1, 10),
        (10, 1, 12),
        (15, 1, 19),
        (19, 1, 19),
        (19, -1, 15),
        (6, -1, 5),
        (0, -1, 0),
    ]:
        line.go(start)
        line.skip("phase", direction)
        assert line.position == end
    # Moves to barriers.
    for start, direction, end in [(0, 1, 4), (4, 1, 19), (3, 1, 4), (4, -1, 0), (12, -1, 4), (0, -1, 0)]:
        line.go(start)
        line.skip("barrier", direction)
        assert line.position == end
    # Steps stay inside.
    for start, by, end in [(0, 1, 1), (0, -1, 0), (19, 1, 19), (7, -2, 5)]:
        line.go(start)
        line.step(by)
        assert line.position == end
    # Digits are tenths.
    for tenth, position in [(0, 0), (1, 2), (5, 10), (9, 17)]:
        line.go_to_tenth(tenth)
        assert line.position == position


def test_without_barriers_or_frames_there_is_nothing_to_move_to(line: Timeline) -> None:
    line.set_stride("barrier")
    line.set_playlist(20, Marks((0,), (0,), NAMES, phases=(2,)), position=7)
    assert line.stride == "step"
    line.skip("barrier", 1)
    assert line.position == 7
    for stride in ("phase", "step"):
        line.change_stride()
        assert line.stride == stride
    # An empty playlist disables it.
    line.set_playlist(0, Marks())
    line.toggle()
    assert not line.isEnabled()
    assert not line.playing


@pytest.mark.parametrize(
    ("stride", "stops"), [("step", [3, 4, 5]), ("phase", [5, 10, 12, 15, 19]), ("barrier", [4, 19])]
)
def test_plays_by_step_by_phase_and_at_barriers(line: Timeline, stride: Stride, stops: list[int]) -> None:
    line.set_stride(stride)
    line.go(2)
    line.play()
    shown = []
    for _ in stops:
        line._tick()
        shown.append(line.position)
    line.pause()
    assert shown == stops


@pytest.mark.parametrize(("stride", "shown"), [("step", [5, 6, 7, 5, 6]), ("phase", [5, 7, 5, 7, 5])])
def test_a_loop_is_played_again_and_again(line: Timeline, stride: Stride, shown: list[int]) -> None:
    line.set_stride(stride)
    line.go(5)
    line.start_loop()
    line.go(7)
    line.end_loop()
    line.play()  # from its end: starts at its beginning
    positions = [line.position]
    for _ in shown[1:]:
        line._tick()
        positions.append(line.position)
    assert positions == shown
    assert line.playing
    line.clear_loop()
    assert not line.loop
    line.pause()


def test_a_loop_has_its_ends_in_order(line: Timeline) -> None:
    line.go(12)
    line.start_loop()
    assert line.loop.limits(19) == (12, 19)
    line.go(4)
    line.end_loop()
    assert line.loop.limits(19) == (0, 4)
    line.start_loop()
    assert line.loop.limits(19) == (4, 19)
    assert line.scrubber.accessibleDescription() == "Loop from step 5 to step 20"
    line.set_playlist(9, Marks())
    assert not line.loop


def test_plays_to_the_end_and_a_step_pauses(line: Timeline, qtbot: QtBot) -> None:
    line.toggle()
    line.step(1)
    assert not line.playing
    # Plays to the end and stops.
    line.set_speed(8.0)
    line.go(17)
    line.toggle()
    assert line.playing
    qtbot.waitUntil(lambda: not line.playing)
    assert line.position == 19
    line.toggle()
    assert line.playing
    assert line.position == 0  # from the end it starts again
    line.pause()


def test_speed_is_frames_a_second(line: Timeline) -> None:
    for speed in SPEEDS:
        line.set_speed(speed)
        assert line._timer.interval() == round(FRAME_MS / speed)


def test_the_scrubber_has_an_equal_part_for_every_frame(line: Timeline) -> None:
    scrubber = line.scrubber
    assert [scrubber.position_at(scrubber.x_of(n)) for n in range(20)] == list(range(20))
    assert scrubber.position_at(-50) == 0
    assert scrubber.position_at(5000) == 19
    # Every frame has an equal part of the width.
    names = tuple(f"({x},0)" for x in range(4))
    line.set_playlist(4, Marks((0, 1, 2, 3), (0, 1, 2, 3), names))
    widths = [right - left for left, right, _ in line.scrubber.bands()]
    assert len(widths) == 4
    assert max(widths) - min(widths) < 1e-6
    assert line.scrubber.position_at(line.scrubber.bands()[-1][1] - 1) == 3


def test_the_block_in_the_list_follows_the_position(line: Timeline) -> None:
    line.go(12)
    assert marked(line) == "Block (1,0)"
    line.go(3)
    assert marked(line) == "Block (0,0)"
    # A block that continues is selected again.
    line.set_playlist(20, Marks((0, 5, 10), (0, 1, 0), NAMES))
    for position, name in ((4, "(0,0)"), (5, "(1,0)"), (10, "(0,0)")):
        line.go(position)
        assert marked(line) == f"Block {name}"
    assert len(line.blocks.actions()) == 2


def marked(line: Timeline) -> str:
    """Return the block that is marked in the opened list of blocks."""
    line.blocks.aboutToShow.emit()
    (action,) = (action for action in line.blocks.actions() if action.isChecked())
    return action.text()


def test_speed_unit_and_loop_are_said_and_limited(line: Timeline) -> None:
    assert line.pace.text() == "1× ▾"
    line.set_speed(2.0)
    line.change_stride()
    line.go(2)
    line.start_loop()
    line.go(7)
    line.end_loop()
    assert line.pace.text() == "2× by phase, loop 3–8 ▾"
    line.clear_loop()
    assert line.pace.text() == "2× by phase ▾"
    # Speed has a least and a most.
    for direction, end in ((1, SPEEDS[-1]), (-1, SPEEDS[0])):
        for _ in SPEEDS:
            line.change_speed(direction)
        assert line.speed == end


@pytest.mark.parametrize("blocks", [2, 9, 64, 1024])
def test_names_of_blocks_lie_at_their_bands_and_never_touch(line: Timeline, blocks: int) -> None:
    names = tuple(f"({x},0)" for x in range(blocks))
    numbers = tuple(range(blocks))
    line.set_playlist(3 * blocks, Marks(tuple(3 * n for n in numbers), numbers, names))
    scrubber = line.scrubber
    end = -1.0
    for x, name in scrubber.labels():
        width = scrubber.fontMetrics().horizontalAdvance(name)
        assert x <= scrubber.x_of(3 * names.index(name) + 1) <= x + width
        assert x > end
        end = x + width
    assert len(scrubber.labels()) >= min(blocks, 9)


def test_triangles_never_touch(line: Timeline) -> None:
    """Of two hazards, as near as may be, there are two triangles with paper between them, or one shape."""
    apart = []
    for count in range(20, 200):
        line.set_playlist(count, Marks((0,), (0,), ("(0,0)",), hazards=(5, 6)))
        image = QImage(line.scrubber.size(), QImage.Format.Format_RGB32)
        image.fill(QColor(LIGHT.panel))
        line.scrubber.render(image)
        y = next(y for y in range(image.height() - 1, 0, -1) if _runs(image, y))
        apart.append(_runs(image, y))
    assert {len(runs) for runs in apart} == {1, 2}
    assert all(runs[1][0] - runs[0][1] >= 4 for runs in apart if len(runs) == 2)


def _runs(image: QImage, y: int) -> list[tuple[int, int]]:
    """Return the first and last pixel of each run of the hazards' colour in a row."""
    red = QColor(LIGHT.hazard).rgb()
    at = [x for x in range(image.width()) if image.pixel(x, y) == red]
    begins = [x for x in at if x - 1 not in at]
    ends = [x for x in at if x + 1 not in at]
    return list(zip(begins, ends, strict=True))


@pytest.mark.parametrize(("count", "expected"), [(20, 20), (200, 200), (2000, 1)])
def test_marks_become_one_before_they_touch(line: Timeline, count: int, expected: int) -> None:
    line.set_playlist(count, Marks((0,), (0,), ("(0,0)",)))
    groups = line.scrubber.clusters(range(count), 0.5, 2.0)
    assert len(groups) == expected
    assert all(after[0] - before[1] >= 2.0 for before, after in pairwise(groups))


@pytest.mark.parametrize(("points", "width"), [(11.0, 936), (16.0, 936), (20.0, 1256)])
def test_everything_has_room_in_a_narrow_window(qtbot: QtBot, qapp: QApplication, points: float, width: int) -> None:
    font = qapp.font()
    style.set_text(qapp, points)
    try:
        made = Timeline(LIGHT)
        qtbot.addWidget(made)
        names = tuple(f"({x},{x})" for x in range(14))
        made.set_playlist(5684, Marks(tuple(range(14)), tuple(range(14)), names))
        made.setStyleSheet(style.sheet(LIGHT))
        made.set_theme(LIGHT)
        made.go(4000)
        made.start_loop()
        made.resize(width, 100)
        made.show()
        QApplication.processEvents()
        assert made.width() == width
        parts = [part for part in made.findChildren(QWidget) if part.parentWidget() is made and part.isVisible()]
        assert all(made.rect().contains(part.geometry()) for part in parts)
        for words in made.findChildren(QLabel):
            assert words.fontMetrics().horizontalAdvance(words.text()) <= words.width()
        row = sorted((part for part in parts if part is not made.scrubber), key=QWidget.x)
        assert not [(a, a.geometry(), b, b.geometry()) for a, b in pairwise(row) if a.geometry().right() >= b.x()]
    finally:
        qapp.setFont(font)


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


def test_playback_follows_a_thread_and_leads_back_from_a_line(playback: Playback) -> None:
    playback.click(Focus.on_thread(3))
    position = playback.position_of_block(2)
    assert position is not None
    playback.position = position
    assert playback.focus == Focus.on_thread(2 * 4 + 3)
    playback.click(playback.clicked)
    assert playback.focus == NOTHING
    # A followed line leads back once.
    playback.position = 0
    playback.click(Focus.on_element(0, 1))
    playback.push_place()
    playback.select(NOTHING)
    back = playback.pop_place()
    assert back is not None
    assert (back.block, back.step, back.focus) == (*playback.frames[0], Focus.on_element(0, 1))
    assert playback.pop_place() is None


def test_playback_leaves_out_steps_and_warps_that_have_nothing_to_show(playback: Playback, tiled: Story) -> None:
    playback.chosen = replace(playback.chosen, warp=1)
    playback.lay_out()
    assert playback.chosen.warp is None
    # Steps that access nothing are left out at first.
    memory = {tuple(frame) for frame in tiled.memory.frames}
    other = next(frame for frame in tiled.statements.frames if tuple(frame) not in memory)
    assert playback.leaves_out(*other)
    playback.every_statement = True
    playback.lay_out(other)
    assert playback.frame == other
    assert not playback.leaves_out(*other)


LOOP = "__global__ void loop(int *a) { for (int i = 0; i < 200; ++i) a[threadIdx.x] += i; }"


def test_progress_begins_without_a_rate_and_begins_again() -> None:
    progress = Progress()
    progress.begin("Running")
    assert progress.words(3.2) == "Running … 3 s"
    # A run that begins again is measured again.
    clock = [0.0]
    progress = Progress(lambda: clock[0])
    progress.run(12_800, 0.5)
    clock[0] = 100
    progress.run(128, 0.005)
    assert len(progress.words(100).splitlines()) == 2
    # A run with too many pictures is refused.
    check_frames(MOST_FRAMES)
    with pytest.raises(InputError, match=r"20,000,001 pictures.*Launch fewer blocks"):
        check_frames(MOST_FRAMES + 1)


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
