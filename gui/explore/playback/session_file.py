"""Session file: what the window shows, as JSON. Data only; a text of the user is in it, a run is not."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args

from gui.explore.playback.stage_state import ORDERS, PANES, Pane
from gui.explore.stage.focus import NOTHING, Focus, Kind
from gui.explore.stage.scene import Colouring, Zoom
from kernels.analysis import Frame
from kernels.errors import InputError
from kernels.files import write_text
from kernels.fill import Fills
from kernels.launch import Dim3
from kernels.toml_fields import Fields
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Callable

Value = TypeVar("Value")

_FORMAT: Final = "tilescope session"
_VERSION: Final = 1

_MOST_BYTES: Final = 8_000_000
"""Size of a file from which on it is no session: a session has one source and some numbers."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel of the list, or of the text, with its size and block."""

    kernel: str
    """Name and options as `find_kernel` takes them; of a kernel in a text only the options."""
    size: Size
    block: Dim3
    fills: str = ""
    """Inputs, as on the command line; empty for the usual ones."""


@dataclass(frozen=True, slots=True)
class Source:
    """A text of the user."""

    name: str
    """Name of its file, without a folder."""
    text: str
    rules: str = ""
    """Table of blocks beside it, if there is one."""
    launch: str = ""
    """`CustomLaunch.settings`, if the file does not say how it is launched."""
    edited: bool = False
    """True if it is shown in the editor."""


@dataclass(frozen=True, slots=True)
class SavedSession:
    """What the window shows."""

    page: str
    """Title of the page that is shown."""
    device: str
    """Id of the selected device; empty for a GPU that is not in the device table."""
    launch: Launch
    """Launch on the Explore page."""
    source: Source | None = None
    order: str = "lockstep"
    """Order of warps and blocks, as the simulator calls it."""
    every_statement: bool = False
    frame: Frame | None = None
    """Moment that is shown; None if there is no picture."""
    focus: Focus = NOTHING
    """What was clicked."""
    zoom: Zoom = "block"
    colouring: Colouring = "block"
    reads: bool = False
    warp: int | None = None
    panes: tuple[Pane, ...] | None = None
    """Panes that are shown; None as on the page."""
    compared: Launch | None = None
    """Launch that is shown beside it."""
    measured: Launch | None = None
    """Launch on a page that shows larger sizes."""

    @property
    def shape(self) -> tuple[Size, Dim3] | None:
        """Size and block on a page with larger sizes, if one was shown."""
        return (self.measured.size, self.measured.block) if self.measured is not None else None


def write_session(path: Path, saved: SavedSession) -> None:
    """Write a session; raises InputError when that is impossible."""
    data = {"format": _FORMAT, "version": _VERSION, **_plain(asdict(saved))}
    write_text(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def read_session(path: Path) -> SavedSession:
    """Read a session.

    Raises
    ------
    InputError
        In one line, when the file cannot be read, or is no session.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InputError(f"{path}: is too large for a session; Export ▸ Save session… writes one")
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:  # a wrong encoding is a ValueError, too
        raise InputError(f"{path}: is no session: it is not JSON; Export ▸ Save session… writes one") from error
    if not isinstance(data, dict) or data.get("format") != _FORMAT:
        raise InputError(f"{path}: is no session; Export ▸ Save session… writes one")
    if data.get("version") != _VERSION:
        raise InputError(f"{path}: was written by another version of tilescope, which this one cannot read")
    return _session(
        Fields({name: value for name, value in data.items() if name not in ("format", "version")}, str(path))
    )


def _plain(data: dict[str, Any]) -> dict[str, Any]:
    """Write sizes as texts, as on the command line, and leave out what is not set."""
    found: dict[str, Any] = {}
    for name, value in data.items():
        if isinstance(value, dict):
            found[name] = _plain(value)
        elif isinstance(value, Frame):
            found[name] = value._asdict()
        elif isinstance(value, tuple):
            found[name] = ",".join(map(str, value)) or "none"
        elif value not in (None, ""):
            found[name] = value
    return found


def _session(fields: Fields) -> SavedSession:
    saved = SavedSession(
        page=fields.text("page"),
        device=fields.words("device"),
        launch=_launch(fields.table("launch")),
        source=_optional(fields, "source", _source),
        order=fields.one_of("order", tuple(order.schedule for order in ORDERS)),
        every_statement=fields.flag("every_statement", default=False),
        frame=_optional(fields, "frame", _frame),
        focus=_optional(fields, "focus", _focus) or NOTHING,
        zoom=fields.one_of("zoom", get_args(Zoom)),
        colouring=fields.one_of("colouring", get_args(Colouring)),
        reads=fields.flag("reads", default=False),
        warp=fields.whole_number("warp") if "warp" in fields.names else None,
        panes=_panes(fields),
        compared=_optional(fields, "compared", _launch),
        measured=_optional(fields, "measured", _launch),
    )
    fields.refuse_unknown()
    return saved


def _panes(fields: Fields) -> tuple[Pane, ...] | None:
    """Return the panes that are shown; earlier versions wrote only whether the memory row was folded."""
    if "memory_folded" in fields.names:
        return ("code",) if fields.flag("memory_folded", default=False) else ("code", "memory")
    if "panes" not in fields.names:
        return None
    words = fields.words("panes").split(",")
    if unknown := set(words) - {*PANES, "none"}:
        raise fields.refuse("panes", f"has no pane “{min(unknown)}”: there are {', '.join(PANES)}")
    return tuple(pane for pane in PANES if pane in words)


def _optional(fields: Fields, name: str, read: Callable[[Fields], Value]) -> Value | None:
    return read(fields.table(name)) if name in fields.names else None


def _launch(fields: Fields) -> Launch:
    size, block = fields.parsed("size", Size.parse), fields.parsed("block", Dim3.parse)
    fills = fields.parsed("fills", lambda text: str(Fills.parse(text)), "")
    if ".npy" in fills:
        raise fields.refuse("fills", "must not name a file: a session reads no other file")
    return Launch(fields.words("kernel"), size, block, fills)


def _source(fields: Fields) -> Source:
    name = fields.text("name")
    if Path(name).name != name or not name.endswith(".cu") or name.startswith(".") or not name.isprintable():
        raise fields.refuse("name", "must be the name of a .cu file, without a folder")
    edited = fields.flag("edited", default=False)
    return Source(name, fields.text("text"), fields.text("rules", ""), fields.text("launch", ""), edited)


def _frame(fields: Fields) -> Frame:
    return Frame(fields.whole_number("block"), fields.whole_number("step"))


def _focus(fields: Fields) -> Focus:
    numbers = (fields.integer(name, -1) for name in ("lane", "array", "index", "line"))
    return Focus(fields.one_of("kind", get_args(Kind)), *numbers)
