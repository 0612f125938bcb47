"""Random CUDA C without undefined behaviour: expressions, and the variables that they may name."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, TypeVar

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hypothesis.strategies import DrawFn, SearchStrategy

T = TypeVar("T")

Array = tuple[str, int, bool]
"""An array that can be indexed: what it is called, its length, a power of two, and whether it holds integers."""

WIDE: Final = ("int", "unsigned", "long long", "unsigned long long")
INTEGERS: Final = (*WIDE, "short", "unsigned short", "signed char", "unsigned char", "bool")
FLOATS: Final = ("float", "double")
WHOLE: Final = (
    "1",
    "0",
    "2",
    "3",
    "7",
    "-1",
    "255",
    "256",
    "65535",
    "2147483647",
    "-2147483647",
    "4294967295u",
    "0x80000000u",
    "77LL",
    "9223372036854775807LL",
    "0xfffffffffULL",
    "true",
    "'a'",
)
FLOATING: Final = ("0.5f", "1.25", "-2.5f", "0.1f", "3e30f", "1e-40f", "1e300", "0.0f")
LANES: Final = "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))"
BUILT_IN: Final = (
    "threadIdx.x",
    "threadIdx.y",
    "blockIdx.x",
    "blockDim.x",
    "gridDim.x",
    "threadIdx.z",
    "warpSize",
)


@cache
def _below(count: int) -> SearchStrategy[int]:
    return st.integers(0, count - 1)


class Expressions:
    """Writes expressions over the names in scope.

    `integers` and `floats` can be read; `arrays` are read at an index masked into their power-of-two length;
    `effects` are counters that a full expression may change once, where it does not name them otherwise. `bounded`
    leaves out floating-point values that do not fit an integer type: C++ says nothing about them, CUDA does.
    """

    def __init__(self, draw: DrawFn) -> None:
        self._draw = draw
        self.integers = ["t", "x", "y"]
        self.floats = ["f", "d"]
        self.arrays: list[Array] = [("X", 8, True), ("F", 8, False)]
        self.functions: list[tuple[str, bool]] = []
        self.effects: list[str] = []
        self.bounded = False
        self._unused: list[str] = []

    # --- choices -----------------------------------------------------------------------------------------

    def below(self, count: int) -> int:
        """A number from 0; the smaller the simpler."""
        return self._draw(_below(count)) if count > 1 else 0

    def pick(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]

    def chance(self, percent: int) -> bool:
        return self.below(100) >= 100 - percent

    # --- expressions -------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Start a full expression: every effect may happen once."""
        self._unused = list(self.effects)

    def whole(self, depth: int = 3) -> str:
        """A full expression of any integer type."""
        self.begin()
        return self.integer(depth)

    def real(self, depth: int = 2) -> str:
        """A full expression of any arithmetic type, where a floating-point value is welcome."""
        self.begin()
        return self.number(depth)

    def truth(self, depth: int = 2) -> str:
        """A full condition."""
        self.begin()
        return self.condition(depth)

    def integer(self, depth: int) -> str:
        if depth <= 0 or self.chance(15):
            return self._whole_leaf()
        choices: tuple[Callable[[int], str], ...] = (
            self._arithmetic,
            self._arithmetic,
            self._arithmetic,
            self._shift,
            self._divide,
            self._choose,
            self._cast,
            self._unary,
            self._element,
            self._call,
            self._built_in_call,
            self._effect,
            self._from_real,
            self._condition,
        )
        return self.pick(choices)(depth - 1)

    def number(self, depth: int) -> str:
        if depth <= 0:
            return self._real_leaf()
        match self.below(9):
            case 0 | 1 | 2:
                return f"({self.number(depth - 1)} {self.pick('+-*')} {self.number(depth - 1)})"
            case 3:
                return f"({self.number(depth - 1)} / {self.pick(FLOATING)})"
            case 4:
                return f"(({self.pick(FLOATS)}){self.integer(depth - 1)})"
            case 5:
                return f"({self.condition(depth - 1)} ? {self.number(depth - 1)} : {self.number(depth - 1)})"
            case 6:
                return self._element_of([a for a in self.arrays if not a[2]], depth - 1)
            case 7:
                return f"(-({self.number(depth - 1)}))"
        one, two = self.number(depth - 1), self.number(depth - 1)
        return self.pick(
            (
                f"fminf({one}, {two})",
                f"fmax({one}, {two})",
                f"fmaf({one}, {two}, {self._real_leaf()})",
                f"sqrtf(fabsf({one}))",
                f"floor({one})",
                f"truncf({one})",
                f"max({one}, {two})",
                f"rintf({two})",
            )
        )

    def condition(self, depth: int) -> str:
        if depth > 0 and self.chance(35):
            return f"({self.condition(depth - 1)} {self.pick(('&&', '||'))} {self.condition(depth - 1)})"
        if self.chance(10):
            return f"!{self.condition(depth - 1)}" if depth > 0 else self._whole_leaf()
        write = self.number if self.chance(25) else self.integer
        compare = self.pick(("<", "<=", ">", ">=", "==", "!="))
        return f"({write(depth - 1)} {compare} {write(depth - 1)})"

    def index(self, length: int, depth: int = 1) -> str:
        """An index into `length` elements, a power of two."""
        if self.chance(50):
            return f"(unsigned)({self.integer(depth)}) % {length}u"
        return f"({self.integer(depth)}) & {length - 1}"

    # --- one kind each -----------------------------------------------------------------------------------

    def _whole_leaf(self) -> str:
        match self.below(5):
            case 0 | 1 | 2:
                return self.pick(self.integers)
            case 3:
                return self.pick(WHOLE)
        return self.pick(BUILT_IN)

    def _real_leaf(self) -> str:
        return self.pick(self.floats) if self.below(3) < 2 else self.pick(FLOATING)

    def _arithmetic(self, depth: int) -> str:
        return f"({self.integer(depth)} {self.pick('+-*&|^')} {self.integer(depth)})"

    def _shift(self, depth: int) -> str:
        return f"({self.integer(depth)} {self.pick(('<<', '>>'))} ({self.integer(depth)} & 15))"

    def _divide(self, depth: int) -> str:
        by = self.pick((f"(({self.integer(depth)} & 7) + 1)", "3", "-7", "16u"))
        return f"({self.integer(depth)} {self.pick('/%')} {by})"

    def _choose(self, depth: int) -> str:
        return f"({self.condition(depth)} ? {self.integer(depth)} : {self.integer(depth)})"

    def _cast(self, depth: int) -> str:
        kind = self.pick(INTEGERS)
        inside = self.integer(depth)
        return f"(({kind})({inside}))" if self.chance(60) else f"static_cast<{kind}>({inside})"

    def _unary(self, depth: int) -> str:
        return f"({self.pick('~!+-')}({self.integer(depth)}))"

    def _element(self, depth: int) -> str:
        return self._element_of([a for a in self.arrays if a[2]], depth)

    def _element_of(self, arrays: list[Array], depth: int) -> str:
        name, length, _ = self.pick(arrays)
        if self.chance(15):
            return f"*({name} + ({self.index(length, depth)}))"
        return f"{name}[{self.index(length, depth)}]"

    def _call(self, depth: int) -> str:
        if not self.functions:
            return self._arithmetic(depth)
        name, takes_float = self.pick(self.functions)
        second = self.number(depth) if takes_float else self.integer(depth)
        return f"{name}({self.integer(depth)}, {second})"

    def _built_in_call(self, depth: int) -> str:
        one, two = self.integer(depth), self.integer(depth)
        least, most = (f"{name}((int)({one}), (int)({two}))" for name in ("min", "max"))
        return self.pick(
            (
                least,
                most,
                f"abs((int)({one}))",
                f"__popc({one})",
                f"__clz((int)({two}))",
                f"({one}, {two})",
                f"(int)sizeof({one})",
            )
        )

    def _effect(self, depth: int) -> str:
        if not self._unused:
            return self._arithmetic(depth)
        name = self._unused.pop(self.below(len(self._unused)))
        return self.pick((f"{name}++", f"--{name}", f"({name} += {self.integer(depth)})", f"({name} = 5)"))

    def _from_real(self, depth: int) -> str:
        """A floating-point value cut off: as it is, or in a range that every integer type of 32 bits holds."""
        if not self.bounded and self.chance(40):
            return f"(({self.pick(INTEGERS)})({self.number(depth)}))"
        kind = self.pick(("int", "long long"))
        return f"(({kind})fminf(fmaxf({self.number(depth)}, -1000.0f), 1000.0f))"

    def _condition(self, depth: int) -> str:
        return f"(int){self.condition(depth)}"
