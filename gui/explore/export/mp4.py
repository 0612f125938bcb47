"""Write films as MP4 by a program `ffmpeg` on the path, which gets the pictures through its standard input."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING, Final

from PySide6.QtGui import QImage

from kernels.cancellation import Cancelled
from kernels.errors import InputError
from kernels.files import atomic_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from gui.explore.export.film import Film, Shot

PICTURE_MS: Final = 40
"""Time of a picture; a still is repeated."""

_END_S: Final = 60
"""Time in which ffmpeg must end after the last picture."""


def ffmpeg() -> str | None:
    """Return the path of ffmpeg, or None if there is none on this machine."""
    return shutil.which("ffmpeg")


def save_mp4(
    path: Path,
    film: Film,
    cancelled: Callable[[], bool] | None = None,
    progress: Callable[[Shot], None] | None = None,
) -> int:
    """Write a film and return the number of its steps; parameters as `save_gif`.

    Raises
    ------
    InputError
        When there is no step, no ffmpeg, or it fails.
    Cancelled
        When `cancelled` returns true; no file is written.
    """
    program = ffmpeg()
    if program is None:
        raise InputError(f"{path}: MP4 needs ffmpeg on the path; install it, or write a GIF")
    if not len(film.frames):
        raise InputError(f"{path}: no film was written, because there are no steps to show")
    size = f"{film.size.width()}x{film.size.height()}"
    source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r", str(1000 // PICTURE_MS), "-i", "-"]
    target = ["-an", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-movflags", "+faststart"]
    with atomic_file(path) as file, tempfile.TemporaryFile() as errors:
        command = [program, "-y", "-loglevel", "error", *source, *target, "-f", "mp4", str(file)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=errors) as process:
            try:
                assert process.stdin is not None
                for picture in _pictures(film.shots(), cancelled, progress):
                    process.stdin.write(picture)
                process.stdin.close()
                process.wait(_END_S)
            except (BrokenPipeError, subprocess.TimeoutExpired):
                process.kill()  # reported below
            except BaseException:
                process.kill()
                raise
        if process.returncode:
            errors.seek(0)
            lines = errors.read().decode(errors="replace").strip().splitlines()
            raise InputError(f"{path}: ffmpeg could not write it: {lines[-1] if lines else 'it gave no reason'}")
    return len(film.frames)


def _pictures(
    shots: Iterable[Shot], cancelled: Callable[[], bool] | None, progress: Callable[[Shot], None] | None
) -> Iterable[bytes]:
    """Yield the pixels of each picture, at equal times."""
    written_ms = shown_ms = 0
    for shot in shots:
        if cancelled is not None and cancelled():
            raise Cancelled
        if progress is not None:
            progress(shot)
        pixels = _rows(shot.image)
        shown_ms += shot.duration_ms
        while written_ms < shown_ms:
            yield pixels
            written_ms += PICTURE_MS


def _rows(image: QImage) -> bytes:
    """Return red, green and blue of each pixel, without the padding of Qt's rows."""
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    width, step = 3 * image.width(), image.bytesPerLine()
    data = bytes(image.constBits())
    return data if width == step else b"".join(data[n : n + width] for n in range(0, len(data), step))
