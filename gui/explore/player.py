"""Player of a story: picture, source listing, inspector, transport."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from gui.explore.code.code import CodeView
from gui.explore.code.hazard_list import SideBar
from gui.explore.code.panel import EditorPanel
from gui.explore.compare.comparison import Comparison
from gui.explore.compare.widgets import FigureTable, Heading, OtherPicture
from gui.explore.export.export import Export
from gui.explore.key_panel import KeyPanel
from gui.explore.memory.panel import CardArea, MemoryPanel
from gui.explore.memory.row import build_memory_row
from gui.explore.menus import QuestionMenu
from gui.explore.panes import Panes
from gui.explore.playback.playback import Playback, warp_of
from gui.explore.playback.stage_state import PANES
from gui.explore.run_bar import RunBar
from gui.explore.stage.build import build_scene
from gui.explore.stage.canvas import Canvas
from gui.explore.stage.caption import Caption
from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.stage.hints import Hints
from gui.explore.stage.motion_switch import MotionSwitch
from gui.explore.stage.questions import questions, questions_of_line
from gui.explore.stage.result_label import ResultLabel
from gui.explore.stage.stage_bar import StageBar
from gui.explore.timeline.marks import Marks
from gui.explore.timeline.timeline import Timeline
from gui.explore.values.cause_search import CauseSearch
from gui.explore.values.inspector import Inspector
from gui.explore.values.value_card import Jump
from gui.theming.style import SMALL_PT, TEXT_PT
from gui.theming.theme import LIGHT
from gui.widgets.controls import StageButton, hbox, label, lay_on_paper, vbox
from gui.widgets.keys import bind, tip
from kernels.analysis.syntax.source import listing
from kernels.frontend.listing import Listing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QContextMenuEvent, QResizeEvent

    from gui.explore.playback.story import Story
    from gui.explore.stage.questions import Answer
    from gui.explore.stage.scene import Options, Scene
    from gui.theming.theme import Theme
    from kernels.analysis import Frame
    from kernels.trace import Hazard, Trace

_PLAIN_HEIGHT = 760
"""Height in pixels up to which text has the application's size."""

_LARGEST_WORDS = 1.5

_CARD_SHARES = (0.38, 0.3)
"""Most of the page's height that the card under the listing takes: at the normal size of text, and in larger text."""

_CAPTION_SHARE = 1.36
"""Size of the caption above the picture, in text sizes: 20 pixels at 11 points and 96 dots an inch."""

_LINES_OF_TWO = 4
"""Lines of each of two captions."""

_SHARES = (6800, 3200, 6800)
"""Widths of picture, code with card, and second picture, as shares: the stage has the most. They exceed every least
width, which would otherwise decide, and depends on the font."""

_LEAST_SIDE_PX = 300
"""Least width of code and card."""

NO_SOURCE = Listing("")
"""Listing of a player without a source."""


class Player(QWidget):
    """Widget that plays one story, step by step.

    Signals
    -------
    ready()
        A story's first frame is shown, or the reason that there is none.
    edit_compared(str, int)
        The story is to be compared with that of another text, without a line.
    """

    ready = Signal()
    edit_compared = Signal(str, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = LIGHT
        """Present colours."""
        self.playback = Playback()
        self.canvas = Canvas(LIGHT, self)
        self.stage_bar = StageBar(self.playback, self)
        self.code = CodeView(LIGHT, self)
        self.listing = EditorPanel(self.code, LIGHT, self)
        self.inspector = Inspector(LIGHT, self)
        self.memory = MemoryPanel(LIGHT, self)
        self.accesses = CardArea(LIGHT, self)
        """In place of the memory row while two runs are compared: the totals of both are in a table."""
        self.side = SideBar(self)
        self.timeline = Timeline(LIGHT, self)
        self.motion = MotionSwitch(self.stage_bar)
        self.panes = Panes(self)
        self.hints = Hints(self)
        self.compare_button = StageButton("Compare", tip("compare"))
        self.present_button = StageButton("Present", tip("present"))
        for button in (self.compare_button, self.present_button):
            button.setProperty("look", "link")
            button.setParent(self)  # until the window takes them into its bar
            button.hide()
        self._causes = CauseSearch(self)
        self.lesson = label(role="warning", line=True)
        self.caption = Caption(self)
        self.result = ResultLabel(LIGHT, self)
        self.export = Export(self, self)
        self.run_bar = RunBar(self.export, self)
        self._keys = KeyPanel(self)
        self.questions = QuestionMenu(self)
        self.heading = Heading(None, self)
        self.other = OtherPicture(LIGHT, self)
        self.figures = FigureTable(self)
        self._sizes_alone = [*_SHARES[:2], 0]
        """Widths, or shares of them, of picture, listing and second picture when there is no comparison."""
        self.least_digits = 0.0
        """Least height of digits in two pictures that are compared, pixels: then these follow the work."""
        self._arrange()
        self._connect_parts()
        self._add_keys()
        self._show_nothing()

    # --- interface -------------------------------------------------------------------------------------

    @property
    def scene(self) -> Scene | None:
        """Scene that is shown."""
        return self.canvas.scene

    @property
    def story(self) -> Story | None:
        """Story that is played, or None."""
        return self.playback.story

    @property
    def options(self) -> Options:
        """Options of the picture."""
        return self.playback.options

    @property
    def moving(self) -> bool:
        """True if steps are shown with motion."""
        return self.motion.on

    @property
    def frames(self) -> Sequence[Frame]:
        """Frames of the present playlist."""
        return self.playback.frames

    @property
    def position(self) -> int:
        """Number of the frame that is shown."""
        return self.playback.position

    @property
    def selected(self) -> Focus:
        """What was clicked, and stays in focus."""
        return self.playback.clicked

    def set_theme(self, theme: Theme) -> None:
        """Change the colours of everything that paints itself."""
        self.theme = theme
        for part in (
            self.canvas,
            self.memory,
            self.code,
            self.listing,
            self.inspector,
            self.timeline,
            self.result,
            self.other,
        ):
            part.set_theme(theme)
        self.accesses.cards.set_theme(theme)
        self._size_text()
        self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Scale the text with the picture, for readability on a projector."""
        super().resizeEvent(event)
        self._size_text()

    @property
    def shown_in(self) -> QWidget:
        """Widget in which the picture is shown: this one, or the window of a presentation."""
        window = self.canvas.window()
        return self if window is self.window() else window

    def _size_text(self) -> None:
        grown = TEXT_PT[0] * min(_LARGEST_WORDS, max(1.0, self.height() / _PLAIN_HEIGHT))
        points = max(self.font().pointSizeF(), grown)
        self.code.set_text_size(points)
        self.listing.area.set_text_size(points)
        large = self.font().pointSizeF() > TEXT_PT[0]
        self.inspector.set_text_size(points, self.height() * _CARD_SHARES[large])
        self._size_captions(points)
        self.memory.set_text_size(points)
        self.size_accesses(points)

    def size_accesses(self, points: float) -> None:
        """Show the accesses of both runs that are compared in a text size, or hide them as the memory row is."""
        shown = self.comparison is not None and "memory" in self.panes.shown
        for area in (self.accesses, self.other.accesses):
            area.set_text_size(points)
            area.setVisible(shown)

    def _size_captions(self, points: float) -> None:
        """Two captions with their results share the width: they are smaller, and may take more lines."""
        if self.comparison is None:
            self.caption.set_text_size(points * _CAPTION_SHARE)
            self.result.set_text_size(points)
            return
        points = min(points, SMALL_PT)
        for caption, result in ((self.caption, self.result), (self.other.caption, self.other.result)):
            caption.set_text_size(points * 1.25, points, _LINES_OF_TWO)
            result.set_text_size(points)

    def show_digits(self, least: float) -> None:
        """Show two pictures that are compared with digits of at least this height, pixels; 0 for the whole arrays."""
        self.least_digits = least
        if self.comparison is not None:
            self._show()

    def say(self, text: str) -> None:
        """Set the caption."""
        self.caption.say(text)

    def show_block(self, block: int) -> None:
        """Follow another block (linear number) from the present step on."""
        self._jump(self.playback.position_of_block(block))

    def show_line(self, line: int) -> None:
        """Jump to the next execution of a source line, after the last one to the first."""
        position = self.playback.next_of_line(line)
        self._jump(position)
        if position is None and self.frames:
            every = "" if self.playback.every_statement else "; “Every statement” may show it"
            self.say(f"Line {line} is executed in no step that is shown{every}")

    def show_hazard(self, hazard: Hazard) -> None:
        """Jump to where a hazard was found, and select the thread that makes the access."""
        self._jump(self.playback.find_hazard(hazard))
        self._show()

    def show_wrong(self) -> None:
        """Jump to the first write that leaves a wrong result, and select its element."""
        self._go(self.playback.first_wrong())

    def show_moment(self, block: int, step: int, focus: Focus) -> None:
        """Jump to a step of a block, if it is one (not -1), and select what is in focus there."""
        if self.playback.frame is None:
            return
        self.playback.select(focus)
        if self.playback.leaves_out(block, step):
            self.stage_bar.set_every_statement(True)
        self._jump(self.playback.position_of(block, step))
        self._show()

    def select(self, focus: Focus) -> None:
        """Keep a thing in focus, as a click on it does."""
        self.playback.select(focus)
        self._show()

    def answer(self, answer: Answer) -> None:
        """Show the answer to a question; Backspace leads back from another step."""
        if answer.card:
            self.panes.open("thread")
        if answer.zoom is not None:
            self.stage_bar.set_zoom(answer.zoom)
        if answer.without is not None:
            self.edit_compared.emit(answer.without, answer.line)
        elif answer.line:
            self.show_line(answer.line)
        elif answer.step >= 0:
            self._follow(Jump(answer.block, answer.step, answer.focus))
        elif answer.block >= 0:
            self.show_block(answer.block)
        else:
            self.select(answer.focus)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask about what is in focus, or else about the shown thread, by the menu key."""
        if event.reason() == event.Reason.Keyboard and self.scene is not None:
            focus = self.playback.focus_or_thread(self.scene)
            self._ask(focus, None, self.canvas.mapToGlobal(self.canvas.rect().center()))

    def _ask(self, focus: Focus, block: int | None, place: QPoint) -> None:
        """Offer the questions about what is drawn at a place."""
        if self.story is not None and self.scene is not None:
            self.questions.ask(questions(self.story.stage, self.scene, focus, block), place)

    def _ask_line(self, place: QPoint) -> None:
        """Offer the questions about a line of the listing."""
        line = self.code.line_at(place.y())
        asked = questions_of_line(self.story.stage.trace, line) if self.story is not None else ()
        self.questions.ask(asked, self.code.viewport().mapToGlobal(place), self.code.createStandardContextMenu())

    def _go(self, jump: Jump | None) -> None:
        if jump is not None:
            self.show_moment(jump.block, jump.step, jump.focus)

    def _follow(self, jump: Jump) -> None:
        """Jump to the step of a line of the card, and remember where it was followed."""
        self.playback.push_place()
        self._go(jump)
        self._show_history()

    def _return(self) -> None:
        """Go back to where the last line was followed."""
        self._go(self.playback.pop_place())
        self._show_history()

    def _show_history(self) -> None:
        """Show whether the focus stays, and whether there is a place to return to."""
        self.inspector.pin.setChecked(self.playback.pinned)
        self.inspector.back.setEnabled(bool(self.playback.followed))

    def _pin(self, on: bool) -> None:
        """Keep what is in focus, by default the first thread of the step, while the pointer moves."""
        if on == self.playback.pinned or self.playback.frame is None or self.scene is None:
            return
        self.panes.open("thread")
        self.playback.pin(self.scene, on=on)
        self._show()

    def show_story(self, story: Story, *, edited: bool = False, keep: Frame | None = None) -> None:
        """Show a story from a frame, by default from the beginning.

        Of an edited source, or after a change to it, it is shown from the same position.
        """
        self.run_bar.set_busy(False)
        self._causes.stop()
        self.playback.start(story, keep, edited=edited)
        self._show_history()
        self._set_comparison(None)
        self.code.show_listing(listing(story.stage.trace))
        self._show_trace(story.stage.trace, proposed=story.proposed)
        self._show_playlist()
        self.ready.emit()

    @property
    def comparison(self) -> Comparison | None:
        """Comparison that is shown, or None."""
        return self.playback.comparison

    def compare(self, other: Story, own_title: str, other_title: str) -> None:
        """Show another story beside this one, on the same timeline, in place of the listing."""
        if self.story is not None:
            every = self.playback.every_statement
            self._set_comparison(Comparison(self.story, other, own_title, other_title, every))
            self._show()

    def stop_comparing(self) -> None:
        """Show this story alone."""
        self._set_comparison(None)
        self._show()

    def refuse(self, why: str, source: Listing = NO_SOURCE) -> None:
        """Show a message instead of a picture, next to a source."""
        self.run_bar.set_busy(False)
        self._show_nothing(source)
        self.canvas.show_message(why)

    def wait(self, doing: str, source: Listing = NO_SOURCE, part: float = 0.0) -> None:
        """Show the current work instead of a picture, next to its source; called again while it runs.

        `part` is the completed share.
        """
        if not self.run_bar.busy:
            self._show_nothing(source)
            self.run_bar.set_busy(True)
        self.canvas.show_message(doing, part)

    # --- showing ---------------------------------------------------------------------------------------

    def _set_comparison(self, comparison: Comparison | None) -> None:
        """Show the second picture in place of the listing, both equally wide, or the listing as wide as before."""
        self.playback.comparison = comparison
        if comparison is not None:
            self.figures.show_comparison(comparison)
            self.heading.title.say(comparison.own_title)
        if (comparison is not None) != self.other.isHidden():
            return
        sizes = self._split.sizes()
        self.other.setVisible(comparison is not None)
        self.canvas.set_legend(comparison is None)
        self.heading.setVisible(comparison is not None)
        self.heading.setFixedHeight(self.other.heading.sizeHint().height())
        self.figures.setVisible(comparison is not None)
        self.panes.offer(PANES if comparison is None else ("memory",))
        self._show_panes()
        self._place_corners()
        self._split.setSizes(self._halves if comparison is not None else self._sizes_alone)
        self._sizes_alone = sizes if comparison is not None else self._sizes_alone
        self._size_text()

    def _place_corners(self) -> None:
        """Place the controls of the picture below it, or below both pictures; both are then equally wide and high."""
        moved = [part for part in (self.corners, self.lesson) if part.isVisible()]
        if self.comparison is not None:
            outer = cast("QVBoxLayout", self.layout())
            outer.insertWidget(outer.indexOf(self._split) + 1, self.corners)
            outer.insertWidget(outer.indexOf(self._split), self.lesson)
        else:
            column = cast("QVBoxLayout", self.stage_column.layout())
            column.addWidget(self.corners)
            column.insertWidget(0, self.lesson)
        for part in moved:
            part.show()  # a layout shows what it is given in a later turn

    @property
    def _halves(self) -> list[int]:
        """Widths of two pictures that are compared."""
        half = self._split.width() // 2
        return [half, 0, half]

    def _show_panes(self) -> None:
        """Show the panes that are switched on, and the hazards of the run whatever panes are."""
        shown = self.panes.shown
        self.listing.setVisible("code" in shown)
        self.inspector.setVisible("thread" in shown)
        if self.shown_in is self:  # else the splitter would forget the widths
            wanted = bool(shown & {"code", "thread"}) or self.side.found
            self._words.setVisible(wanted and self.comparison is None)
        self.memory.set_parts(accesses="memory" in shown, totals="totals" in shown)
        self.size_accesses(self.code.font().pointSizeF())

    def _change_panes(self) -> None:
        self._show_panes()
        self._show()

    def _show_nothing(self, source: Listing = NO_SOURCE) -> None:
        self._causes.stop()
        self.playback.clear()
        self._show_history()
        self._set_comparison(None)
        self.code.show_listing(source)
        self._show_trace(None)
        self.inspector.clear()
        self.memory.show_row(None)
        self.result.reset()
        self.code.show_counts(())
        self.say("")
        self.timeline.set_playlist(0, Marks())
        self._enable_picture(on=False)

    def _show_trace(self, trace: Trace | None, *, proposed: bool = False) -> None:
        """List the hazards of a run."""
        self.side.show_trace(trace, proposed=proposed)
        self.export.setEnabled(trace is not None)
        self._show_panes()

    def _enable_picture(self, *, on: bool) -> None:
        """Enable what acts on a picture, while there is one."""
        self.stage_bar.setEnabled(on)
        self.inspector.pin.setEnabled(on)
        self.compare_button.setEnabled(on)
        self.present_button.setEnabled(on)

    def _jump(self, position: int | None) -> None:
        if position is not None:
            self.timeline.stop_at(position)

    def _show_playlist(self) -> None:
        """Show the playlist of the chosen detail and warp."""
        story = self.story
        if story is None:
            return
        self.stage_bar.show_launch(arrays=bool(story.stage.matrices))
        if not self.frames:
            self.refuse("This launch executes no statement: there is nothing to show.", listing(story.stage.trace))
            return
        self._enable_picture(on=True)
        self.timeline.set_playlist(len(self.frames), self.playback.marks, self.position)
        self._show()

    def _follow_warp(self) -> None:
        """Play the steps of the shown warp only."""
        if self.scene is not None:
            self.stage_bar.follow(warp_of(self.scene))

    def _move_warp(self, direction: int) -> None:
        """Select the first thread of the next warp (1) or the one before (-1); after the last comes the first."""
        if self.scene is not None:
            focus = self.playback.thread_of_warp(self.scene, direction)
            self.playback.select(NOTHING)
            self._click(focus)

    def _change_detail(self) -> None:
        frame, comparison = self.playback.frame, self.comparison
        if frame is not None:
            if comparison is not None:
                self._set_comparison(replace(comparison, every_statement=self.playback.every_statement))
            self.playback.lay_out(frame)
            self._show_playlist()

    def _move(self, position: int) -> None:
        """Show another frame."""
        self.playback.position = position
        self._show()
        self.hints.step(playing=self.timeline.playing)

    def _show(self) -> None:
        story, frame, focus = self.story, self.playback.frame, self.playback.focus
        if story is None or frame is None:
            return
        scene = build_scene(story.stage, frame, self.options, focus)
        shown = self.scene
        if shown is not None and (shown.grid, shown.block_dim) != (scene.grid, scene.block_dim):
            shown = None  # nothing moves from one launch to another
        for canvas in (self.canvas, self.other.canvas):
            canvas.set_least_digits(self.least_digits if self.comparison is not None else 0.0)
        motion_ms = self.motion.duration_ms(shown, self.frames, self.position, self.timeline.step_ms)
        self.canvas.show_scene(scene, motion_ms)
        self.result.show_line(scene.result_line)
        self.say(scene.caption)
        self.code.show_step(scene.span, scene.focus_lines)
        self.code.gutter.show_pin(self.selected.line)
        self.listing.area.show_step(scene.span)
        if not self.inspector.isHidden():
            self.inspector.show_scene(story.stage, scene)
        row, comparison = build_memory_row(story.stage, frame, focus), self.comparison
        if comparison is not None:
            self.memory.show_row(None)
            self.accesses.cards.show_row(row)
            position = comparison.position(frame)
            self.other.show_frame(comparison, position, self.options, motion_ms)
            self.figures.show_figures(comparison.figures(position))
            self.figures.legend.show_pictures((self.canvas, self.other.canvas), self.theme)
        else:
            self.memory.show_row(row)
            counted = row is not None and not self.panes.shown.isdisjoint(("memory", "totals"))
            for listing in (self.code, self.listing.area):
                listing.show_counts(row.gutter if row is not None and counted else ())

    def _hover(self, focus: Focus) -> None:
        self._causes.stop()
        story, frame = self.story, self.playback.frame
        if story is not None and frame is not None and focus != self.playback.hovered:
            self._causes.start(story.stage, frame, focus)

    def _focus_on(self, focus: Focus) -> None:
        if not self.playback.pinned:
            self.playback.hovered = focus
            self._show()

    def _click(self, focus: Focus) -> None:
        self.playback.click(focus)
        if self.selected.kind in ("thread", "element"):
            self.hints.heed("point")
            if self.shown_in is self:  # in a presentation the picture would move away from the pointer
                self.panes.open("thread")
        self._show()
        if focus.kind == "thread" and self.options.warp is not None:
            self._follow_warp()

    # --- building --------------------------------------------------------------------------------------

    def _connect_parts(self) -> None:
        self.timeline.position_changed.connect(self._move)
        self.timeline.block_chosen.connect(lambda number: self.show_block(self.playback.block_at(number)))
        self.canvas.hover_changed.connect(self._hover)
        self._causes.found.connect(self._focus_on)
        self.canvas.clicked.connect(self._click)
        self.canvas.block_chosen.connect(self.show_block)
        self.canvas.zoomed.connect(self.stage_bar.zoom)
        self.canvas.menu_requested.connect(self._ask)
        self.questions.chosen.connect(self.answer)
        self.code.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.code.customContextMenuRequested.connect(self._ask_line)
        self.stage_bar.options_changed.connect(self._show)
        self.stage_bar.warp_wanted.connect(self._follow_warp)
        self.stage_bar.warp_changed.connect(self._change_detail)
        self.stage_bar.warp_moved.connect(self._move_warp)
        for canvas in (self.canvas, self.other.canvas):
            canvas.wheel_turned.connect(self.timeline.step)
        self.code.hover_changed.connect(lambda line: self._hover(Focus.on_line(line) if line else NOTHING))
        self.other.close_requested.connect(self.stop_comparing)
        self.other.position_chosen.connect(self._jump)
        self.code.clicked.connect(self.show_line)
        self.code.gutter.clicked.connect(lambda line: self._click(Focus.on_line(line)))
        self.listing.area.line_clicked.connect(self.show_line)
        self.listing.area.left.connect(lambda: self.shown_in.setFocus())
        self.result.clicked.connect(self.show_wrong)
        self.inspector.pinned.connect(self._pin)
        self.inspector.jump_chosen.connect(self._follow)
        self.inspector.return_chosen.connect(self._return)
        self.stage_bar.detail_changed.connect(self._change_detail)
        self.side.hazard_chosen.connect(self.show_hazard)
        self.panes.changed.connect(self._change_panes)
        self.export.progress_changed.connect(self.run_bar.show_export)
        for canvas in (self.canvas, self.other.canvas):
            self.motion.changed.connect(canvas.end_motion)

    def _add_keys(self) -> None:
        self.timeline.bind_keys(self)
        self._remote = bind(
            self,
            {"remote_back": lambda: self.timeline.step(-1), "remote_forward": lambda: self.timeline.step(1)},
        )
        for shortcut in self.findChildren(QShortcut):
            if shortcut.objectName() in ("back", "forward"):
                shortcut.activated.connect(partial(self.hints.heed, "keys"))
        self.memory.bind_keys(self)
        actions = {
            "keys": self._show_keys,
            "pin": self.inspector.pin.toggle,
            "return": self._return,
            "line": lambda: self.show_line(self.code.executing_line),
        }
        bind(self, actions)

    def _show_keys(self) -> None:
        self._keys.open(self.shown_in, self.canvas.font().pointSizeF())

    def _arrange(self) -> None:
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.lesson.setIndent(12)
        self.heading.hide()
        self.stage_column, self.caption_row, self.corners = QWidget(self), QWidget(self), QWidget(self)
        said = hbox(self.caption_row, (12, 4, 4, 0))
        said.addWidget(self.caption, 1)
        said.addWidget(self.result)
        said.addWidget(self.run_bar)
        corners = hbox(self.corners, (12, 0, 8, 4))
        corners.addWidget(self.stage_bar)
        corners.addSpacing(8)
        corners.addWidget(self.hints)
        corners.addStretch(1)
        corners.addWidget(self.panes)
        for part in (self.caption_row, self.corners, self.memory):
            lay_on_paper(part)
        picture = vbox(self.stage_column, spacing=0)
        for part in (self.lesson, self.heading, self.caption_row):
            picture.addWidget(part)
        picture.addWidget(self.canvas, 1)
        for part in (self.memory, self.accesses, self.corners):
            picture.addWidget(part)
        self._words = QWidget(self)
        words = vbox(self._words, spacing=0)
        words.addWidget(self.side)
        words.addWidget(self.listing, 1)
        words.addWidget(self.inspector)
        words.addStretch(0)
        self._split = split = QSplitter(Qt.Orientation.Horizontal, self)
        for number, column in enumerate((self.stage_column, self._words, self.other)):
            split.addWidget(column)
            split.setStretchFactor(number, _SHARES[number] // 100)
        self._words.setMinimumWidth(_LEAST_SIDE_PX)
        split.setSizes(self._sizes_alone)
        split.setChildrenCollapsible(False)
        split.setHandleWidth(1)
        outer = vbox(self, spacing=0)
        outer.addWidget(split, 1)
        outer.addWidget(self.figures)
        outer.addWidget(self.timeline)
