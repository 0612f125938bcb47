"""State of the Explore page: captured for a session file, or while a lesson changes it, and shown again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gui.explore.code.draft import drafts_folder
from gui.explore.playback.session_file import Launch, SavedSession, Source
from gui.explore.playback.stage_state import PANES, StageState
from gui.selection.recording import Recording
from gui.selection.shapes import Shape, is_legal
from gui.selection.unread_source import UnreadSource
from kernels.analysis import Frame
from kernels.catalog import catalog, find_kernel, read_source, unknown_kernel
from kernels.custom_launch.model import CustomLaunch
from kernels.errors import InputError, TilescopeError
from kernels.files import write_text
from kernels.fill import Fills

if TYPE_CHECKING:
    from gui.explore.playback.stage_state import Pane
    from gui.explore.player import Player
    from gui.explore.stage.focus import Focus
    from gui.explore.stage.scene import Options
    from gui.explore.timeline.marks import Stride
    from gui.selection.session import Selection, Session
    from kernels.catalog import Kernel
    from kernels.launch import Dim3
    from kernels.trace import Trace
    from kernels.workload import Size


@dataclass(frozen=True, slots=True)
class ViewState:
    """Everything about the page's picture but its launch, its step and what is in focus.

    A lesson belongs to its launches, so these stay when it is left; how they are shown belongs to the viewer.
    """

    options: Options
    """Zoom, colours, heat map, and the warp that is played alone."""
    every_statement: bool | None
    """Detail that the user has chosen; None if each launch has its own."""
    ordered: tuple[Kernel, str]
    """Kernel, and the order of its warps and blocks; another kernel has its own."""
    panes: frozenset[Pane]
    speed: float
    stride: Stride

    @classmethod
    def of(cls, player: Player, kernel: Kernel) -> ViewState:
        """Return the view of a player in which a kernel is selected."""
        playback, timeline = player.playback, player.timeline
        return cls(
            playback.chosen,
            playback.chosen_detail,
            (kernel, player.stage_bar.schedule),
            player.panes.shown,
            timeline.speed,
            timeline.stride,
        )

    def schedule_of(self, kernel: Kernel) -> str:
        """Return the order of warps and blocks in which a kernel is shown."""
        found, schedule = self.ordered
        return schedule if (found.base, found.file) == (kernel.base, kernel.file) else kernel.schedule

    def apply(self, player: Player) -> None:
        """Show this view, except for the order, which takes another run; what the launch lacks is left out."""
        bar, story, warps, warp = player.stage_bar, player.story, player.playback.warps, self.options.warp
        bar.choose_detail(self.every_statement, proposed=story is not None and story.is_short)
        bar.follow(warp if warp is not None and warp < warps else None)
        bar.blockSignals(True)  # the picture is painted once, in any case
        bar.set_options(self.options)
        bar.blockSignals(False)
        bar.options_changed.emit()
        player.panes.show_only(self.panes)
        player.timeline.set_speed(self.speed)
        player.timeline.set_stride(self.stride)


def capture(player: Player, session: Session, title: str, edited: str | None) -> SavedSession:
    """Return what the Explore page shows, with the text that is edited there, and the window's page of a title.

    Raises
    ------
    InputError
        When it shows a recording, which is saved as a trace.
    """
    shown = session.recording
    if isinstance(shown, Recording):
        raise InputError(
            "A recording is not part of a session: Export ▸ Save trace… saves it, and Open… shows it again"
        )
    selection = session.at_scale("picture")
    playback, options = player.playback, player.options
    comparison = playback.comparison.other.selection if playback.comparison is not None else None
    listed = comparison is not None and _is_listed(comparison.kernel)
    return SavedSession(
        page=title,
        device=selection.device.id,
        launch=_launch(selection),
        source=_source(selection.kernel, shown, edited),
        order=player.stage_bar.schedule,
        every_statement=playback.every_statement,
        frame=playback.frame,
        focus=playback.clicked,
        zoom=options.zoom,
        colouring=options.colouring,
        reads=options.reads,
        warp=options.warp,
        panes=tuple(pane for pane in PANES if pane in player.panes.shown),
        compared=_launch(comparison) if comparison is not None and listed else None,
        measured=_launch(session.selection) if session.scale != "picture" else None,
    )


def state_of(saved: SavedSession) -> StageState | UnreadSource:
    """Return the state of the page in a session, or its source if that cannot be read.

    Raises
    ------
    InputError
        When its kernel or its launch is not known here.
    """
    launch = saved.launch
    kernel = _kernel(saved)
    if isinstance(kernel, UnreadSource):
        return kernel
    if not isinstance(kernel, CustomLaunch) and not is_legal(kernel, Shape(launch.size, launch.block)):
        raise InputError(
            f"The session cannot be shown: “{kernel.title}” has no launch of size {launch.size} "
            f"in blocks of {launch.block}"
        )
    return StageState(
        kernel,
        launch.size,
        launch.block,
        saved.order,
        partial(_moment, saved),
        saved.zoom,
        saved.colouring,
        saved.reads,
        fills=Fills.parse(launch.fills) if launch.fills else None,
        compared=_compared(saved),
        every_statement=saved.every_statement,
        warp=saved.warp,
        panes=frozenset(saved.panes) if saved.panes is not None else None,
    )


def _moment(saved: SavedSession, trace: Trace) -> tuple[Frame, Focus]:
    """Return the moment and what was clicked; raises InputError where the run has no such thread or element."""
    focus, arrays = saved.focus, trace.arrays
    known = focus.lane < trace.launch.grid.count * trace.launch.block.count and focus.array < len(arrays)
    if not known or (focus.array >= 0 and not 0 <= focus.index < arrays[focus.array].size):
        raise InputError("The thread or element that the session selects does not exist in this run")
    return saved.frame or Frame(0, -1), focus


def _launch(selection: Selection) -> Launch:
    kernel = selection.kernel
    name, fills = kernel.id if _is_listed(kernel) else kernel.suffix, selection.fills
    return Launch(name, selection.size, selection.block, str(fills) if fills is not None else "")


def _is_listed(kernel: Kernel) -> bool:
    return any((kernel.base, kernel.file) == (known.id, known.file) for known in catalog())


def _source(kernel: Kernel, shown: CustomLaunch | UnreadSource | None, edited: str | None) -> Source | None:
    """Return the user's text that is shown or edited, if it is one."""
    file, settings = kernel.file, ""
    if shown is not None:
        file, settings = shown.file, shown.settings if isinstance(shown, CustomLaunch) else ""
    elif _is_listed(kernel):
        return None
    if file is None:
        return None
    text = edited if edited is not None else shown.text if shown is not None else kernel.text
    rules = file.with_suffix(".toml")
    return Source(file.name, text, read_source(rules) if rules.is_file() else "", settings, edited is not None)


def _kernel(saved: SavedSession) -> Kernel | CustomLaunch | UnreadSource:
    """Return the kernel of a session; a text that cannot be read is returned with its error."""
    source, name = saved.source, saved.launch.kernel
    if source is None:
        return _listed(name)
    file = _file_of(source)
    try:
        if source.launch:
            return CustomLaunch.of_settings(file, source.text, source.launch)
        return find_kernel(f"{file}{name}")
    except TilescopeError as error:
        return UnreadSource(file, source.text, error)


def _listed(name: str) -> Kernel:
    if name.partition(":")[0] not in {kernel.id for kernel in catalog()}:
        raise unknown_kernel(name, catalog())
    return find_kernel(name)


def _compared(saved: SavedSession) -> tuple[Kernel, Size, Dim3] | None:
    launch = saved.compared
    return (_listed(launch.kernel), launch.size, launch.block) if launch is not None else None


def _file_of(source: Source) -> Path:
    """Return a file with the text of a session among the user's edits; a file with another text is not replaced."""
    folder, stem = drafts_folder(), Path(source.name).stem
    number, file = 1, folder / source.name
    while file.exists():
        if _text_of(file) == source.text and _text_of(file.with_suffix(".toml")) == source.rules:
            return file
        number += 1
        file = folder / f"{stem}_{number}.cu"
    write_text(file, source.text)
    if source.rules:
        write_text(file.with_suffix(".toml"), source.rules)
    return file


def _text_of(file: Path) -> str:
    try:
        return read_source(file) if file.is_file() else ""
    except InputError:
        return ""
