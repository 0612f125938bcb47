"""Constants of a file, and launches of its host code: `add<float, 16><<<grid, block>>>(a, n)`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kernels.errors import TilescopeError
from kernels.frontend import evaluate, parse_expression
from kernels.launch import Dim3

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/|\\\n", re.DOTALL)
_MACRO: Final = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([^\n]+)", re.MULTILINE)
_CONSTANTS: Final = re.compile(
    r"\b(?:int|unsigned(?: int)?|size_t|uint|uint32_t|long|auto)\s+(?:const\s+)?(\w+\s*[={][^;]*);"
    r"|\benum\b[^;{]*\{([^}]*)\}"
)
"""Declarations of one or more variables, from the first name on, and the names of an enumeration."""

_CONSTANT: Final = re.compile(r"(\w+)\s*(?:=\s*(.+)|\{(.*)\})", re.DOTALL)
_DIM3: Final = re.compile(r"\bdim3\s+(?:const\s+)?(\w+)\s*(?:=\s*(?:dim3\s*)?)?[({]([^;{}]*)[)}]\s*;")
_ROUNDS: Final = 4
"""Rounds of evaluation: a constant may depend on others, a few levels deep."""


@dataclass(frozen=True, slots=True)
class HostLaunch:
    """One `<<<…>>>` of the host code; None for a value that is not constant."""

    template: tuple[str, ...]
    """Template arguments as written."""
    grid: Dim3 | None
    block: Dim3 | None
    shared_bytes: int | None


class Host:
    """Finds launches and constants in a file's text by patterns; other host code is ignored."""

    def __init__(self, text: str) -> None:
        self._text = COMMENT.sub(" ", text)
        self.numbers: dict[str, int | float | bool] = {}
        """Constants of the file by name."""
        found = [(name, value) for name, value in _MACRO.findall(self._text)]
        for texts in _CONSTANTS.findall(self._text):
            parts = (_CONSTANT.fullmatch(part) for part in _split(texts[0] or texts[1]))
            found += [(part[1], part[2] or part[3]) for part in parts if part]
        for _ in range(_ROUNDS):
            for name, value in found:
                number = self.number(value) if name not in self.numbers else None
                if number is not None:
                    self.numbers[name] = number
        self._shapes = dict(_DIM3.findall(self._text))

    def launches(self, kernel: str) -> Iterator[HostLaunch]:
        """Yield the launches of a kernel, in file order."""
        call = re.compile(rf"\b{re.escape(kernel)}\s*(?:<([^;(){{}}]*?)>)?\s*<<<(.*?)>>>", re.DOTALL)
        for template, configuration in call.findall(self._text):
            parts = _split(configuration)
            if len(parts) > 1:
                shared = self.number(parts[2]) if len(parts) > 2 else 0
                yield HostLaunch(
                    self._template_arguments(template),
                    self._shape(parts[0]),
                    self._shape(parts[1]),
                    None if shared is None else int(shared),
                )

    def launch_bounds(self, kernel: str) -> str:
        """Return the most threads of a block as `__launch_bounds__` of a kernel states them; "" without it."""
        found = re.search(
            rf"__launch_bounds__\s*\(([^;{{}}]*?)\)(?:\s|__global__|static|void)*\b{re.escape(kernel)}\s*\(", self._text
        )
        return _split(found[1])[0] if found else ""

    def _template_arguments(self, template: str) -> tuple[str, ...]:
        """Return template arguments, with constants of the host code replaced by their values."""
        texts = _split(template)
        return tuple(str(self.numbers[text]) if text in self.numbers else text for text in texts)

    def _shape(self, text: str) -> Dim3 | None:
        call = re.fullmatch(r"dim3\s*[({](.*)[)}]", text, re.DOTALL)
        inside = call[1] if call else self._shapes.get(text, text)
        numbers = [self.number(part) for part in _split(inside)]
        lengths = [int(number) for number in numbers if number is not None and number >= 1]
        return Dim3(*lengths) if 0 < len(lengths) == len(numbers) <= 3 else None

    def number(self, text: str, more: Mapping[str, int] = MappingProxyType({})) -> int | float | bool | None:
        """Return the value of an expression, which may contain the names of `more`; None if it is not constant."""
        try:
            return evaluate(parse_expression(text.strip()), {**self.numbers, **more})
        except TilescopeError:
            return None


def _split(text: str) -> Sequence[str]:
    """Split at the commas outside of brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]
