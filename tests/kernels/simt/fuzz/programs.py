"""Random kernels, well-formed and free of races by construction.

Each thread writes its own elements of the outputs, shared memory is read between two barriers and written outside of
them, and barriers are in uniform control flow.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from kernels.launch import Dim3, Launch
from tests.kernels.simt.fuzz.expressions import INTEGERS
from tests.kernels.simt.fuzz.frame import ABOVE, HEAD, MOST_SHARED, TAIL, Random
from tests.kernels.simt.fuzz.statements import Statements

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis.strategies import DrawFn


class Programs(Statements):
    """Writes whole programs."""

    def __init__(self, draw: DrawFn, block: int) -> None:
        super().__init__(draw)
        self._block = block

    def program(self) -> str:
        functions = [self.function() for _ in range(self.below(3))]
        template = self._template()
        self.effects = ["e0", "e1"]
        self.own = [("a", 8, True), ("b", 4, False), ("m[1]", 4, True)]
        self.arrays += [*self.own, ("K", 8, True)]
        body = [self._uniform(2) for _ in range(1 + self.below(5))]
        self.leaving = ["return"]  # from here on nobody waits for anybody
        body += [self.statement(2) for _ in range(self.below(4))]
        return "\n".join((ABOVE, *functions, template, HEAD, *body, TAIL))

    # --- functions ---------------------------------------------------------------------------------------

    def function(self) -> str:
        """A function that may return out of its loop."""
        kept = self.integers, self.floats, self.arrays, self.targets, self.own, self.functions
        name, takes_float = f"h{len(self.functions)}", self.chance(40)
        kind = self.pick(INTEGERS)
        second = "float" if takes_float else self.pick([kind for kind in INTEGERS if kind != "bool"])
        self.kernel, self.functions = False, []
        self.integers, self.floats = (
            ["p"] + ([] if takes_float else ["q"]),
            ["q"] if takes_float else ["1.5f"],
        )
        self.targets, self.own = {"p": True, "q": not takes_float}, [("w", 4, True)]
        self.arrays = [*self.own, ("c", 2, False)]
        self.leaving = [f"return {self.whole(1)}"]
        lines = [self.statement(1) for _ in range(self.below(3))]
        if self.jumps:
            lines.append(self.jump(1))
        if self.chance(60):
            leave = f"if ({self.truth(1)}) return {self.whole(1)};"
            lines.append(f"for (int i = 0; i < 4; ++i) {{ {leave} {self.statement(0)} }}")
        lines.append(f"return {self.whole(2)};")
        self.integers, self.floats, self.arrays, self.targets, self.own, known = kept
        self.kernel, self.functions, self.leaving = True, [*known, (name, takes_float)], []
        arrays = "int w[4] = {4, 3, 2, 1};\nfloat c[2] = {0.25f, 3.0f};"
        return f"__device__ {kind} {name}(int p, {second} q)\n{{\n{arrays}\n" + "\n".join(lines) + "\n}\n"

    def _template(self) -> str:
        body = self.pick(
            (
                "total += value * (T)i;",
                "if (i == 2) continue; total = value - total;",
                "value += 1;",
                "if (total > value) return total; total += N;",
            )
        )
        return f"""template <typename T, int N>
__device__ T repeat(T value)
{{
    T total = value;
    for (int i = 0; i < N; ++i) {{ {body} }}
    return total;
}}
"""

    # --- statements in uniform control flow: barriers and shuffles may stand there ------------------------

    def _uniform(self, depth: int) -> str:
        choices: list[Callable[[int], str]] = [
            self.statement,
            self.statement,
            self.statement,
            self._phase,
            self._phase,
            self._buffers,
            self._together,
        ]
        if depth > 0:
            choices.append(self._uniform_loop)
        if self._block % 32 == 0:
            choices += [self._shuffle, self._shuffle]
        return self.pick(choices)(depth)

    def _phase(self, depth: int) -> str:
        """Everybody stores, all wait, everybody reads anything, all wait."""
        target, whole = self.pick((("s[t]", True), ("sf[0][t]", False)))
        value = self.whole(2) if whole else self.real(2)
        more = self._exchanged() if whole and self.chance(30) else ""
        kept = self.arrays
        readable = ("s", MOST_SHARED, True) if whole else ("sf[0]", MOST_SHARED, False)
        fill = f"for (int i = t; i < {MOST_SHARED}; i += threads) {target.replace('[t]', '[i]')} = i;\n__syncthreads();"
        self.arrays = [readable, *kept]
        inside = "\n".join(self.statement(1) for _ in range(1 + self.below(3)))
        self.arrays = kept
        return f"{fill}\n{target} = {value};\n{more}\n__syncthreads();\n{inside}\n__syncthreads();"

    def _exchanged(self) -> str:
        """Atomics on an element of the thread's own, whose old value is used."""
        name = self.pick(
            (
                "atomicAdd",
                "atomicSub",
                "atomicMin",
                "atomicMax",
                "atomicExch",
                "atomicAnd",
                "atomicOr",
                "atomicXor",
            )
        )
        if self.chance(20):
            return f"x += atomicCAS(&s[t], {self.whole(1)}, {self.whole(1)});"
        return f"x ^= {name}(&s[t], {self.whole(2)});"

    def _together(self, depth: int) -> str:
        """Barriers in a function, barriers that count, vectors in shared memory."""
        return self.pick(
            (
                f"x = rotated(s, t, threads, {self.whole(2)});",
                f"y += __syncthreads_{self.pick(('count', 'and', 'or'))}({self.truth(1)});",
                f"sv[t] = make_float4(f, {self.real(1)}, x, 1.0f);\n__syncthreads();\n"
                f"f -= sv[(t + 1) % threads].{self.pick('xyzw')};\n__syncthreads();",
            )
        )

    def _uniform_loop(self, depth: int) -> str:
        name = self.name()
        kept = list(self.integers)
        self.integers.append(name)
        body = "\n".join(self._uniform(depth - 1) for _ in range(1 + self.below(2)))
        self.integers = kept
        return self.pick(
            (
                f"for (int {name} = 0; {name} < 2; ++{name}) {{\n{body}\n}}",
                f"{{ int {name} = n; while (({name} -= 5) > 0) {{\n{body}\n}} }}",
                f"{{ int {name} = 0; do {{\n{body}\n}} while (++{name} < 2); }}",
                f"{{ int {name} = n; if ({name} == 12) {{\n{body}\n}} }}",
                f"{{ int {name} = blockIdx.x; if ({name} % 2 == 0) {{\n{body}\n}} }}",
                f"for (int {name} = 0; ; ++{name}) {{\n{body}\nif ({name} == n % 5) break;\n}}",
                f"{{ int {name} = 1; switch (n) {{\ncase 12:\n{body}\n}} }}",
            )
        )

    def _buffers(self, depth: int) -> str:
        """Two pointers into shared memory take turns."""
        now, then, step = self.name(), self.name(), self.name()
        swap = self.pick((f"float *kept = {now}; {now} = {then}; {then} = kept;", f"exchange({now}, {then});"))
        left = f"{now}[(t + threads - 1) % threads]"
        mix = self.pick((f"0.5f * {now}[t] + {left}", f"t > 0 ? {left} : {now}[t]", f"{left} - {now}[0]"))
        return f"""{{
float *{now} = sf[0], *{then} = sf[1];
{now}[t] = {self.real(1)};
__syncthreads();
for (int {step} = 0; {step} < {1 + self.below(3)}; ++{step}) {{
{then}[t] = {mix};
__syncthreads();
{swap}
}}
f = {now}[threads - 1 - t];
__syncthreads();
}}"""

    def _shuffle(self, depth: int) -> str:
        value = self.whole(2) if self.chance(70) else "f"
        target = "f" if value == "f" else "x"
        full = "0xffffffffu"
        if self.chance(25):
            self.begin()
            vote = self.pick(("__any_sync", "__all_sync", "__ballot_sync"))
            return f"y = {vote}({full}, {self.condition(1)});"
        call = self.pick(
            (
                f"__shfl_xor_sync({full}, {value}, {self.pick((1, 2, 16))})",
                f"__shfl_down_sync({full}, {value}, {self.pick((1, 3, 16))})",
                f"__shfl_up_sync({full}, {value}, {self.pick((1, 5))}, {self.pick((32, 8))})",
                f"__shfl_sync({full}, {value}, {self.pick(('0', '5', 't + 1'))})",
            )
        )
        return f"{target} = {call};"


class Seeded(Programs):
    """Chooses by a seed, for functions that a C++ compiler is to understand in the same way."""

    def __init__(self, seed: int) -> None:
        super().__init__(lambda strategy: strategy, 32)  # type: ignore[arg-type]  # never asked
        self._random = random.Random(seed)
        self.bounded = True
        self.jumps = seed % 2 == 1

    def below(self, count: int) -> int:
        return self._random.randrange(count)


@st.composite
def programs(draw: DrawFn) -> Random:
    """A random program, launch and schedule."""
    block = draw(st.sampled_from([Dim3(4), Dim3(32), Dim3(7), Dim3(3, 5), Dim3(2, 2, 3), Dim3(40), Dim3(8, 8)]))
    grid = draw(st.sampled_from([Dim3(1), Dim3(2)] + ([Dim3(3, 2)] if block.count < 32 else [])))
    schedule = draw(st.sampled_from(["lockstep", "warps", "reversed", "shuffle:5"]))
    return Random(Programs(draw, block.count).program(), Launch(grid, block), schedule)
