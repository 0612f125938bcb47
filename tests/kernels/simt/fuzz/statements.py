"""Random CUDA C without undefined behaviour: statements that a thread runs on its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.kernels.simt.fuzz.expressions import FLOATS, INTEGERS, Array
from tests.kernels.simt.fuzz.objects import Objects

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis.strategies import DrawFn


class Statements(Objects):
    """Writes statements.

    `targets` are variables that may be assigned (True: of an integer type), `own` the arrays that may be stored to.
    In `kernel` code the kernel's own variables can be used by name. `leaving` are the words that end a thread's way
    through a loop, a switch or the function here. With `jumps` there is goto.
    """

    def __init__(self, draw: DrawFn) -> None:
        super().__init__(draw)
        self.targets = {"x": True, "y": True, "f": False, "d": False}
        self.own: list[Array] = []
        self.kernel = True
        self.leaving: list[str] = []
        self.jumps = False

    def statement(self, depth: int) -> str:
        simple: list[Callable[[int], str]] = [
            self._assign,
            self._assign,
            self._compound,
            self._update,
            self._store,
            self._for_effect,
        ]
        if self.leaving:
            simple.append(self._leave)
        if self.kernel:
            simple += [
                self._reference,
                self._pointer,
                self._either_array,
                self._generic,
                self._atomic,
                self._say,
                self.vector,
                self.pair,
                self.pairs,
                self.matrix,
                self.small_vectors,
                self.chosen_function,
            ]
        if depth <= 0:
            return self.pick(simple)(depth)
        nested: list[Callable[[int], str]] = [self._if, self._loop, self._switch, self.block]
        if self.jumps:
            nested += [self.jump, self.jump]
        return self.pick([*simple, *nested, *nested])(depth - 1)

    def block(self, depth: int) -> str:
        """Statements in braces, with a variable of their own."""
        kept = list(self.integers), list(self.floats), dict(self.targets)
        lines = [self._declare(depth)] if self.chance(40) else []
        lines += [self.statement(depth) for _ in range(1 + self.below(3))]
        self.integers, self.floats, self.targets = kept
        return "{\n" + "\n".join(lines) + "\n}"

    # --- variables and arrays of the thread ----------------------------------------------------------------

    def _declare(self, depth: int) -> str:
        name, whole = self.name(), self.chance(70)
        kind = self.pick(INTEGERS) if whole else self.pick(FLOATS)
        word = self.pick(("", "", "const ")) + (kind if self.chance(70) else "auto")
        text = f"{word} {name} = {self.whole(2) if whole else self.real(2)};"
        if whole or "auto" not in word:
            (self.integers if whole else self.floats).append(name)
        if kind != "bool" and "const" not in word and "auto" not in word:
            self.targets[name] = whole
        return text

    def _assign(self, depth: int) -> str:
        name = self.pick(list(self.targets))
        whole = self.targets[name] and (self.bounded or not self.chance(10))
        return f"{name} = {self.whole(3) if whole else self.real(3)};"

    def _compound(self, depth: int) -> str:
        name = self.pick(list(self.targets))
        if not self.targets[name]:
            return f"{name} {self.pick(('+=', '-=', '*='))} {self.real(2)};"
        if self.chance(20):
            return f"{name} {self.pick(('/=', '%='))} (({self.whole(1)} & 7) + 2);"
        if self.chance(20):
            return f"{name} {self.pick(('<<=', '>>='))} {self.whole(1)} & 7;"
        return f"{name} {self.pick(('+=', '-=', '*=', '&=', '|=', '^='))} {self.whole(2)};"

    def _update(self, depth: int) -> str:
        name = self.pick(list(self.targets))
        return self.pick((f"{name}++;", f"--{name};"))

    def _store(self, depth: int) -> str:
        name, length, whole = self.pick(self.own)
        self.begin()
        where = self.index(length)
        value = self.integer(2) if whole else self.number(2)
        return f"{name}[{where}] {self.pick(('=', '+=', '-='))} {value};"

    def _for_effect(self, depth: int) -> str:
        return f"{self.whole(2)};"

    # --- control flow --------------------------------------------------------------------------------------

    def _if(self, depth: int) -> str:
        text = f"if ({self.truth()}) {self.block(depth)}"
        return f"{text} else {self.block(depth)}" if self.chance(50) else text

    def _leave(self, depth: int) -> str:
        return f"if ({self.truth(1)}) {self.pick(self.leaving)};"

    def _loop(self, depth: int) -> str:
        name, other = self.name(), self.name()
        most = self.pick(("3", "(int)(threadIdx.x & 3)", "(int)(threadIdx.x % 5) + 1"))
        kept, left = list(self.integers), self.leaving
        self.integers.append(name)
        self.leaving = ["break", "continue", *left]
        body = self.block(depth)
        self.integers, self.leaving = kept, left
        return self.pick(
            (
                f"for (int {name} = 0; {name} < {most}; ++{name}) {body}",
                f"{{ int {name} = 0; while ({name}++ < {most}) {body} }}",
                f"{{ int {name} = 0; do {body} while (++{name} < {most}); }}",
                f"for (int {name} = 0, {other} = 4; {name} < {other}; ++{name}, --{other}) {body}",
                f"for (unsigned {name} = 4; ; {name}--) {{ if ({name} < 2) break; {body} }}",
            )
        )

    def jump(self, depth: int) -> str:
        return self.pick([self._jump_ahead, self._jump_back])(depth)

    def _jump_ahead(self, depth: int) -> str:
        """Leave any number of blocks for a label behind them, or for one of two."""
        label, other = self.name(), self.name()
        left = self.leaving
        self.leaving = [f"goto {label}", f"goto {other}", *left]
        body = self.block(depth)
        self.leaving = [f"goto {other}", *left]
        between = self.block(depth)
        self.leaving = left
        first, second = self.pick(((label, other), (other, label)))
        if first == other:
            between = "{}"
        return f"{{\n{body}\n{first}: ;\n{between}\n{second}: ;\n{self.block(depth)}\n}}"

    def _jump_back(self, depth: int) -> str:
        """Go round a few times, by jumps to two labels."""
        name, label, other = self.name(), self.name(), self.name()
        kept = list(self.integers)
        self.integers.append(name)
        most = self.pick(("3", "(int)(threadIdx.x & 3)", "(int)(threadIdx.x % 5)"))
        parts = [self.block(depth), self.block(depth)]
        self.integers = kept
        return (
            f"{{\nint {name} = 0;\n{label}: ;\n{parts[0]}\n"
            f"if ({name} == 1) {{ ++{name}; goto {label}; }}\n{other}: ;\n{parts[1]}\n"
            f"if (++{name} < {most}) goto {self.pick((label, other))};\n}}"
        )

    def _switch(self, depth: int) -> str:
        left = self.leaving
        self.leaving = ["break", *left]
        cases = []
        for label in self.pick((("0", "1"), ("0", "2:\ncase 3"), ("1",))):
            end = "break;" if self.chance(60) else ""
            cases.append(f"case {label}:\n{self.statement(depth)}\n{end}")
        if self.chance(60):
            cases.insert(self.below(len(cases) + 1), f"default:\n{self.statement(depth)}\n")
        self.leaving = left
        return f"switch (({self.whole(1)}) & 3) {{\n" + "\n".join(cases) + "\n}"

    # --- what the kernel's own variables allow ---------------------------------------------------------------

    def _say(self, depth: int) -> str:
        return f'if ({self.truth(1)}) printf("%d %u %lld\\n", t, y, (long long)({self.whole(1)}));'

    def _reference(self, depth: int) -> str:
        name, target = self.name(), self.pick(("x", "a[3]", f"a[{self.index(8)}]"))
        return f"{{ int &{name} = {target}; {name} += {self.whole(1)}; x ^= {name}; }}"

    def _pointer(self, depth: int) -> str:
        name = self.name()
        self.begin()
        walk = self.pick(
            (f"x += *{name}++;", f"x -= {name}[1];", f"*{name} = x; ++{name};", f"{name} += 2; *{name} ^= 5;")
        )
        return f"{{ int *{name} = a + ({self.index(4)}); {walk} x += *{name} + (int)({name} - a); }}"

    def _either_array(self, depth: int) -> str:
        """A pointer that leads some threads into one array and some into another."""
        name = self.name()
        arrays = [array for array, length, whole in self.arrays if whole and length >= 8]
        one, two = self.pick(arrays), self.pick(arrays)
        self.begin()
        use = self.pick((f"x += {name}[{self.index(4)}];", f"{name} += 3; x ^= *{name};", f"x -= total({name}, 4);"))
        return f"{{ const int *{name} = {self.condition(1)} ? {one} : {two}; {use} }}"

    def _generic(self, depth: int) -> str:
        kind, count = self.pick(("int", "long long", "float", "unsigned char")), 1 + self.below(4)
        call = f"repeat<{kind}, {count}>({self.pick(('x', 'y', 'a[1]', '7'))})"
        return self.pick(
            (
                f"x += (int)fminf(1000.0f, fmaxf(-1000.0f, {call}));",
                f"d = {call};",
                "exchange(a[0], a[5]);",
                "exchange(f, b[1]);",
                f"x += total(a + {self.below(4)}, 3);",
            )
        )

    def _atomic(self, depth: int) -> str:
        """Integer operations that commute, whose results nobody looks at."""
        name = self.pick(("atomicAdd", "atomicSub"))
        return f"{name}(&COUNT[{self.pick(('0', '1', 't & 1'))}], {self.whole(1)});"
