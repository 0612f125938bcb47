"""Typed fields of a JSON object: read by name and type, from a file or a line that another program may have written.

`json` turns any value into Python's, and Python converts without a word: `bool("no")` is true, `int(2.5)` is 2, a text
is a sequence. Here a value of another type is an error that names the field, shows the value and says what works.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Final, TypeVar

from kernels.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_REQUIRED: Any = object()

_NUMBERS_END: Final = 2**63

_SHOWN_CHARACTERS: Final = 40

Value = TypeVar("Value")


class JsonFields:
    """The fields of one JSON object.

    Every method takes a field's name and returns its value, or `default` where the field is missing. Fields that no
    method reads are ignored.

    Raises
    ------
    InputError
        When a field is missing or of another type, or when the value is not an object.
    """

    def __init__(self, data: object, place: str = "") -> None:
        """Store the object `data`; `place` is its path in the outermost value, such as `points[3]`."""
        self._prefix = f"{place}." if place else ""
        if not isinstance(data, dict):
            raise InputError(f"{place or 'the whole'} is {_shown(data)}: give an object with fields in braces")
        self._data: dict[str, Any] = data

    def text(self, name: str, default: str = _REQUIRED) -> str:
        """Read a text, which may be empty."""
        return str(self._take(name, default, lambda v: isinstance(v, str), 'a text, as in "…"'))

    def flag(self, name: str, default: bool = _REQUIRED) -> bool:
        """Read true or false."""
        return bool(self._take(name, default, lambda v: isinstance(v, bool), "true or false"))

    def whole_number(self, name: str, default: int = _REQUIRED, *, least: int) -> int:
        """Read a whole number from `least` to 2^63 - 1."""
        kind = f"a whole number from {least} to 2^63 - 1"
        return int(self._take(name, default, lambda v: _is_whole(v, least), kind))

    def three(self, name: str, *, or_null: bool = False) -> Any:
        """Read three whole numbers from 1 to 2^63 - 1, such as a size or a block."""
        kind = "three whole numbers from 1 to 2^63 - 1, as in [16, 16, 1]"
        return self._take(name, _REQUIRED, _is_three, kind, or_null=or_null)

    def positive(self, name: str, default: float | None = _REQUIRED, *, or_null: bool = False) -> Any:
        """Read a finite number above 0."""
        found = self._take(name, default, _is_positive, "a finite number above 0, as in 1.5", or_null=or_null)
        return None if found is None else float(found)

    def one_of(self, name: str, choices: Sequence[Value], default: Value = _REQUIRED) -> Any:
        """Read one of several texts."""
        return self._take(name, default, lambda v: v in choices, f"one of {', '.join(map(_shown, choices))}")

    def parsed(self, name: str, parse: Callable[[str], Value]) -> Value:
        """Read a text and parse it; an InputError of `parse` is raised with the field's name."""
        text = self.text(name)
        try:
            return parse(text)
        except InputError as error:
            raise InputError(f"{self._prefix}{name}: {error}") from error

    def members(
        self, name: str, read: Callable[[object, str], Value], default: Sequence[Value] = _REQUIRED
    ) -> tuple[Value, ...]:
        """Read a list, each member by `read`, which takes the value and its path."""
        if name not in self._data and default is not _REQUIRED:
            return tuple(default)
        found = self._take(name, _REQUIRED, lambda v: isinstance(v, list), "a list, as in [ … ]")
        return tuple(read(value, f"{self._prefix}{name}[{number}]") for number, value in enumerate(found))

    def tables(self, name: str) -> dict[str, JsonFields]:
        """Open the objects of an object with free names, which may be missing."""
        found = self._take(name, {}, lambda v: isinstance(v, dict), "an object with fields in braces")
        return {key: JsonFields(value, f"{self._prefix}{name}.{key}") for key, value in found.items()}

    def texts(self) -> dict[str, str]:
        """Read this object itself, with free names, as texts by name, of which there is one or more."""
        if not self._data:
            raise InputError(f"{self._prefix.removesuffix('.')} is {{}}: give texts by name")
        return {name: self.text(name) for name in self._data}

    def _take(
        self, name: str, default: Any, valid: Callable[[object], bool], kind: str, *, or_null: bool = False
    ) -> Any:
        kind = f"{kind}, or null" if or_null else kind
        if name not in self._data:
            if default is _REQUIRED:
                raise InputError(f"{self._prefix}{name} is missing: give {kind}")
            return default
        value = self._data[name]
        if not (valid(value) or (or_null and value is None)):
            raise InputError(f"{self._prefix}{name} is {_shown(value)}: give {kind}")
        return value


def _is_whole(value: object, least: int) -> bool:
    return type(value) is int and least <= value < _NUMBERS_END


def _is_three(value: object) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(_is_whole(number, 1) for number in value)


def _is_positive(value: object) -> bool:
    return type(value) in (int, float) and 0 < value <= sys.float_info.max  # type: ignore[operator]  # false for NaN


def _shown(value: object) -> str:
    """Return a value as JSON writes it, in ASCII, shortened."""
    text = json.dumps(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
