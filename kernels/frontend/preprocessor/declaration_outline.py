"""Outlines of declarations: name, words and extent, found from the tokens without parsing them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kernels.frontend.parser.cursor import KEYWORDS

if TYPE_CHECKING:
    from kernels.frontend.parser.cursor import Cursor

_WITH_LIST: Final = {
    *("__launch_bounds__", "__attribute__", "__declspec", "__cluster_dims__", "__maxnreg__", "__block_size__"),
    *("alignas", "decltype", "noexcept"),
}
_DEFINES: Final = {"struct", "class", "union", "enum", "namespace"}
_DEVICE: Final = {"__global__", "__device__", "__constant__", "__shared__", "__managed__"}


@dataclass(frozen=True, slots=True)
class Outline:
    """The extent and name of a declaration."""

    end: int
    """Index of the token after it."""
    words: frozenset[str]
    """Names before the declared name."""
    name: str
    """The declared name; "" if there is none."""
    index: int
    """Index of the token of the name."""
    function: int | None
    """Index of the `(` of its parameters; None if it is no function."""
    body: int | None
    """Index of the `{` of its body, None without one."""

    @property
    def device(self) -> bool:
        """True if it is device code."""
        return bool(self.words & _DEVICE)


def outline_of(c: Cursor, first: int) -> Outline:
    """Return the outline of the declaration that begins at a token."""
    return _OutlineScanner(c, first).scan()


class _OutlineScanner:
    """One pass over the tokens of a declaration."""

    def __init__(self, c: Cursor, first: int) -> None:
        self._c = c
        self._at = first
        self._words: set[str] = set()
        self._index = first
        self._name = ""
        self._function: int | None = None
        self._assigned = self._lists_members = False

    def scan(self) -> Outline:
        texts = self._c.texts
        body = None
        while True:
            text = texts[self._at]
            if text == "" or text == "}":
                break
            if text == ";":
                self._at += 1
                break
            if text == "{" and self._is_body():
                body = self._at
                self._at = self._c.closes[body] + 1
                break
            self._step(text)
        return Outline(self._at, frozenset(self._words), self._name, self._index, self._function, body)

    def _is_body(self) -> bool:
        if self._function is None or self._assigned:
            return False
        return not (self._lists_members and self._c.kinds[self._at - 1] == "name")  # S() : x{1} { … }

    def _step(self, text: str) -> None:
        c, at = self._c, self._at
        settled = self._function is not None or self._assigned
        if text in ("(", "[", "{"):
            if text == "(" and not settled and c.texts[at - 1] not in _WITH_LIST:
                self._function = at
            elif (text == "[" and c.texts[at + 1] != "[") or (text == "{" and not (self._words & _DEFINES)):
                self._assigned = self._assigned or not settled
            self._at = c.closes[at] + 1
            return
        if text == "operator" and not settled:
            self._operator(at)
            return
        if text == "<" and not settled:
            self._at = self._c.past_angles(at)
            return
        if text in ("=", ",") and not settled:
            self._assigned = True
        elif text == ":" and self._function is not None:
            self._lists_members = True
        elif c.kinds[at] == "name" and not settled:
            self._words.add(text)
            if text not in KEYWORDS:
                self._index, self._name = at, text
        self._at += 1

    def _operator(self, at: int) -> None:
        c = self._c
        self._index = at
        following = at + 1
        if c.texts[following] == "(":
            following = c.closes[following] + 1
        while c.texts[following] not in ("(", ";", "{", "}", ""):
            following += 1
        self._name = "".join(c.texts[at:following])
        if c.texts[following] == "(":
            self._function = following
        self._at = c.closes.get(following, following - 1) + 1
