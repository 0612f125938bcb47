"""Validated fields of a TOML table: read by name and kind; unknown fields are refused."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any, TypeVar

from kernels.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_REQUIRED: Any = object()

Value = TypeVar("Value")


def read_fields(file: Path) -> Fields:
    """Open the fields of a TOML file.

    Raises
    ------
    InputError
        When it cannot be read or is not TOML.
    """
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{file}: is not TOML: {error}") from error
    return Fields(data, file.name)


class Fields:
    """The fields of one table of a TOML file.

    Every method takes a field's name and returns its value, or `default` where the field is missing.

    Raises
    ------
    InputError
        When a field is missing, of the wrong kind, or not known; with file, table, field and an example.
    """

    def __init__(self, data: object, place: str) -> None:
        """Store the table `data`; `place` names the file and the table in messages."""
        self._place = place
        if not isinstance(data, dict):
            raise InputError(f"{place}: must be a table of fields")
        self._unread: dict[str, Any] = dict(data)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the fields that have not been read, for tables with free names."""
        return tuple(self._unread)

    def text(self, name: str, default: str = _REQUIRED) -> str:
        """Read a text that is not empty."""
        valid: Callable[[object], bool] = lambda v: isinstance(v, str) and bool(v.strip())  # noqa: E731
        return str(self._take(name, default, valid, "a text", f'{name} = "…"'))

    def words(self, name: str) -> str:
        """Read a text of one paragraph that may be missing; line breaks are spaces."""
        return " ".join(str(self._take(name, "", lambda v: isinstance(v, str), "a text", "")).split())

    def integer(self, name: str, default: int) -> int:
        """Read a whole number, which may be negative."""
        return int(self._take(name, default, lambda v: type(v) is int, "a whole number", f"{name} = 1"))

    def one_of(self, name: str, choices: Sequence[str], default: str = _REQUIRED) -> Any:
        """Read a text that is one of the choices."""
        return self._take(name, default, lambda v: v in choices, f"one of {', '.join(choices)}", "")

    def number(self, name: str, default: float | None = _REQUIRED, least: float = 0) -> Any:
        """Read a number from `least` up."""
        kind = f"a number from {least:g} up"
        return self._take(
            name, default, lambda v: isinstance(v, int | float) and v >= least, kind, f"{name} = {least:g}"
        )

    def whole_number(self, name: str, default: int = _REQUIRED) -> int:
        """Read a whole number from 0 up."""
        valid: Callable[[object], bool] = lambda v: type(v) is int and v >= 0  # noqa: E731
        return int(self._take(name, default, valid, "a whole number from 0 up", f"{name} = 1"))

    def expression(self, name: str) -> str:
        """Read a number or the text of an expression; return its text."""
        valid: Callable[[object], bool] = lambda v: isinstance(v, str) or type(v) in (int, float)  # noqa: E731
        return str(self._take(name, _REQUIRED, valid, "a number or an expression", f'{name} = "n * n"'))

    def parsed(self, name: str, parse: Callable[[str], Value], default: Value = _REQUIRED) -> Value:
        """Read a text and parse it; an InputError of `parse` is raised with the field's place."""
        if name not in self._unread and default is not _REQUIRED:
            return default
        text = self.text(name)
        try:
            return parse(text)
        except InputError as error:
            raise self.refuse(name, f"is wrong: {error}") from error

    def flag(self, name: str, *, default: bool) -> bool:
        """Read true or false."""
        return bool(self._take(name, default, lambda v: isinstance(v, bool), "true or false", ""))

    def values(
        self, name: str, valid: Callable[[object], bool], kind: str, example: str, default: Any = _REQUIRED
    ) -> tuple[Any, ...]:
        """Read a list whose members all pass `valid`."""
        whole: Callable[[object], bool] = lambda v: isinstance(v, list) and bool(v) and all(map(valid, v))  # noqa: E731
        return tuple(self._take(name, default, whole, f"a list of {kind}", f"{name} = {example}"))

    def sentences(self, name: str, default: Any = _REQUIRED) -> tuple[str, ...]:
        """Read a list of texts."""
        return self.values(name, lambda v: isinstance(v, str) and bool(v), "texts", '["…", "…"]', default)

    def whole_numbers(self, name: str) -> tuple[int, ...]:
        """Read a list of whole numbers from 1 up."""
        return self.values(name, lambda v: type(v) is int and v > 0, "whole numbers", "[8, 16]", ())

    def table(self, name: str, *, required: bool = True) -> Fields:
        """Open a table inside this one."""
        data = self._take(name, _REQUIRED if required else {}, lambda v: isinstance(v, dict), "a table", f"[{name}]")
        return Fields(data, f"{self._place}: {name}")

    def tables(self, name: str, *, required: bool = True) -> list[Fields]:
        """Open a list of tables."""
        valid: Callable[[object], bool] = lambda v: isinstance(v, list) and bool(v)  # noqa: E731
        found = self._take(name, _REQUIRED if required else [], valid, "a list of tables", f"[[{name}]]")
        return [Fields(data, f"{self._place}: {name} {number}") for number, data in enumerate(found, 1)]

    def take_rest(self) -> dict[str, Any]:
        """Return all fields that have not been read, for tables with free names."""
        unread, self._unread = self._unread, {}
        return unread

    def refuse_unknown(self) -> None:
        """Refuse fields that have not been read."""
        if self._unread:
            raise InputError(f"{self._place}: unknown field '{next(iter(self._unread))}': remove it")

    def refuse(self, name: str, reason: str) -> InputError:
        """Return the error for a field whose value contradicts others."""
        return InputError(f"{self._place}: '{name}' {reason}")

    def _take(self, name: str, default: Any, valid: Callable[[object], bool], kind: str, example: str) -> Any:
        hint = f", as in {example}" if example else ""
        if name not in self._unread:
            if default is _REQUIRED:
                raise InputError(f"{self._place}: '{name}' is missing: give {kind}{hint}")
            return default
        value = self._unread.pop(name)
        if not valid(value):
            raise InputError(f"{self._place}: '{name}' must be {kind}{hint}")
        return value
