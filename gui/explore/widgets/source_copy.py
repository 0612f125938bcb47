"""Copy of a catalogue kernel's source, to be edited: every save of it is shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog

from kernels.catalog import read_kernel
from kernels.errors import InputError

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from gui.selection.session import Session


def edit_copy(session: Session, parent: QWidget) -> str:
    """Ask for a file, copy the selected kernel into it, select the copy, and open it in the desktop's editor.

    Size, block and options stay, so that the copy can be compared with the original.

    Returns
    -------
    str
        What was done, in one line; empty if no file was chosen.

    Raises
    ------
    InputError
        When there is no source to copy, or the file cannot be written or used.
    """
    before = session.selection
    source = before.kernel.file
    if session.recording is not None or source is None:
        raise InputError(
            "Only the source of a kernel of the list can be copied here; your own file can be edited as it is"
        )
    chosen, _ = QFileDialog.getSaveFileName(parent, "Copy to edit", f"my_{source.name}", "CUDA sources (*.cu)")
    if not chosen:
        return ""
    file = Path(chosen).with_suffix(".cu").resolve()
    if file == source.resolve():
        raise InputError(f"{file.name} is the source itself: choose another name for the copy")
    try:
        file.write_text(before.kernel.text, encoding="utf-8")
        for rules in source.parent.glob(f"{source.stem}.toml"):  # the table of blocks beside it
            file.with_name(rules.name).write_bytes(rules.read_bytes())
    except OSError as error:
        raise InputError(f"{file}: cannot be written: {error.strerror or error}") from error
    session.open(read_kernel(file).choose(**before.kernel.chosen))
    session.select(size=before.size, block=before.block)
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(file)))
    return f"This is {file.name}, a copy: edit it in any editor; every save is shown here"
