"""The fields of the JSON part of a trace file: their types, and the bounds of their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, get_args, get_origin, get_type_hints

from kernels.trace.cures import Cure, CureKind
from kernels.trace.records import Access, Space, StatementKind

if TYPE_CHECKING:
    from collections.abc import Callable

    Check = Callable[[Any, str], None]

LARGEST_BYTES: Final = 2 << 30
"""Maximum number of bytes of all arrays of a trace. A record has half of it unless `--max-memory` allows more."""

LANES: Final = 2**31
"""Maximum number of lanes of a trace: their numbers are int32."""

DTYPES: Final = ("|b1", "|i1", "|u1", *(f"<{kind}{size}" for kind in "iuf" for size in (2, 4, 8)))
"""Types of elements and registers."""

_LINES: Final = 2**31 - 1
_NUMBERS: Final = 2**63
_WIDEST: Final = 4096
"""Maximum number of elements of one access; one instruction moves at most 16 bytes."""


def check_header(header: Any) -> None:
    """Raise ValueError, of one line, unless the JSON part has every field, each of its type and in its bounds."""
    if not isinstance(header, dict):
        raise ValueError("its JSON part is not an object")
    for name, check in _FIELDS.items():
        if name not in header and name not in _OPTIONAL:
            raise ValueError(f"it has no '{name}'")
        if name in header:
            check(header[name], name)
    numbers = [row[0] for row in header.get("structs", ())]
    if len(set(numbers)) < len(numbers) or max(numbers, default=0) >= max(len(header["arrays"]), 1):
        raise ValueError("'structs' do not belong to the arrays")
    if len(set(header["outputs"])) < len(header["outputs"]):
        raise ValueError("'outputs' has a name twice")


def _text(value: Any, where: str) -> None:
    if type(value) is not str:
        raise _misfit(value, where, "a text")
    if not value.isascii():
        value.encode()  # refuse half a surrogate pair: UnicodeEncodeError is a ValueError


def _truth(value: Any, where: str) -> None:
    if type(value) is not bool:
        raise _misfit(value, where, "true or false")


def _number(value: Any, where: str) -> None:
    if type(value) not in (int, float, bool) or (type(value) is int and not -_NUMBERS <= value < 2 * _NUMBERS):
        raise _misfit(value, where, "a number")


def _integer(least: int, end: int) -> Check:
    """Return a check for whole numbers from `least` up to, not including, `end`."""

    def check(value: Any, where: str) -> None:
        if type(value) is not int or not least <= value < end:
            raise _misfit(value, where, f"a whole number from {least:,} to {end - 1:,}")

    return check


def _word(words: tuple[str, ...]) -> Check:
    def check(value: Any, where: str) -> None:
        if type(value) is not str or value not in words:
            raise _misfit(value, where, f"one of {', '.join(words)}")

    return check


def _list_of(check_one: Check, most: int | None = None) -> Check:
    """Return a check for lists whose entries all pass one check."""

    def check(value: Any, where: str) -> None:
        if type(value) is not list:
            raise _misfit(value, where, "a list")
        if most is not None and not 1 <= len(value) <= most:
            raise ValueError(f"{where} has {len(value):,} entries, not 1 to {most}")
        for number, entry in enumerate(value):
            check_one(entry, f"{where}[{number}]")

    return check


def _tuple_of(*cells: Check, optional: int = 0) -> Check:
    """Return a check for lists with an entry for each cell; the last `optional` ones may be missing."""

    def check(value: Any, where: str) -> None:
        if type(value) is not list or not len(cells) - optional <= len(value) <= len(cells):
            raise _misfit(value, where, f"a list of {len(cells)}")
        for number, (entry, cell) in enumerate(zip(value, cells, strict=False)):
            cell(entry, f"{where}[{number}]")

    return check


def _fields_of(kind: type) -> Check:
    """Return a check for objects that hold the fields of a dataclass; those with a default may be missing."""
    cells = {name: _typed(hint) for name, hint in get_type_hints(kind).items()}

    def check(value: Any, where: str) -> None:
        if type(value) is not dict or not value.keys() <= cells.keys():
            raise _misfit(value, where, f"an object with {', '.join(cells)}")
        for name, entry in value.items():
            cells[name](entry, f"{where}.{name}")

    return check


def _typed(hint: Any) -> Check:
    """Return a check for values of a field's type, as JSON holds them."""
    if get_origin(hint) is tuple:
        return _list_of(_typed(get_args(hint)[0]))
    plain = {str: _text, bool: _truth, int: _integer(-_LINES, _LINES), CureKind: _word(tuple(CureKind))}
    return plain[hint] if hint in plain else _fields_of(hint)


def _hazard(value: Any, where: str) -> None:
    """Check a hazard; a data race may have a cure, and the other races that it removes."""
    _HAZARD(value, where)


def _scalars(value: Any, where: str) -> None:
    if type(value) is not dict:
        raise _misfit(value, where, "an object")
    for name, number in value.items():
        _text(name, where)
        _number(number, f"{where}.{name}")


def _span(value: Any, where: str) -> None:
    """Check line, column, end line, end column; then, for what is included, the file and the same in it."""
    if type(value) is not list or len(value) not in (4, 9):
        raise _misfit(value, where, "a list of 4 or 9")
    for first in range(0, len(value), 5):
        for number in range(first, first + 4):
            _LINE(value[number], f"{where}[{number}]")
        if (value[first], value[first + 1]) > (value[first + 2], value[first + 3]):
            raise ValueError(f"{where} ends before it begins")
    if len(value) == 9:
        _text(value[4], f"{where}[4]")


def _misfit(value: Any, where: str, what: str) -> ValueError:
    shown = repr(value)
    return ValueError(f"{where} is {shown if len(shown) <= 40 else shown[:37] + '...'}, not {what}")


_LINE: Final = _integer(0, _LINES)
_COUNT: Final = _integer(0, _NUMBERS)
_DIMS: Final = _tuple_of(*(_integer(1, LANES),) * 3)
_PLACE: Final = _tuple_of(*(_integer(0, LANES),) * 3)
_ACCESS: Final = _word(get_args(Access))
_DTYPE: Final = _word(DTYPES)
_PAIR: Final = _tuple_of(_text, _text)
_MEMBER: Final = _tuple_of(_text, _DTYPE, _LINE, _truth, _truth, optional=2)
_SIDE: Final = _tuple_of(_PLACE, _PLACE, _LINE, _ACCESS, _text, optional=1)

_HAZARD: Final = _tuple_of(
    _text,
    _text,
    _text,
    _integer(-_NUMBERS, _NUMBERS),
    _LINE,
    _LINE,
    _list_of(_SIDE),
    _text,
    _integer(-1, _LINES),
    _COUNT,
    _truth,
    _text,
    _fields_of(Cure),
    _list_of(_hazard),
    optional=4,
)

_FIELDS: Final[dict[str, Check]] = {
    "file": _text,
    "text": _text,
    "defines": _list_of(_PAIR),
    "kernel": _text,
    "launch": _tuple_of(_DIMS, _DIMS, _LINE),
    "schedule": _text,
    "scalars": _scalars,
    "statements": _list_of(_tuple_of(_span, _text, _word(get_args(StatementKind)))),
    "arrays": _list_of(
        _tuple_of(
            _text,
            _word(get_args(Space)),
            _DTYPE,
            _list_of(_integer(0, LARGEST_BYTES + 1), most=32),
            _COUNT,
            _truth,
        )
    ),
    "structs": _list_of(_tuple_of(_LINE, _text, _LINE, _list_of(_MEMBER))),
    "sites": _list_of(
        _tuple_of(_span, _integer(-1, _LINES), _LINE, _ACCESS, _integer(1, _WIDEST + 1), _DTYPE, optional=1)
    ),
    "registers": _list_of(_tuple_of(_text, _text, _DTYPE, _span)),
    "outputs": _list_of(_text),
    "hazards": _list_of(_hazard),
    "printf": _list_of(_text),
    "stopped": _text,
    "included": _list_of(_PAIR),
    "instances": _list_of(_tuple_of(_text, _list_of(_text))),
}
_OPTIONAL: Final = ("structs",)
"""Fields that older files do not have."""
