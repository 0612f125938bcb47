"""Write films as animated GIFs: one palette for all pictures, and of each picture only the pixels that change.

A film is written while it is painted, so its length is not limited by memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from kernels.cancellation import Cancelled
from kernels.errors import InputError
from kernels.files import atomic_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
    from pathlib import Path

    from numpy.typing import NDArray
    from PySide6.QtCore import QSize
    from PySide6.QtGui import QImage

    from gui.explore.export.film import Shot

_COLORS: Final = 128
"""Colours that are used: more would show no difference at the edges of letters, and make a film a tenth larger."""

_UNCHANGED: Final = 255
"""Entry of the palette for pixels that do not change."""

_LOOP: Final = b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"
"""Extension that repeats the film for ever."""


class Moving(Protocol):
    """Pictures of one size, one after another."""

    @property
    def size(self) -> QSize:
        """Size of each, pixels."""

    @property
    def frames(self) -> Sized:
        """Its steps."""

    def sample(self) -> Iterator[QImage]:
        """Yield pictures with its colours."""

    def shots(self) -> Iterator[Shot]:
        """Yield all pictures, with their times."""


def save_gif(
    path: Path,
    films: Sequence[Moving],
    cancelled: Callable[[], bool] | None = None,
    progress: Callable[[Shot], None] | None = None,
) -> int:
    """Write films one after another as an endlessly repeating GIF.

    Parameters
    ----------
    path : Path
    films : sequence of Moving
        All of one size.
    cancelled : callable
        Asked before every picture.
    progress : callable
        Called with every picture that is painted.

    Returns
    -------
    int
        The number of steps.

    Raises
    ------
    InputError
        When there is no step, or the file cannot be written.
    Cancelled
        When `cancelled` returns true; no file is written.
    """
    films = [film for film in films if len(film.frames)]
    if not films:
        raise InputError(f"{path}: no film was written, because there are no steps to show")
    palette = Palette(image for film in films for image in film.sample())
    encoder = _Encoder(palette)
    with atomic_file(path) as file, file.open("wb") as stream:
        size = np.array([films[0].size.width(), films[0].size.height()], "<u2").tobytes()
        # GIF89a, section 18: a global palette of 256 colours with 8 bits each.
        stream.write(b"GIF89a" + size + b"\xf7\x00\x00" + palette.colors.tobytes() + _LOOP)
        for shot in (shot for film in films for shot in film.shots()):
            if cancelled is not None and cancelled():
                raise Cancelled
            if progress is not None:
                progress(shot)
            stream.write(encoder.add(shot))
        stream.write(encoder.end() + b";")
    return sum(len(film.frames) for film in films)


class Palette:
    """The most frequent colours of some images, and the nearest of them to any colour."""

    def __init__(self, images: Iterable[QImage]) -> None:
        counts: dict[int, int] = {}
        for image in images:
            for color, count in zip(*(n.tolist() for n in np.unique(pixels(image), return_counts=True)), strict=True):
                counts[color] = counts.get(color, 0) + count
        chosen = sorted(counts, key=counts.__getitem__, reverse=True)[:_COLORS]
        self.colors: NDArray[np.uint8] = np.zeros((256, 3), np.uint8)
        """Red, green and blue of each entry."""
        self.colors[: len(chosen)] = _channels(np.array(chosen, np.uint32))
        self._used = len(chosen)
        # One entry for the upper 6 bits of each channel; -1 until a colour with these bits is met.
        self._entries = np.full(1 << 18, -1, np.int16)
        # Of chosen colours with the same bits the most frequent one counts: NumPy assigns in the order of the indices.
        self._entries[_key(np.array(chosen[::-1], np.uint32))] = np.arange(len(chosen))[::-1]

    def indices(self, colors: NDArray[np.uint32]) -> NDArray[np.uint8]:
        """Return the entry of the nearest colour for each pixel 0xrrggbb."""
        keys = _key(colors)
        found = self._entries[keys]
        if (found < 0).any():
            new, first = np.unique(keys[found < 0], return_index=True)
            wanted = _channels(colors[found < 0][first]).astype(np.int32)
            distance = ((wanted[:, None] - self.colors[None, : self._used].astype(np.int32)) ** 2).sum(axis=2)
            self._entries[new] = distance.argmin(axis=1)
            found = self._entries[keys]
        entries: NDArray[np.uint8] = found.astype(np.uint8)
        return entries


def pixels(image: QImage) -> NDArray[np.uint32]:
    """Return the pixels of a 32-bit image as 0xrrggbb, [rows, columns]."""
    rows = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
    return rows[:, : image.width()] & np.uint32(0xFFFFFF)


def _channels(colors: NDArray[np.uint32]) -> NDArray[np.uint8]:
    return np.stack([colors >> 16 & 0xFF, colors >> 8 & 0xFF, colors & 0xFF], axis=-1).astype(np.uint8)


def _key(colors: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return the upper 6 bits of each channel."""
    upper = _channels(colors).astype(np.int64) >> 2
    return upper[..., 0] << 12 | upper[..., 1] << 6 | upper[..., 2]


class _Encoder:
    """Turns shots into the blocks of a GIF; a picture equal to the one before lengthens that one's time."""

    def __init__(self, palette: Palette) -> None:
        self._palette = palette
        self._before: NDArray[np.uint32] | None = None
        self._part: NDArray[np.uint8] = np.zeros((0, 0), np.uint8)
        """Changed part of the last picture, as entries of the palette, which waits for its time."""
        self._offset, self._ms = (0, 0), 0

    def add(self, shot: Shot) -> bytes:
        """Return the blocks that are complete now."""
        image, done = pixels(shot.image), b""
        before = self._before
        changed = image != before if before is not None else np.ones(image.shape, bool)
        rows, columns = (np.flatnonzero(changed.any(axis=axis)) for axis in (1, 0))
        if len(rows):
            done = self.end()
            part = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
            entries = np.full(changed[part].shape, _UNCHANGED, np.uint8)
            entries[changed[part]] = self._palette.indices(image[part][changed[part]])
            self._before, self._part, self._offset, self._ms = image, entries, (int(columns[0]), int(rows[0])), 0
        self._ms += shot.duration_ms
        return done

    def end(self) -> bytes:
        """Return the blocks of the last picture."""
        from PIL import GifImagePlugin, Image  # Pillow is loaded only where a film is written

        if not self._part.size:
            return b""
        image = Image.fromarray(self._part, "P")
        blocks = GifImagePlugin.getdata(
            image, self._offset, duration=self._ms, transparency=_UNCHANGED, disposal=1, include_color_table=False
        )
        return b"".join(blocks)
