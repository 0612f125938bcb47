"""The Explore page: traces the session's selection, or opens its recording, and plays it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Qt, QTimer

from gui.explore.code.editing import Editing
from gui.explore.compare.comparison import Comparable, comparables, launch_title
from gui.explore.menus import CompareMenu
from gui.explore.playback.eligibility import refusal
from gui.explore.playback.stage_state import PANES
from gui.explore.playback.story import (
    Progress,
    prepared_story,
    source_of,
    story_of_launch,
    story_of_recording,
    story_of_selection,
)
from gui.explore.player import NO_SOURCE, Player
from gui.explore.presentation.presentation import Presentation
from gui.explore.stage.block_drag import BlockDrag
from gui.explore.tracing import Tracing
from gui.selection.unread_source import UnreadSource
from gui.widgets.controls import label
from gui.widgets.keys import KEYS, bind, tip
from kernels.analysis.syntax.source import listing
from kernels.catalog import find_kernel
from kernels.custom_launch.model import CustomLaunch
from kernels.errors import InputError, SourceError, TilescopeError
from kernels.frontend.architecture import Source, other_lines, other_lines_words
from kernels.frontend.ast import Span
from kernels.frontend.listing import Listing, listing_of
from kernels.occupancy.curve import occupancy_of
from kernels.occupancy.resources import shipped_resources
from kernels.occupancy.waves import waves_details, waves_words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from PySide6.QtGui import QCloseEvent, QPaintEvent, QResizeEvent
    from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

    from gui.explore.playback.session_file import SavedSession
    from gui.explore.playback.stage_state import StageState
    from gui.explore.playback.story import Story
    from gui.explore.presentation.presentation import Companion
    from gui.explore.saved_page import ViewState
    from gui.selection.recording import Recording
    from gui.selection.session import Selection, Session
    from gui.shell.settings import Settings
    from gui.theming.theme import Theme


_LINES_FOR_CARD = 46
"""Height of the page, in lines of text, from which on the card is shown under a text that is edited."""


class ExplorePage(Player):
    """Page that follows the session's selection."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.presentation = Presentation(self)
        self.presentation.ended.connect(self._end_presentation)
        self._session = session
        self._shown_selection: Selection | None = None
        self._state: StageState | None = None
        """State to show as soon as its launch is traced."""
        self._ordered_for: tuple[str, Path | None] | None = None
        """Kernel whose order of warps and blocks was chosen last: another one opens with its own."""
        # A run takes Python's lock from the window, which would then build and paint this page twice as long.
        self._tracing = Tracing(self, held=True)
        self._progress = Progress()
        self._session.selection_changed.connect(self._select)
        self._session.recording_changed.connect(self._show_source)
        self._tracing.finished.connect(self._show_traced)
        self._tracing.failed.connect(self._failed)
        self._tracing.still_running.connect(self._say_progress)
        self.stage_bar.schedule_changed.connect(self._run_again)
        self.run_bar.cancel_requested.connect(self._cancel)
        self.run_bar.rerun_requested.connect(self._run_again)
        self._compared = Tracing(self)
        self._compared.finished.connect(self._show_compared)
        self._compared.failed.connect(lambda error: self.say(f"There is nothing to compare with: {error.titled}"))
        self.edit_compared.connect(self._compare_without)
        self.compare_menu = CompareMenu(self)
        self.compare_menu.chosen.connect(self._compare_with)
        self.compare_button.clicked.connect(self._ask_comparison)
        self.present_button.clicked.connect(self.present)
        self.editing = Editing(
            session, self.listing, self.playback, (self.stage_column, self.caption_row, self.side.hazards)
        )
        self.export.add_offer(f"Edit the source\t{KEYS['edit'].words}", self.editing.begin, tip("edit"))
        self.export.add_offer(f"Save session…\t{KEYS['save'].words}", session.save_requested.emit, tip("save"))
        self.editing.changed.connect(self._give_room)
        self.editing.copied.connect(self._take_over)
        self.editing.said.connect(self.say)
        self.editing.compare_requested.connect(self._compare_with)
        self.editing.ran.connect(lambda _: self.run_bar.set_busy(False))
        self.editing.typed.connect(self._tracing.cancel)  # its result would be out of date, and it slows the typing
        bind(self, {"edit": self.editing.begin, "compare": self._ask_comparison, "present": self.present})
        self.block_drag = BlockDrag(self, session)
        self.waves = label(role="muted")
        cast("QHBoxLayout", self.corners.layout()).insertWidget(1, self.waves)
        self.waves.hide()  # else the first picture would be narrower than the page before it
        self.stage_bar.options_changed.connect(self._show_waves)
        self.ready.connect(self._show_waves)
        self.ready.connect(self._compare_code)
        self._session.selection_changed.connect(self._compare_code)
        self.ready.connect(self._settle_state)
        self._show_source(session.recording)

    @property
    def busy(self) -> bool:
        """True while a trace is being made."""
        return self._tracing.busy

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        super().set_theme(theme)
        self.editing.set_theme(theme)
        self._give_room()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint; after the first time, begin to trace."""
        super().paintEvent(event)
        if self._tracing.held:
            QTimer.singleShot(0, self, self._begin_tracing)

    def _begin_tracing(self) -> None:
        """Trace what waits, for the size that the picture has now."""
        waits = self._tracing.held and self._tracing.busy
        if waits:
            self._tracing.cancel()
        self._tracing.release()
        if waits:
            self._run_again()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the card where there is room for it."""
        super().resizeEvent(event)
        self._give_room()

    def present(self) -> None:
        """Fill the screen with the picture, its caption and, on demand, the panes."""
        self.presentation.begin()

    def play_kernel(self, kernel: str) -> None:
        """Present a kernel of the catalogue, by its id, and play it from its beginning."""
        chosen = find_kernel(kernel)
        self._session.select(kernel=chosen, size=chosen.size, block=chosen.block)
        self.timeline.first()
        if self._tracing.busy:
            self.ready.connect(self.timeline.play, Qt.ConnectionType.SingleShotConnection)
        else:
            self.timeline.play()
        self.present()

    def lead_by(self, companion: Companion | None) -> None:
        """Let a panel, such as that of a lesson, have the presenter's remote and a place in presentations; or none."""
        self.presentation.companion = companion
        for shortcut in self._remote:
            shortcut.setEnabled(companion is None)

    @property
    def tools(self) -> tuple[QWidget, ...]:
        """Buttons for the window's bar."""
        return self.compare_button, self.present_button

    @property
    def menus(self) -> tuple[QMenu, ...]:
        """Menus for the window's menu."""
        return (self.export,)

    def show_state(self, state: StageState) -> None:
        """Select a launch and, when it is traced, show a moment of it; `ready` follows at the latest then."""
        kernel, again = state.kernel, self.stage_bar.schedule != state.schedule
        self._state = state
        self.stage_bar.set_schedule(state.schedule)
        self._session.play(kernel if isinstance(kernel, CustomLaunch) else None)
        if not isinstance(kernel, CustomLaunch) and not self.shows(state):  # an edit of the same kernel stays
            self._ordered_for = kernel.base, kernel.file
            known = any((other.base, other.file) == (kernel.base, kernel.file) for other in self._session.kernels)
            show = self._session.select if known else self._session.open
            show(kernel=kernel, size=state.size, block=state.block, fills=state.fills)
        if again and not self._tracing.busy:
            self._run_again()
        if not self._tracing.busy:
            self.ready.emit()

    def set_aside(self) -> ViewState:
        """Return the view that `put_back` shows again, for a lesson or an exercise that changes it."""
        from gui.explore.saved_page import ViewState  # with all that a session file needs

        return ViewState.of(self, self._session.selection.kernel)

    def put_back(self, view: ViewState) -> None:
        """Show a view again, with the launch that is shown now, and nothing in focus."""
        self._state = None  # of a step whose launch is still traced
        self._compared.cancel()
        if self.comparison is not None:
            self.stop_comparing()
        self.playback.let_go()
        self._show_history()
        view.apply(self)
        schedule = view.schedule_of(self._session.selection.kernel)
        if schedule != self.stage_bar.schedule:
            self.stage_bar.set_schedule(schedule)
            self._run_again()

    def shows(self, state: StageState) -> bool:
        """Return whether the selection is the launch of a state, or an edit of its kernel with the same shape."""
        return self._session.recording is None and self._is_of(state, self._session.selection)

    def _is_of(self, state: StageState, selection: Selection | None) -> bool:
        original = self.editing.original(selection) if selection is not None else None
        return state.shows(original or selection)

    def save_session(self, path: Path, title: str) -> None:
        """Write what is shown, and the title of the page that is shown; raises InputError."""
        from gui.explore.playback.session_file import write_session
        from gui.explore.saved_page import capture

        edited = self.editing.text if self.editing.active else None
        write_session(path, capture(self, self._session, title, edited))

    def open_session(self, path: Path) -> SavedSession:
        """Read a session, and show it; raises InputError, and what is shown stays."""
        from gui.explore.playback.session_file import read_session
        from gui.explore.saved_page import state_of

        saved = read_session(path)
        state = state_of(saved)
        self.editing.leave()
        if isinstance(state, UnreadSource):
            self._session.play(state)
            return saved
        if saved.source is not None and saved.source.edited:
            # When the run is there, or its error: the editor shows both.
            self.ready.connect(self.editing.begin, Qt.ConnectionType.SingleShotConnection)
        self.show_state(state)
        return saved

    def remember_choices(self, settings: Settings) -> None:
        """Restore the choices of the page, and save them as they change."""
        self.listing.recent.remember_in(settings)
        if panes := settings.text("explore/panes"):
            self.panes.show_only(pane for pane in PANES if pane in panes.split(","))
        self.panes.chosen.connect(lambda: self._remember_panes(settings))
        self.hints.remember_in(settings)
        if choice := settings.text("explore/motion"):
            self.motion.set_on(choice == "on")
        self.motion.changed.connect(lambda on: settings.remember("explore/motion", "on" if on else "off"))

    def _remember_panes(self, settings: Settings) -> None:
        """Save the panes that are shown, except those of a presentation."""
        if not self.presentation.active:
            settings.remember("explore/panes", ",".join(sorted(self.panes.shown)) or "none")

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop playing, presenting and tracing."""
        self.presentation.leave()
        self.timeline.pause()
        self._tracing.close()
        self._compared.close()
        self.editing.close()
        self.export.stop()
        super().closeEvent(event)

    # Presentation

    def _size_text(self) -> None:
        if self.presentation.active:
            self.presentation.size_text()
            self.presentation.share_width()
        else:
            super()._size_text()

    def _end_presentation(self) -> None:
        """Size and place what the presentation gave back; a comparison may have begun meanwhile."""
        self._show_panes()
        self._place_corners()
        self._size_text()
        if self.comparison is not None:
            self._split.setSizes(self._halves)
        self._show()  # the memory row says whether it has more cards than fit

    # Session

    def _select(self, selection: Selection) -> None:
        if self._session.recording is not None or self._session.scale != "picture":
            return
        if self._shown_selection is not None and _same_picture(selection, self._shown_selection):
            return
        kernel = selection.kernel
        self.editing.follow(kernel.file)
        if self._ordered_for != (kernel.base, kernel.file):
            self._ordered_for = kernel.base, kernel.file
            self.stage_bar.set_schedule(kernel.schedule)
        self._compared.cancel()
        self._shown_selection = selection
        self._begin(selection.kernel.flaw, ordered=selection.kernel.runs_on != "cpu")
        why = refusal(selection)
        if why:
            self._tracing.cancel()
            self.refuse(why, self._source())
            return
        self._trace(partial(story_of_selection, selection, progress=self._progress, schedule=self.stage_bar.schedule))

    def _show_source(self, recording: Recording | CustomLaunch | UnreadSource | None) -> None:
        """Show a recording or an error, or run a custom launch; without any, the selection."""
        if recording is None:
            self._select(self._session.selection)
            return
        self._shown_selection = None
        self.editing.follow(recording.file)
        if isinstance(recording, UnreadSource):
            self._begin("", ordered=False)
            self._tracing.cancel()
            self._failed(recording.error)
            return
        if isinstance(recording, CustomLaunch):
            self._begin("", ordered=True)
            schedule, architecture = self.stage_bar.schedule, self._session.selection.device.architecture
            run = partial(story_of_launch, progress=self._progress, schedule=schedule, architecture=architecture)
            self._trace(partial(run, recording))
            return
        self._begin(recording.kernel.flaw if recording.kernel else "", ordered=False)
        self._trace(partial(story_of_recording, recording, progress=self._progress))

    def _trace(self, make: Callable[[Callable[[], bool]], Story]) -> None:
        """Make a story in the worker thread, and all that its first picture needs."""
        picture = self.canvas.width(), self.canvas.height(), self.canvas.text_line
        recording, selection = self._session.recording, self._session.selection
        source = partial(_source_of, recording, selection)
        self._tracing.start(partial(prepared_story, make, source, picture, selection.device.arch))

    def _settle_state(self) -> None:
        """Show the moment of the state that was asked for, once."""
        state, story = self._state, self.story
        self._state = None
        if state is None or story is None or not self._is_of(state, story.selection):
            return
        if self.comparison is not None:
            self.stop_comparing()
        if state.every_statement is not None:
            self.stage_bar.set_every_statement(state.every_statement)
        self.stage_bar.follow(state.warp)
        chosen = replace(self.playback.chosen, zoom=state.zoom, colouring=state.colouring, reads=state.reads)
        self.stage_bar.blockSignals(True)  # the moment is painted once, with all options
        self.stage_bar.set_options(chosen)
        self.stage_bar.blockSignals(False)
        if state.panes is not None:
            self.panes.show_only(state.panes)
        self._show_waves()
        try:
            frame, focus = state.find(story.stage.trace)
            self.show_moment(frame.block, frame.step, focus)
            if state.lead and state.compared is None:
                self.timeline.arrive(self.timeline.position, state.lead)
        except TilescopeError as error:  # the source was edited
            self._show()
            self.say(error.titled)
        if state.compared is not None and story.selection is not None:
            kernel, size, block = state.compared
            self._compare_with(replace(story.selection, kernel=kernel, size=size, block=block))

    def _begin(self, flaw: str, *, ordered: bool) -> None:
        """Stop playing; `ordered` says that the order of warps and blocks can be chosen."""
        self.timeline.pause()
        self._progress = Progress()
        self.stage_bar.set_ordered(ordered=ordered)
        self.lesson.setText(f"⚠ Lesson, wrong on purpose: {flaw}")
        self.lesson.setVisible(bool(flaw))

    def _run_again(self) -> None:
        """Run the selection in the chosen order, or read the recording again."""
        self._shown_selection = None
        self._show_source(self._session.recording)

    def _show_waves(self) -> None:
        """Say in the picture of the whole grid how the selected device schedules its blocks."""
        shown = self.playback.selection
        words = ""
        if shown is not None and self.options.zoom == "grid" and shown.kernel.runs_on == "cuda":
            try:
                found = occupancy_of(shown.kernel, shown.size, shown.block, shown.device, shipped_resources)
                blocks = shown.kernel.launch(shown.size, shown.block).grid.count
                words = waves_words(found, blocks)
                self.waves.setToolTip(waves_details(found, blocks))
            except TilescopeError:  # no register counts are shipped for a file of the user
                words = ""
        self.waves.setText(words)
        self.waves.setVisible(bool(words))

    def _compare_code(self) -> None:
        """Say whether the selected device runs other lines of the source than those in the picture."""
        story, words = self.story, ""
        if story is not None and not story.stage.on_cpu:
            words = other_lines_words(source_of(story), self._session.selection.device.arch)
        self.side.say_other_code(words)

    # Comparison

    def _ask_comparison(self) -> None:
        """Offer the launches to compare with, or end the comparison."""
        if self.comparison is not None:
            self.stop_comparing()
            return
        shown = self.playback.selection
        launches: list[Comparable] = []
        if shown is not None:
            if (original := self.editing.original(shown)) is not None:
                launches.append(Comparable("Edit", "The original", original))
            elif (before := self.playback.before_edit) is not None and before.selection is not None:
                launches.append(Comparable("Edit", "Before the edit", before.selection))
            launches += comparables(shown, self._session.kernels)
        self.compare_menu.offer(launches, "Nothing of the same workload and size can be compared with this.")
        corner = self.compare_button.rect().bottomLeft()
        self.compare_menu.popup(self.compare_button.mapToGlobal(corner))

    def _compare_with(self, selection: Selection) -> None:
        self.timeline.pause()
        before = self.playback.before_edit
        if before is not None and selection is before.selection:
            self._show_compared(before)
        else:
            self._compared.start(partial(story_of_selection, selection, schedule=self.stage_bar.schedule))

    def _compare_without(self, text: str, line: int) -> None:
        """Compare with the same launch of a text that lacks a line."""
        shown = self.playback.selection
        if shown is not None:
            title = f"{shown.kernel.title} without line {line}"
            self._compare_with(replace(shown, kernel=replace(shown.kernel, source=text, title=title)))
        else:
            self.say("Only a source with a launch comment can be compared with another text.")

    def _show_compared(self, other: Story) -> None:
        own = self.playback.selection
        if own is not None and other.selection is not None:
            self.compare(other, launch_title(own, other.selection), launch_title(other.selection, own))

    def stop_comparing(self) -> None:
        """Show this story alone, and the text that is edited with the focus."""
        super().stop_comparing()
        if self.editing.active:
            self.listing.area.setFocus()

    def _take_over(self, before: Selection, copy: Selection) -> None:
        """Show the story of a selection as that of its copy, without a run."""
        shown = self.playback.selection
        if shown is not None and before == replace(shown, device=before.device) and not self.busy:
            self.playback.take_over(copy)
            self._shown_selection, self._ordered_for = copy, (copy.kernel.base, copy.kernel.file)
            self.lesson.hide()

    def _give_room(self) -> None:
        """Hide the card while a text is edited on a screen that has no room for both."""
        if self.editing.active:
            self.panes.open("code")
        roomy = not self.editing.active or self.height() >= _LINES_FOR_CARD * self.fontMetrics().height()
        shown = roomy and "thread" in self.panes.shown
        if shown == self.inspector.isHidden():
            self.inspector.setVisible(shown)
            self._show()

    # Tracing

    def _show_traced(self, story: Story) -> None:
        """Show a story, unless it is that of an edited text in which nothing is executed."""
        if self.editing.active and not len(story.statements):
            self._failed(InputError(story.stage.trace.stopped or "No statement is executed: there is nothing to show."))
            return
        self.playback.add_traced(story, editing=self.editing.active)
        self.editing.show_story(story)
        self.show_story(story, edited=self.editing.active, keep=self.block_drag.frame_in(story))

    def _say_progress(self, seconds: float) -> None:
        if self.block_drag.active and self.story is not None:
            self.run_bar.set_busy(True)  # the picture stays until that of the next block is ready
            return
        if self.editing.active and self.story is not None:
            self.run_bar.set_busy(True)
            self.listing.say(self._progress.words(seconds))
            return
        self.wait(self._progress.words(seconds), self._source(), self._progress.part)

    def _cancel(self) -> None:
        self._tracing.cancel()
        self._failed(TilescopeError("Cancelled. Try a smaller size; the kernel may contain an infinite loop."))
        self.run_bar.set_busy(False, cancelled=True)

    def _failed(self, error: TilescopeError) -> None:
        if self.editing.fail(error):
            self.run_bar.set_busy(False)
            return
        self.refuse(error.titled, self._source())
        if isinstance(error, SourceError):
            self.code.show_step(Span(error.line, error.column, error.line, error.column + 1))
        self.ready.emit()

    def _source(self) -> Listing:
        """Return the source to list when there is no picture."""
        return _source_of(self._session.recording, self._session.selection)


def _same_picture(selection: Selection, shown: Selection) -> bool:
    """Return whether two selections differ in nothing but devices that run the same code."""
    kernel = selection.kernel
    if replace(selection, device=shown.device) != shown:
        return False
    if selection.device.arch == shown.device.arch or kernel.file is None:
        return True
    macros = shown.architecture.among(kernel.defines(selection.size, selection.block))
    return not other_lines(Source(kernel.text, kernel.file.name, macros, kernel.file.parent), selection.device.arch)


def _source_of(recording: Recording | CustomLaunch | UnreadSource | None, selection: Selection) -> Listing:
    """Return the source of a recording or launch, or of the selection without one; the latest ones are kept."""
    kernel = selection.kernel
    if isinstance(recording, UnreadSource):
        return Listing(recording.text)
    if recording is not None and not isinstance(recording, CustomLaunch):
        return listing(recording.trace)
    try:
        if recording is not None:
            from kernels.custom_launch.run import defines_of  # with the simulator

            return listing_of(recording.text, recording.file.name, defines_of(recording, selection.device.architecture))
        if kernel.file is None:
            return NO_SOURCE
        macros = selection.architecture.among(kernel.defines(selection.size, selection.block))
        return listing_of(kernel.text, kernel.file.name, macros)
    except TilescopeError:  # a mistake in the macros, which the run reports
        return Listing(recording.text if recording is not None else kernel.text)
