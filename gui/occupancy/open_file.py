"""Line about an opened file that the page cannot show: the selected kernel is below, and this is what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.selection.unread_source import UnreadSource
from gui.widgets.controls import label
from kernels.control_characters import escape_controls
from kernels.custom_launch.model import CustomLaunch, short_words
from kernels.installation import install_command
from kernels.occupancy.resources import has_cupy

if TYPE_CHECKING:
    from PySide6.QtWidgets import QLabel

    from gui.selection.session import Session


def open_file_words(session: Session) -> str:
    """Say what is missing to show the open file, and what is shown instead; "" while the selection is played."""
    opened = session.recording
    if opened is None or opened.file.suffix != ".cu":
        return ""
    name, shown = escape_controls(opened.file.name), escape_controls(session.selection.kernel.title)
    if isinstance(opened, UnreadSource):
        return f"“{name}” cannot be read, so it has no block and no registers: correct it on Explore. Below: {shown}."
    if opened.kernel:
        return ""
    launch = f", {escape_controls(short_words(opened.settings))}" if isinstance(opened, CustomLaunch) else ""
    nvrtc = "" if has_cupy() else ", and NVRTC to count its registers"
    return f"“{name}”{launch}: occupancy needs a description (copy one on Benchmark){nvrtc}. Below: {shown}."


def open_file_line() -> QLabel:
    """Return the line, hidden; its tooltip says how NVRTC is installed."""
    line = label(role="warning", line=True)
    line.setToolTip(f"A description is a comment at the end of the file. NVRTC: {install_command('cuda13')}")
    line.hide()
    return line
