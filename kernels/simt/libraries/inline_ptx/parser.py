"""Parser of PTX, the text of an `asm` statement: registers, guards, instructions, operands (PTX ISA, "Syntax")."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_TOKEN: Final = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/)"
    r"|(?P<number>-?(?:0[xX][0-9a-fA-F]+|\d+)U?(?![\w$.]))"
    r"|(?P<word>%{0,2}[\w$]+(?:(?:\.|::)[\w$]+)*|\.[\w$]+(?:(?:\.|::)[\w$]+)*)"
    r"|(?P<mark>.)",
    re.DOTALL,
)


class PtxError(Exception):
    """A text that cannot be parsed as PTX."""


@dataclass(frozen=True, slots=True)
class Word:
    """A register, an operand of the asm (`%0`), or a special register (`%laneid`)."""

    name: str
    negated: bool = False
    """True of a predicate that is written `!p`."""


@dataclass(frozen=True, slots=True)
class Literal:
    """An integer."""

    value: int


@dataclass(frozen=True, slots=True)
class Address:
    """`[base + offset]`."""

    base: Word | Literal
    offset: int
    """In bytes."""
    coordinates: tuple[Word | Literal, ...] = ()
    """Of a tile: `[map, {x, y}]`."""


@dataclass(frozen=True, slots=True)
class Several:
    """Several registers as one operand."""

    parts: tuple[Word | Literal, ...]
    pair: bool = False
    """True of `d|p`, a result and a predicate; False of `{a, b}`, the parts of a vector."""


Operand = Word | Literal | Address | Several


@dataclass(frozen=True, slots=True)
class Instruction:
    """`@p name.modifier.type operands;`."""

    words: tuple[str, ...]
    """The parts of its name."""
    operands: tuple[Operand, ...]
    guard: Word | None
    text: str
    """Source text, without comments."""

    @property
    def name(self) -> str:
        """The whole name."""
        return ".".join(self.words)

    @property
    def has_result(self) -> bool:
        """True if the first operand is the result."""
        return bool(self.operands) and self.words[0] not in ("st", "cp", "stmatrix", "bar", "barrier")


@dataclass(frozen=True, slots=True)
class Listing:
    """The contents of an asm statement."""

    registers: tuple[tuple[str, str], ...]
    """Names and types (`pred`, `u32`, …) of the registers that it declares."""
    instructions: tuple[Instruction, ...]


def parse_ptx(text: str) -> Listing:
    """Parse the text of an asm statement.

    Raises
    ------
    PtxError
        For text that is no PTX, and for labels and directives other than `.reg`.
    """
    return _Parser(text).listing()


class _Parser:
    def __init__(self, text: str) -> None:
        matches = [(m.lastgroup, m[0]) for m in _TOKEN.finditer(text)]
        self._tokens = [(kind, token.replace("%%", "%", 1)) for kind, token in matches if kind != "space" and token]
        self._tokens.append(("end", ""))
        self._at = 0
        self._registers: list[tuple[str, str]] = []

    def listing(self) -> Listing:
        instructions: list[Instruction] = []
        depth = 0
        while self._token:
            if self._token == ";":
                raise PtxError("a ';' where an instruction belongs")
            if self._take("{"):
                depth += 1
            elif self._take("}"):
                depth -= 1
                if depth < 0:
                    raise PtxError("it closes a brace that is not open")
            elif self._token.startswith("."):
                self._directive()
            else:
                instructions.append(self._instruction())
        if depth:
            raise PtxError("it leaves a brace open")
        return Listing(tuple(self._registers), tuple(instructions))

    @property
    def _token(self) -> str:
        return self._tokens[self._at][1]

    def _take(self, token: str) -> bool:
        if self._token != token:
            return False
        self._at += 1
        return True

    def _require(self, token: str) -> None:
        if not self._take(token):
            raise PtxError(f"'{token}' is missing before '{self._token or 'its end'}'")

    def _word(self) -> str:
        kind, token = self._tokens[self._at]
        if kind != "word":
            raise PtxError(f"a name is missing before '{token or 'its end'}'")
        self._at += 1
        return token

    # .reg type name, name<count>;
    def _directive(self) -> None:
        words = self._word().lstrip(".").split(".")
        if words[0] != "reg":
            raise PtxError(f"directive .{words[0]}")
        while self._token.startswith("."):
            words += self._word().lstrip(".").split(".")
        if len(words) != 2:
            raise PtxError(f"registers of type .{'.'.join(words[1:])}")
        while True:
            name = self._word()
            if self._take("<"):
                count = self._number()
                self._require(">")
                self._registers += [(f"{name}{n}", words[1]) for n in range(count)]
            else:
                self._registers.append((name, words[1]))
            if not self._take(","):
                break
        self._require(";")

    # instruction: ('@' '!'? predicate)? name (operand (',' operand)*)? ';'
    def _instruction(self) -> Instruction:
        first = self._at
        guard = None
        if self._take("@"):
            negated = self._take("!")
            guard = Word(self._word(), negated)
        name = self._word()
        if self._token == ":" or (self._token == "%" and self._tokens[self._at + 1][1] == "="):
            raise PtxError(f"label '{name}'")
        operands: list[Operand] = []
        while self._token not in (";", "}", ""):
            if operands:
                self._require(",")
            operands.append(self._operand())
        text = _joined([token for _, token in self._tokens[first : self._at]])
        self._require(";")
        return Instruction(tuple(name.split(".")), tuple(operands), guard, text)

    def _operand(self) -> Operand:
        if self._take("["):
            base = self._single()
            offset = self._number() if self._take("+") else 0
            place = self._operand() if self._take(",") else None
            if place is not None and not isinstance(place, Several):
                raise PtxError("an address and a register in brackets")
            self._require("]")
            return Address(base, offset, place.parts if place is not None else ())
        if self._take("{"):
            parts = [self._single()]
            while self._take(","):
                parts.append(self._single())
            self._require("}")
            return Several(tuple(parts))
        one = self._single()
        if self._take("|"):
            return Several((one, self._single()), pair=True)
        return one

    def _single(self) -> Word | Literal:
        if self._tokens[self._at][0] == "number":
            return Literal(self._number())
        negated = self._take("!")
        return Word(self._word(), negated)

    def _number(self) -> int:
        kind, token = self._tokens[self._at]
        if kind != "number":
            raise PtxError(f"a number is missing before '{token or 'its end'}'")
        self._at += 1
        sign, digits = (-1, token[1:]) if token[0] == "-" else (1, token)
        digits = digits.removesuffix("U")
        if len(digits) > 1 and digits[0] == "0" and digits.isdigit():
            return sign * int(digits, 8)
        return sign * int(digits, 0)


def _joined(tokens: list[str]) -> str:
    """Put tokens together again, with a space after the name and after each comma."""
    text = ""
    for token in tokens:
        glued = token in ",]}+|:" or text[-1:] in ("[", "{", "@", "!", "+", "|", "")
        text += token if glued else f" {token}"
    return text
