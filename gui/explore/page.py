"""The Explore page: the picture, its source, and the transport under them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from gui.explore.build import build_scene
from gui.explore.canvas import Canvas
from gui.explore.caption import Caption
from gui.explore.code import CodeView
from gui.explore.export import Export
from gui.explore.focus import NOTHING, Focus
from gui.explore.gate import refusal
from gui.explore.inspector import Inspector
from gui.explore.marks import hazard_position, marks_of
from gui.explore.scrubber import Marks
from gui.explore.side import SideBar
from gui.explore.timeline import Timeline
from gui.explore.tracing import Tracing
from gui.theme import LIGHT
from gui.widgets import label
from kernels.errors import SourceError
from kernels.source.nodes import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QCloseEvent, QResizeEvent

    from gui.explore.scene import Scene
    from gui.explore.story import Story
    from gui.session import Selection, Session
    from gui.theme import Theme
    from kernels.errors import TilescopeError
    from kernels.insight import Frame, Playlist
    from kernels.trace import Hazard

_PLAIN_HEIGHT = 760
"""Up to this height of the page in pixels, words have the application's size."""

_LARGEST_WORDS = 1.5


class ExplorePage(QWidget):
    """Shows the session's selection, step by step.

    Signals
    -------
    ready()
        The selection is traced and its first frame shown, or the reason why not.
    """

    ready = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._theme = session, LIGHT
        self._asked: Selection | None = None
        self._story: Story | None = None
        self._playlist: Playlist | None = None
        self._pointed, self._kept = NOTHING, NOTHING
        self._tracing = Tracing(self)
        self.canvas = Canvas(LIGHT, self)
        self.code = CodeView(LIGHT, self)
        self.inspector = Inspector(LIGHT, self)
        self.side = SideBar(self)
        self.timeline = Timeline(LIGHT, self)
        self.lesson = label(role="warning", line=True)
        self.caption = Caption(self)
        self._export = Export(self)
        self._arrange()
        self._connect()
        self._add_keys()
        self._select(session.selection)

    # --- what the window asks --------------------------------------------------------------------------

    def set_theme(self, theme: Theme) -> None:
        """Change the colours of everything that paints itself."""
        self._theme = theme
        for part in (self.canvas, self.code, self.inspector, self.timeline):
            part.set_theme(theme)
        self._show()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop playing and tracing."""
        self.timeline.pause()
        self._tracing.close()
        self._export.close()
        super().closeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let the words grow with the page: what fills a wall is read from the back of the room."""
        super().resizeEvent(event)
        points = self.font().pointSizeF() * min(_LARGEST_WORDS, max(1.0, self.height() / _PLAIN_HEIGHT))
        self.code.set_text_size(points)
        self.inspector.set_text_size(points)
        self.caption.set_text_size(max(14.0, points * 1.25))

    # --- what can be asked of the page -----------------------------------------------------------------

    @property
    def scene(self) -> Scene | None:
        """What is shown now."""
        return self.canvas.scene

    @property
    def story(self) -> Story | None:
        """What was traced, or None while there is nothing to show."""
        return self._story

    @property
    def theme(self) -> Theme:
        """Present colours."""
        return self._theme

    @property
    def frames(self) -> Sequence[Frame]:
        """Frames of the present playlist."""
        return self._playlist.frames if self._playlist is not None else ()

    @property
    def busy(self) -> bool:
        """Whether a tracing is under way."""
        return self._tracing.busy

    def say(self, text: str) -> None:
        """Write the line under the picture."""
        self.caption.say(text)

    def show_block(self, block: int) -> None:
        """Follow another block (linear number) from the present step on."""
        if self._playlist is not None:
            self._jump(self._playlist.position(block, self.frames[self.timeline.position].step))

    def show_hazard(self, hazard: Hazard) -> None:
        """Jump to where a hazard was found."""
        if self._story is not None and self._playlist is not None:
            self._jump(hazard_position(self._story.stage.trace, self._playlist, hazard))

    def _jump(self, position: int | None) -> None:
        if position is not None:
            self.timeline.pause()
            self.timeline.go(position)

    # --- tracing ---------------------------------------------------------------------------------------

    def _select(self, selection: Selection) -> None:
        if self._asked is not None and replace(selection, device=self._asked.device) == self._asked:
            return  # the picture does not depend on the device
        self._asked = selection
        self.timeline.pause()
        self.side.order.setVisible(selection.kernel.runs_on != "cpu")
        flaw = selection.kernel.flaw
        self.lesson.setText(f"⚠ Lesson, wrong on purpose: {flaw}")
        self.lesson.setVisible(bool(flaw))
        why = refusal(selection)
        if why:
            self._tracing.cancel()
            self._refuse(why)
            return
        self._tracing.start(selection, self.side.schedule)

    def _run_again(self) -> None:
        """Run the selection in the order that is chosen now."""
        asked, self._asked = self._asked, None
        if asked is not None:
            self._select(asked)

    def _say_progress(self, seconds: float) -> None:
        kernel = self._session.selection.kernel
        self.side.set_busy(True)
        self.canvas.show_message(f"Running every thread of “{kernel.title}” … {seconds:.0f} s")

    def _cancel(self) -> None:
        self._tracing.cancel()
        self._refuse("Cancelled. Choose a smaller size, or another kernel.")

    def show_story(self, story: Story) -> None:
        """Show what was traced, from the beginning."""
        self.side.set_busy(False)
        keep = self.frames[self.timeline.position] if self._edited(story) else None
        self._story, self._pointed, self._kept = story, NOTHING, NOTHING
        self.code.show_text(story.stage.trace.text)
        self.side.show_trace(story.stage.trace)
        if keep is None:
            self.side.propose_every_statement(story.is_short)
        self._lay_out(keep)
        self.ready.emit()

    def _edited(self, story: Story) -> bool:
        """Whether a story is the present one after a change to its source: then the place in it is kept."""
        if self._story is None or self._playlist is None:
            return False
        old, new = self._story.selection, story.selection
        return (old.kernel.id, old.size, old.block) == (new.kernel.id, new.size, new.block)

    def _failed(self, error: TilescopeError) -> None:
        self._refuse(str(error))
        if isinstance(error, SourceError):
            self.code.show_step(Span(error.line, error.column, error.line, error.column + 1))
        self.ready.emit()

    def _refuse(self, why: str) -> None:
        self.side.set_busy(False)
        self._story, self._playlist = None, None
        self._pointed, self._kept = NOTHING, NOTHING
        kernel = self._session.selection.kernel
        self.canvas.show_message(why)
        self.code.show_text(kernel.text if kernel.file is not None else "")
        self.side.show_trace(None)
        self.inspector.show_nothing()
        self.say("")
        self.timeline.set_playlist(0, Marks())

    # --- showing ---------------------------------------------------------------------------------------

    def _lay_out(self, keep: Frame | None = None) -> None:
        """Take the playlist of the chosen detail, and stay near the present frame."""
        story = self._story
        if story is None:
            return
        frames = story.statements if self.side.every_statement else story.memory
        if not len(frames):
            self._refuse("This launch executes no statement: there is nothing to show.")
            return
        self._playlist = frames
        position = frames.position(keep.block, keep.step) if keep else 0
        self.timeline.set_playlist(len(frames), marks_of(story.stage.trace, frames), position or 0)
        self._show()

    def _change_detail(self) -> None:
        if self._playlist is not None:
            self._lay_out(self.frames[self.timeline.position])

    def _show(self) -> None:
        if self._story is None or self._playlist is None:
            return
        frame = self.frames[self.timeline.position]
        focus = self._focus(frame)
        scene = build_scene(self._story.stage, frame, focus=focus)
        self.canvas.show_scene(scene)
        self.say(scene.caption)
        self.code.show_step(scene.span, scene.focus_lines)
        self.inspector.show_scene(self._story.stage, scene)

    def _focus(self, frame: Frame) -> Focus:
        """Return what is pointed at, else what was clicked; a thread is followed into other blocks."""
        focus = self._pointed if self._pointed != NOTHING else self._kept
        if focus.kind != "thread" or self._story is None:
            return focus
        threads = self._story.stage.trace.launch.block.count
        return Focus.on_thread(frame.block * threads + focus.lane % threads)

    def _point(self, focus: Focus) -> None:
        if focus != self._pointed:
            self._pointed = focus
            self._show()

    def _keep(self, focus: Focus) -> None:
        self._kept = NOTHING if focus == self._kept else focus
        self._show()

    def _block_picked(self, number: int) -> None:
        if self._playlist is not None:
            self.show_block(self.frames[int(self._playlist.block_starts[number])].block)

    # --- building --------------------------------------------------------------------------------------

    def _connect(self) -> None:
        self._session.changed.connect(self._select)
        self._tracing.finished.connect(self.show_story)
        self._tracing.failed.connect(self._failed)
        self._tracing.waiting.connect(self._say_progress)
        self.timeline.moved.connect(self._show)
        self.timeline.block_chosen.connect(self._block_picked)
        self.canvas.pointed.connect(self._point)
        self.canvas.clicked.connect(self._keep)
        self.canvas.block_chosen.connect(self.show_block)
        self.code.pointed.connect(lambda line: self._point(Focus.on_line(line) if line else NOTHING))
        self.code.clicked.connect(lambda line: self._keep(Focus.on_line(line)))
        self.side.detail_changed.connect(self._change_detail)
        self.side.schedule_changed.connect(self._run_again)
        self.side.hazard_chosen.connect(self.show_hazard)
        self.side.cancelled.connect(self._cancel)
        self.side.export_button.setMenu(self._export.menu)

    def _add_keys(self) -> None:
        line = self.timeline
        actions: dict[str, Callable[[], None]] = {
            "Space": line.toggle, "Right": lambda: line.step(1), "Left": lambda: line.step(-1),
            "Shift+Right": lambda: line.step_phase(1), "Shift+Left": lambda: line.step_phase(-1), "Home":
            line.first, "End": line.last, "PgDown": lambda: line.step(1), "PgUp": lambda: line.step(-1),
        }  # fmt: skip
        for keys, action in actions.items():
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(action)

    def _arrange(self) -> None:
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.lesson.setIndent(12)
        left, right = QWidget(self), QWidget(self)
        picture = QVBoxLayout(left)
        picture.setContentsMargins(0, 0, 0, 0)
        picture.addWidget(self.canvas, 1)
        picture.addWidget(self.lesson)
        picture.addWidget(self.caption)
        words = QVBoxLayout(right)
        words.setContentsMargins(0, 0, 0, 0)
        words.addWidget(self.side)
        words.addWidget(self.code, 1)
        words.addWidget(self.inspector)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.addWidget(left)
        split.addWidget(right)
        split.setStretchFactor(0, 66)
        split.setStretchFactor(1, 34)
        split.setSizes([820, 430])
        split.setChildrenCollapsible(False)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(split, 1)
        outer.addWidget(self.timeline)
