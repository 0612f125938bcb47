"""Random bodies of CUDA C without undefined behaviour, for comparing the simulator with a compiler."""

from __future__ import annotations

import random
from typing import Final

TYPES: Final = (
    "int", "unsigned", "signed char", "unsigned char", "short", "long long", "unsigned long long", "float",
    "double", "bool",
)  # fmt: skip
INTEGERS: Final = (
    "int",
    "unsigned",
    "long long",
    "unsigned long long",
    "short",
    "unsigned char",
    "signed char",
)
FLOATS: Final = ("float", "double")
LITERALS: Final = (
    "0", "1", "2", "3", "7", "-1", "100", "255", "256", "65535", "2147483647", "-2147483647", "3u",
    "4294967295u", "7LL", "t", "t",
)  # fmt: skip


class Writer:
    """Writes statements over the variables in scope; the same seed writes the same body."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._variables = [("x", "int"), ("y", "unsigned"), ("f", "float")]
        self._count = 0
        self._loops = 0

    def block(self, depth: int, length: int) -> str:
        """Several statements in braces."""
        outside = len(self._variables)
        lines = [self._statement(depth) for _ in range(length)]
        del self._variables[outside:]
        return "{ " + "\n".join(lines) + " }"

    def _leaf(self, kinds: tuple[str, ...]) -> str:
        known = [name for name, kind in self._variables if kind in kinds]
        if known and self._random.random() < 0.55:
            return self._random.choice(known)
        if kinds != INTEGERS and self._random.random() < 0.3:
            return self._random.choice(("0.5f", "1.25", "3.0f", "-2.5f", "0.1f"))
        return self._random.choice(LITERALS)

    def _integer(self, depth: int) -> str:
        if depth <= 0:
            return self._leaf(INTEGERS)
        one, two = self._integer(depth - 1), self._integer(depth - 1)
        match self._random.randrange(8):
            case 0 | 1 | 2:
                return f"({one} {self._random.choice('+-*&|^')} {two})"
            case 3:
                return f"({one} {self._random.choice(('<<', '>>'))} ({two} & 15))"
            case 4:
                return f"({one} {self._random.choice('/%')} (({two} & 7) + 1))"
            case 5:
                return f"({self._condition(depth - 1)} ? {one} : {two})"
            case 6:
                return f"(({self._random.choice(INTEGERS)})({one}))"
            case _:
                return f"({self._random.choice('~!+')}({one}))"

    def _number(self, depth: int) -> str:
        if depth <= 0:
            return self._leaf(TYPES)
        one, two = self._number(depth - 1), self._number(depth - 1)
        match self._random.randrange(5):
            case 0 | 1 | 2:
                return f"({one} {self._random.choice('+-*')} {two})"
            case 3:
                return f"(({self._random.choice(FLOATS)})({self._integer(depth - 1)}))"
            case _:
                return f"({self._condition(depth - 1)} ? {one} : {two})"

    def _condition(self, depth: int) -> str:
        if depth > 0 and self._random.random() < 0.3:
            joined = self._random.choice(("&&", "||"))
            return f"({self._condition(depth - 1)} {joined} {self._condition(depth - 1)})"
        write = self._number if self._random.random() < 0.3 else self._integer
        return f"({write(depth)} {self._random.choice(('<', '<=', '>', '>=', '==', '!='))} {write(depth)})"

    def _value(self, kind: str) -> str:
        return self._number(2) if kind in FLOATS else self._integer(3)

    def _name(self) -> str:
        self._count += 1
        return f"v{self._count}"

    def _statement(self, depth: int) -> str:
        choice = self._random.randrange(13)
        if choice < 3:
            kind, name = self._random.choice(TYPES), self._name()
            text = f"{kind} {name} = {self._value(kind)};"
            self._variables.append((name, kind))
            return text
        if choice < 6 or depth <= 0:
            return self._assignment()
        if choice < 9:
            text = f"if ({self._condition(2)}) {self.block(depth - 1, self._random.randint(1, 3))}"
            return f"{text} else {self.block(depth - 1, 2)}" if self._random.random() < 0.5 else text
        if choice < 11:
            return self._loop(depth)
        if self._loops and choice == 11:
            return f"if ({self._condition(1)}) {self._random.choice(('break', 'continue'))};"
        return f"total = total * 31 + (unsigned)({self._integer(2)});"

    def _assignment(self) -> str:
        name, kind = self._random.choice(self._variables)
        if self._random.random() < 0.5:
            return f"{name} = {self._value(kind)};"
        if kind in FLOATS:
            return f"{name} {self._random.choice(('+=', '-=', '*='))} {self._number(1)};"
        if kind != "bool" and self._random.random() < 0.3:
            return f"{name}++;"
        return f"{name} {self._random.choice(('+=', '-=', '*=', '&=', '|=', '^='))} {self._integer(2)};"

    def _loop(self, depth: int) -> str:
        counter, most = self._name(), self._random.choice(("3", "(t & 3)", "(t % 5) + 1"))
        self._loops += 1
        body = self.block(depth - 1, self._random.randint(1, 3))
        self._loops -= 1
        match self._random.randrange(3):
            case 0:
                return f"for (int {counter} = 0; {counter} < {most}; ++{counter}) {body}"
            case 1:
                return f"{{ int {counter} = 0; while ({counter}++ < {most}) {body} }}"
            case _:
                return f"{{ int {counter} = 0; do {body} while (++{counter} < {most}); }}"
