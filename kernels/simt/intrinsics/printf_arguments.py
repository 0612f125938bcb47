"""What printf shows where its arguments do not fit its format.

The arguments lie one after another, after C's promotions, each aligned to its size, as in the PTX that NVRTC 13 makes:
`vprintf` is given their address and the format, and no sizes. So the format alone says how many bytes are taken for
each conversion, and a value of another size also moves all that follow. What lies between arguments, or behind the last
one, nobody knows: it is shown as `?`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from kernels.frontend.types import DOUBLE, INT, LONG, UINT, ULONG, Scalar
from kernels.simt.machine.arithmetic import is_float, ndarray, promote
from kernels.simt.machine.hazards import Place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.ast import Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Group
    from kernels.simt.machine.steps import Run

_POINTER_BYTES: Final = 8

MOST_FIELD: Final = 4096
"""Largest width and precision: a GPU's buffer for all that a kernel prints has 1 MiB unless the host enlarges it."""

_UNKNOWN: Final = "?"

_BETTER: Final = {DOUBLE: "%f", INT: "%d", UINT: "%u", LONG: "%lld", ULONG: "%llu", None: "%s"}


class Want(NamedTuple):
    """A conversion: as it is written, for Python's `%`, and the type of what it shows; None for a text.

    A width or precision `*` is one, too, and has no text of its own for `%`.
    """

    written: str
    template: str
    kind: Scalar | None

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return _POINTER_BYTES if self.kind is None else promote(self.kind).size_bytes


class Given(NamedTuple):
    """An argument: its promoted type, None for a text, and what computes it; an `address` is passed as a number."""

    kind: Scalar | None
    run: Run
    span: Span
    address: bool = False

    @property
    def size(self) -> int:
        """Bytes that it is passed in."""
        return _POINTER_BYTES if self.kind is None else self.kind.size_bytes

    def suits(self, want: Want) -> bool:
        """Whether it is of the sort that a conversion shows, in whatever size."""
        if self.kind is None or want.kind is None:
            return self.kind is want.kind
        if self.address and self.size != want.size:
            return False
        return is_float(self.kind) == is_float(want.kind)

    def fits(self, want: Want) -> bool:
        """Whether it is what a conversion takes."""
        return self.suits(want) and self.size == want.size


class Misfit:
    """A call of printf whose arguments do not fit; `pieces` is the text around the conversions."""

    def __init__(
        self, c: Context, span: Span, pieces: Sequence[str], wants: Sequence[Want], given: Sequence[Given]
    ) -> None:
        self._context, self._pieces, self._wants, self._given = c, pieces, wants, given
        pairs = list(zip(wants, given, strict=False))
        self._always = len(given) < len(wants) or not all(one.suits(want) for want, one in pairs)
        wrong = [(want, one) for want, one in pairs if not one.fits(want)]
        self._place = Place(wrong[0][1].span if wrong else span)
        self._what = (
            _described(*wrong[0])
            if wrong
            else (
                f"prints with a format that asks for {len(wants)} values and gives {len(given)}: give one for each, or "
                "write %% for a per cent sign"
            )
        )

    def texts(self, group: Group, columns: Sequence[Value], lanes: Sequence[int]) -> list[str]:
        """Return what lanes print, and report where that is not what they were given."""
        found, wrong = [], []
        for lane in lanes:
            values = [at(column, lane) for column in columns]
            text = self._text(self._read(values))
            found.append(text)
            if self._always or text != self._text(self._meant(values)):
                wrong.append(lane)
        if wrong:
            hazards, lane = self._context.machine.hazards, int(group.lanes[wrong[0]])
            hazards.report(
                "printf-format",
                self._place,
                self._context.machine.recorder.current,
                len(wrong),
                ((lane, self._place.span, "read"),),
                lambda: f"{hazards.name(lane)} {self._what}",
            )
        return found

    def _read(self, values: Sequence[Any]) -> list[Any]:
        """Return what each conversion finds; None where nobody knows."""
        known: dict[int, int] = {}
        texts: dict[int, Any] = {}
        end = 0
        for one, value in zip(self._given, values, strict=True):
            end = _aligned(end, one.size)
            if one.kind is None:
                texts[end] = value
            else:
                known |= enumerate(one.kind.dtype.type(value).tobytes(), end)
            end += one.size
        found: list[Any] = []
        place = 0
        for want in self._wants:
            place = _aligned(place, want.size)
            taken = range(place, place + want.size)
            if want.kind is None:
                found.append(texts.get(place))
            elif all(byte in known for byte in taken):
                found.append(_number(bytes(known[byte] for byte in taken), want.kind))
            else:
                found.append(None)
            place += want.size
        return found

    def _meant(self, values: Sequence[Any]) -> list[Any]:
        """Return what the arguments are; whole numbers of the size that is wanted change their sign as it is wanted."""
        return [
            value if want.kind is None or is_float(want.kind) or not one.fits(want) else _whole(value, want.kind)
            for want, one, value in zip(self._wants, self._given, values, strict=False)
        ]

    def _text(self, values: Sequence[Any]) -> str:
        parts, stars = [self._pieces[0]], list[Any]()
        for want, value, piece in zip(self._wants, values, self._pieces[1:], strict=True):
            stars.append(value)
            if want.template:
                unknown = None in stars or any(abs(star) > MOST_FIELD for star in stars[:-1])
                parts.append(_UNKNOWN if unknown else want.template % tuple(stars))
                stars = []
            parts.append(piece)
        return "".join(parts)


def at(column: Value, lane: int) -> Any:
    """Return a lane's value as Python writes it."""
    if type(column) is list:
        return column[lane]
    return column[lane].item() if type(column) is ndarray else column


def _described(want: Want, given: Given) -> str:
    kind = "a text" if given.kind is None else "an address" if given.address else f"a value of type {given.kind}"
    better = "%p" if given.address else _BETTER[given.kind]
    takes = "a text" if want.kind is None else str(promote(want.kind))
    if given.suits(want):
        return (
            f"prints {kind} with {want.written}, which takes {takes}: {want.size} bytes instead of {given.size}, and "
            f"what follows is taken from the wrong place; use {better}"
        )
    return f"prints {kind} with {want.written}, which takes {takes}, and shows other bits; use {better}"


def _aligned(place: int, size: int) -> int:
    return -(-place // size) * size


def _whole(value: int, kind: Scalar) -> Any:
    return _number((int(value) & (1 << 64) - 1).to_bytes(8, "little"), kind)


def _number(data: bytes, kind: Scalar) -> Any:
    """Return what the first bytes are as a number of this type."""
    return np.frombuffer(data[: kind.size_bytes], kind.dtype)[0].item()
