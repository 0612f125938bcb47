"""Editing: the text that is typed is written to its file and run again after each pause."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QFileDialog

from gui.explore.code.draft import Outcome, copy_kernel, draft_of_file, draft_of_text, drafts_folder, with_entry
from gui.explore.code.line_map import without_footer
from gui.explore.code.veil import Veil
from gui.selection.unread_source import UnreadSource
from kernels import RESOURCES
from kernels.catalog import FOOTER, catalog, kernel_of, read_kernel, read_source
from kernels.custom_launch.model import CustomLaunch
from kernels.errors import InputError, TilescopeError
from kernels.files import write_text

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from gui.explore.code.draft import Draft
    from gui.explore.code.panel import EditorPanel
    from gui.explore.playback.playback import Playback
    from gui.explore.playback.story import Story
    from gui.selection.session import Selection, Session
    from gui.theming.theme import Theme
    from kernels.bench.sample import Entry
    from kernels.catalog import Kernel

PAUSE_MS: Final = 150
"""Milliseconds without a key after which the text is run."""


class Editing(QObject):
    """Connects the panel, the draft and the session.

    Signals
    -------
    ran(Outcome)
        A run of the edited text has ended.
    compare_requested(Selection)
        The launch of the original is to be shown beside that of the text.
    copied(Selection, Selection)
        A selection has a copy with the same code, whose story is the same.
    said(str)
        Why something is impossible.
    typed()
        The text was changed: what runs now is out of date.
    changed()
        Editing has begun or ended, or another file is edited.
    """

    ran = Signal(object)
    compare_requested = Signal(object)
    copied = Signal(object, object)
    said = Signal(str)
    typed = Signal()
    changed = Signal()

    def __init__(self, session: Session, panel: EditorPanel, playback: Playback, veiled: tuple[QWidget, ...]) -> None:
        super().__init__(panel)
        self._session, self.panel, self._playback = session, panel, playback
        self._draft: Draft | None = None
        self._saved = ""
        """Text of the file as it was written or read last."""
        self._typed_since = False
        """True if the text was changed since the last run of it began."""
        self._failed = False
        """True if the last run of the text ended with an error."""
        self._note = ""
        """What was done to the text, said until it is typed again."""
        self._veils = [Veil(panel.area.theme, part) for part in veiled]
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.run)
        panel.area.edited.connect(self._typed)
        panel.edit_requested.connect(self.begin)
        panel.leave_requested.connect(self.finish)
        panel.save_requested.connect(self._ask_save_as)
        session.file_state_changed.connect(lambda state: panel.show_gone(gone=state == "gone"))
        area, find_bar = panel.area, panel.find_bar
        panel.add_action("Find…", "find", partial(find_bar.open, replacing=False))
        panel.add_action("Find and replace…", "replace", partial(find_bar.open, replacing=True))
        panel.add_action("Comment out or in", "comment", area.toggle_comment)
        panel.add_action("Complete the word", "complete", area.completion.open)
        panel.add_action("Go to the error", "error", area.go_to_error)
        panel.menu.addSeparator()
        panel.add_action("Revert to the original", "revert", self.revert)
        panel.add_action("Compare with the original", "compare_original", self.compare)
        panel.add_action("Measure beside the original", "measure", self.measure)
        panel.menu.addSeparator()
        panel.add_action("Save as…", "save_as", self._ask_save_as)
        panel.menu.addMenu(panel.recent)
        panel.recent.chosen.connect(session.file_requested)
        self._follow(None)

    # --- what pages and lessons use ------------------------------------------------------------------------

    @property
    def active(self) -> bool:
        """True while a text is edited."""
        return self._draft is not None

    @property
    def draft(self) -> Draft | None:
        """File that is edited, and its original."""
        return self._draft

    @property
    def text(self) -> str:
        """Text as it is now, run or not."""
        return self.panel.area.text

    def original(self, selection: Selection) -> Selection | None:
        """Return the launch of the original with the size, block and options of a selection; None without one."""
        if self._draft is None:
            return None
        try:
            kernel = kernel_of(self._draft.original, self._draft.original_text).choose(**selection.kernel.chosen)
        except TilescopeError:
            return None
        return replace(selection, kernel=kernel, revision=-1)

    def begin(self) -> None:
        """Edit what is shown: a copy of a kernel of the list, or the user's own file."""
        if self.active:
            self.panel.area.setFocus()
            return
        try:
            self._begin(*self._draft_of_shown())
        except TilescopeError as error:
            self.said.emit(error.titled)

    def open_text(self, name: str, text: str) -> None:
        """Edit a text with a launch comment, as a file of this name among the user's edits; raises TilescopeError."""
        self.leave()
        draft = draft_of_text(name, text)
        self._session.open(kernel_of(draft.file, text))
        self._begin(draft, text)

    def finish(self) -> None:
        """Run what was typed last, and show the listing again; a text with an error is shown with it."""
        if self._pause.isActive():
            self.run()
        failed, draft = self._failed, self._draft
        self.leave()
        if failed and draft is not None:
            try:
                self._run_text(draft.file, self._saved)
            except TilescopeError as error:
                self._session.play(UnreadSource(draft.file, self._saved, error))

    def leave(self) -> None:
        """Show the listing again; the text stays in its file."""
        if self._draft is None:
            return
        self._keep()
        self._draft, self._failed = None, False
        self._pause.stop()
        self._unveil()
        self.panel.show_listing()
        self._follow(self._shown_file)
        self.changed.emit()

    def revert(self) -> None:
        """Return to the original text, as one edit that can be undone."""
        if self._draft is not None:
            self.panel.area.replace_text(_like(self._draft.original_text, self.text))
            self._say("This is the original text again. Undo (Ctrl+Z) brings yours back.")
            self.run()

    def compare(self) -> None:
        """Show the original beside the last text that ran."""
        shown = self._playback.selection
        original = self.original(shown) if shown is not None else None
        if original is not None:
            self.compare_requested.emit(original)
        else:
            self._say("Only a source with a launch comment can be compared with its original.")

    def measure(self) -> None:
        """Show the Benchmark page with the text and its original checked, or with the launch of another file."""
        from kernels.bench.plan import entries  # not for the window's first picture

        selection = self._session.selection
        if self._draft is None:
            return
        self.run()
        original = self.original(selection) if self._session.recording is None else None
        curves: tuple[Entry, ...] = ()
        try:
            if original is not None:
                curves = sum((entries(each.kernel, [selection.block]) for each in (selection, original)), ())
        except TilescopeError as error:
            self._say(error.titled)
            return
        if original is not None and not _is_listed(original.kernel):
            self._session.add(replace(original.kernel, title=f"{original.kernel.title} (original)"))
        self._session.measurement_requested.emit(curves)

    def save_as(self, file: Path) -> None:
        """Write the text to another file, and show or edit that one from now on; raises TilescopeError."""
        draft, selection = self._draft, self._session.selection
        if draft is None:
            self._save_shown(file)
            return
        text, shown = self.text, self._session.recording
        if shown is None:
            text = with_entry(text, selection.kernel.entry)
        write_text(file, text)
        self._draft, self._saved = replace(draft, file=file, newline="\n"), text
        self._session.written = file, text
        self._session.set_file_state("as on disk")
        self._failed = False  # it runs again, or is what ran last
        self._unveil()
        self.panel.area.clear_error()
        self.panel.recent.add(file)
        self.panel.area.replace_text(text)
        self._pause.stop()
        self._typed_since = False
        if isinstance(shown, CustomLaunch):
            self._session.play(replace(shown, file=file, text=text))
        elif shown is None:
            self._select(kernel_of(file, text), selection)
        self.panel.show_file(file, own=True)
        self._say(f"Saved as {file}")
        self.changed.emit()

    # --- what the page reports -----------------------------------------------------------------------------

    def follow(self, file: Path | None) -> None:
        """Follow the page to a file: leave if it is another one, and take in what was changed outside."""
        if self._draft is not None and file != self._draft.file:
            self.leave()
        elif self._draft is not None:
            self._take_outside_change()
        self._follow(file)

    def show_story(self, story: Story) -> None:
        """Mark steps and counts of a new run in the text."""
        self.panel.area.show_ran(story.stage.trace.text)
        if self._draft is None:
            return
        self._failed = False
        self._unveil()
        outcome = Outcome(self._draft.file, story.stage.trace.text)
        self.panel.show_outcome(outcome)
        self.panel.say(self._note or "It runs, and is saved, after each pause.")
        self.ran.emit(outcome)

    def fail(self, error: TilescopeError) -> bool:
        """Show the error of a run; return whether the last picture stays."""
        if self._draft is None:
            return False
        self._failed = True
        outcome = Outcome(self._draft.file, self._saved, error)
        self.panel.show_outcome(outcome)
        kept = self._playback.story is not None
        if kept:
            where = f"line {outcome.place[0]}" if outcome.place is not None else "it"
            for number, veil in enumerate(self._veils):
                veil.dim(f"The last text that ran. Now {where} has an error." if number == 0 else "")
        self.ran.emit(outcome)
        return kept

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self.panel.set_theme(theme)
        for veil in self._veils:
            veil.set_theme(theme)

    def close(self) -> None:
        """Write what was typed, and stop."""
        self._keep()
        self._pause.stop()

    # --- inside ----------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Write the text, and run it if it was typed since the last run began."""
        self._pause.stop()
        if self._draft is None or self._take_outside_change() or not self._typed_since:
            return
        text, self._typed_since = self.text, False
        try:
            self._write()
        except InputError as error:  # the text runs all the same
            self._say(f"This is not saved: {error}")
        try:
            self._run_text(self._draft.file, text)
        except TilescopeError as error:
            self.fail(error)

    def _save_shown(self, file: Path) -> None:
        """Write the text that is shown, and not edited, to a file, and show that one."""
        selection, shown = self._session.selection, self._session.recording
        text = selection.kernel.text if shown is None else shown.text
        if shown is None and file != selection.kernel.file:
            text = with_entry(text, selection.kernel.entry)
        write_text(file, text)
        self._session.written = file, text
        if isinstance(shown, CustomLaunch | UnreadSource):
            self._session.play(replace(shown, file=file))
        elif shown is None:
            self._select(kernel_of(file, text), selection)
        self._session.set_file_state("as on disk")

    def _run_text(self, file: Path, text: str) -> None:
        """Run a text; one that could not be read at first is read again when its file changes."""
        shown = self._session.recording
        if isinstance(shown, CustomLaunch):
            self._session.play(replace(shown, text=text))
        elif shown is None:
            self._session.reread(kernel_of(file, text))

    def _typed(self) -> None:
        self._note = ""
        if self._draft is not None:
            self._typed_since = True
            self._pause.start()
            self.typed.emit()

    def _say(self, words: str) -> None:
        self._note = words
        self.panel.say(words)

    def _write(self) -> None:
        """Write the text if it has changed; raises InputError when that is impossible."""
        text = self.text
        if self._draft is None or text == self._saved:
            return
        if self._draft.file.is_file():
            read_source(self._draft.file)  # what is no source is not replaced
        if not isinstance(self._session.recording, UnreadSource):  # that is read again to find what it launches
            self._session.written = self._draft.file, text
        self._draft.write(text)
        self._saved = text

    def _keep(self) -> None:
        """Write what was typed last before the text is left."""
        try:
            self._write()
        except InputError as error:
            self.said.emit(str(error))

    def _take_outside_change(self) -> bool:
        """Show a text that another program has written, as an edit that can be undone; return whether there is one."""
        draft = self._draft
        try:
            if draft is None or (outside := read_source(draft.file)) == self._saved:
                return False
        except InputError:  # it was deleted: the next pause writes it again
            return False
        self._saved = outside
        self.panel.area.replace_text(outside)
        self._pause.stop()
        self._typed_since = False
        self._say(f"{draft.file.name} was changed outside: its text is shown. Undo (Ctrl+Z) brings yours back.")
        return True

    def _draft_of_shown(self) -> tuple[Draft, str]:
        shown, selection = self._session.recording, self._session.selection
        if isinstance(shown, CustomLaunch | UnreadSource):
            draft = draft_of_file(shown.file, shown.text)
            if draft.file != shown.file:
                self._session.play(replace(shown, file=draft.file))
            return draft, shown.text
        if shown is not None:
            raise InputError("A recording cannot be edited: choose its kernel in the list, or open its source")
        kernel = selection.kernel
        if kernel.file is None:
            raise InputError(f"“{kernel.title}” has no CUDA source that could be edited: choose a kernel with one")
        if not _is_listed(kernel):
            draft = draft_of_file(kernel.file, kernel.text)
            if draft.file == kernel.file:
                return draft, kernel.text
        else:
            draft = copy_kernel(kernel, drafts_folder())
        text = read_source(draft.file)
        self._select(read_kernel(draft.file), selection)
        return draft, text

    def _select(self, copy: Kernel, before: Selection) -> None:
        """Select a copy of the selected kernel with its size, block and options, and keep the picture of its code."""
        kernel = copy.choose(**before.kernel.chosen)
        story = self._playback.story
        if story is not None and without_footer(story.stage.trace.text) == without_footer(kernel.text):
            self.copied.emit(before, replace(before, kernel=kernel, revision=0))
        self._session.open(kernel, size=before.size, block=before.block)

    def _begin(self, draft: Draft, text: str) -> None:
        area = self.panel.area
        self._saved, self._typed_since = text, False
        self._draft = None  # what is put in here is not typed
        area.open(text)
        self._draft = draft
        if self._playback.story is not None:
            area.show_ran(self._playback.story.stage.trace.text)
        self.panel.show_file(draft.file, own=True)
        self.panel.recent.add(draft.file)
        self.panel.show_editor()
        area.go_to_line(area.executing_line)
        self.panel.say(f"Type: it runs, and is saved in {draft.file}, after each pause.")
        if isinstance(self._session.recording, UnreadSource):
            self.fail(self._session.recording.error)
        self.changed.emit()

    @property
    def _shown_file(self) -> Path | None:
        shown = self._session.recording
        return self._session.selection.kernel.file if shown is None else shown.file

    def _follow(self, file: Path | None) -> None:
        listed = self._session.recording is None and _is_listed(self._session.selection.kernel)
        self.panel.show_file(file, own=not listed)

    def _unveil(self) -> None:
        for veil in self._veils:
            veil.hide()

    def _ask_save_as(self) -> None:
        file = self._shown_file
        if self._draft is None and (self._session.file_state != "gone" or file is None):
            return
        name = self._draft.file.name if self._draft is not None else str(file)
        chosen, _ = QFileDialog.getSaveFileName(self.panel, "Save the text as", name, "CUDA sources (*.cu)")
        if chosen:
            try:
                self.save_as(Path(chosen).with_suffix(".cu").resolve())
            except TilescopeError as error:
                self.said.emit(str(error))
                self.panel.say(str(error))


def _is_listed(kernel: Kernel) -> bool:
    """Return whether a kernel comes with tilescope: its file is not edited."""
    if kernel.file is not None and RESOURCES in kernel.file.parents:
        return True
    return any((kernel.base, kernel.file) == (known.id, known.file) for known in catalog())


def _like(original: str, edited: str) -> str:
    """Return the code of the original with the launch comment of the edited text, whose file has another name."""
    _, mark, footer = edited.rpartition(FOOTER)
    code, original_mark, _ = original.rpartition(FOOTER)
    return code + mark + footer if mark and original_mark else original
