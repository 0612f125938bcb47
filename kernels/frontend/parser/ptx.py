"""Parser of PTX, the text of an `asm` statement: registers, guards, instructions, operands (PTX ISA, "Syntax")."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import Final

_TOKEN: Final = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/)"
    r"|(?P<number>-?(?:0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|0[xX][0-9a-fA-F]+U?"
    r"|\d+\.\d*(?:[eE][-+]?\d+)?|\d+U?)(?![\w$.]))"
    r"|(?P<word>%{0,2}[\w$]+(?:(?:\.|::)[\w$]+)*|\.[\w$]+(?:(?:\.|::)[\w$]+)*)"
    r"|(?P<mark>.)",
    re.DOTALL,
)


class PtxError(Exception):
    """A text that cannot be parsed as PTX."""


@dataclass(frozen=True, slots=True)
class Word:
    """A register, an operand of the asm (`%0`), or a special register (`%tid.x`); `!p` is a negated predicate."""

    name: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Literal:
    """A number; of `0f3F800000` and `1.5` a float."""

    value: int | float


@dataclass(frozen=True, slots=True)
class Address:
    """`[base + offset]`, the offset in bytes."""

    base: Word | Literal
    offset: int


@dataclass(frozen=True, slots=True)
class Several:
    """`{a, b}`: the parts of a vector; or `d|p`: a result and the predicate that comes with it (`pair`)."""

    parts: tuple[Word | Literal, ...]
    pair: bool = False


Operand = Word | Literal | Address | Several


@dataclass(frozen=True, slots=True)
class Instruction:
    """`@p name.modifier.type operands;`; `words` are the parts of its name, `text` is how it is written."""

    words: tuple[str, ...]
    operands: tuple[Operand, ...]
    guard: Word | None
    text: str

    @property
    def name(self) -> str:
        """The whole name."""
        return ".".join(self.words)

    @property
    def has_result(self) -> bool:
        """Whether the first operand is what it gives."""
        if self.words[0] in ("bar", "barrier"):
            return "red" in self.words
        none = ("st", "red", "cp", "stmatrix", "nanosleep", "prefetch", "prefetchu")
        return bool(self.operands) and self.words[0] not in none

    def without(self, word: str) -> Instruction:
        """Return the instruction without a part of its name, and without the last operand, which comes with that."""
        kept = tuple(one for one in self.words if one != word)
        text = self.text.replace(f".{word}", "", 1).rpartition(",")[0]
        return Instruction(kept, self.operands[:-1], self.guard, text)


@dataclass(frozen=True, slots=True)
class Listing:
    """The contents of an asm statement: its registers with their types (`pred`, `u32`, …), and its instructions."""

    registers: tuple[tuple[str, str], ...]
    instructions: tuple[Instruction, ...]


def parse_ptx(text: str) -> Listing:
    """Read the text of an asm statement.

    Raises
    ------
    PtxError
        For what is no PTX, and for labels and directives other than `.reg`.
    """
    return _Reader(text).listing()


class _Reader:
    def __init__(self, text: str) -> None:
        found = [(m.lastgroup, m[0]) for m in _TOKEN.finditer(text)]
        self._tokens = [(kind, token.replace("%%", "%", 1)) for kind, token in found if kind != "space" and token]
        self._tokens.append(("end", ""))
        self._at = 0
        self._registers: list[tuple[str, str]] = []

    def listing(self) -> Listing:
        made: list[Instruction] = []
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
                made.append(self._instruction())
        if depth:
            raise PtxError("it leaves a brace open")
        return Listing(tuple(self._registers), tuple(made))

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
                self._registers += [(f"{name}{n}", words[1]) for n in range(int(count))]
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
        text = _spelled([token for _, token in self._tokens[first : self._at]])
        self._require(";")
        return Instruction(tuple(name.split(".")), tuple(operands), guard, text)

    def _operand(self) -> Operand:
        if self._take("["):
            base = self._single()
            offset = self._whole() if self._take("+") else 0
            self._require("]")
            return Address(base, offset)
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

    def _whole(self) -> int:
        value = self._number()
        if not isinstance(value, int):
            raise PtxError(f"{value} where a whole number belongs")
        return value

    def _number(self) -> int | float:
        kind, token = self._tokens[self._at]
        if kind != "number":
            raise PtxError(f"a number is missing before '{token or 'its end'}'")
        self._at += 1
        sign, digits = (-1, token[1:]) if token[0] == "-" else (1, token)
        digits = digits.removesuffix("U")
        if digits[:2] in ("0f", "0F"):
            return sign * float(struct.unpack(">f", bytes.fromhex(digits[2:]))[0])
        if digits[:2] in ("0d", "0D"):
            return sign * float(struct.unpack(">d", bytes.fromhex(digits[2:]))[0])
        if "." in digits:
            return sign * float(digits)
        if len(digits) > 1 and digits[0] == "0" and digits.isdigit():
            return sign * int(digits, 8)
        return sign * int(digits, 0)


def _spelled(tokens: list[str]) -> str:
    """Put tokens together again, with a space after the name and after each comma."""
    made = ""
    for token in tokens:
        glued = token in ",]}+|:" or made[-1:] in ("[", "{", "@", "!", "+", "|", "")
        made += token if glued else f" {token}"
    return made
