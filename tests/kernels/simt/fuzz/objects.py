"""Random CUDA C without undefined behaviour: vectors, structs, and functions chosen by their arguments.

The statements use what `fuzz_frame` declares around every kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.kernels.simt.fuzz.expressions import Expressions

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn


class Objects(Expressions):
    """Writes statements about objects, each in braces of its own."""

    def __init__(self, draw: DrawFn) -> None:
        super().__init__(draw)
        self._names = 0

    def name(self) -> str:
        """A name that nothing else has."""
        self._names += 1
        return f"v{self._names}"

    def vector(self, depth: int) -> str:
        name = self.name()
        change = self.pick(
            (f"{name}.x += {self.real(1)};", f"{name}.w = {name}.y * 2.0f;", f"{name}.z -= f; f = {name}.x;")
        )
        load = self.pick(
            (
                "V[g]",
                "make_float4(f, 1.0f, 2.0f, 3.0f)",
                "V[(g + 3) & 7]",
                "V[0]",
                f"reinterpret_cast<const float4 *>(F)[{self.index(2)}]",
                "*(float4 *)b4",
            )
        )
        store = self.pick((f"RV[g] = {name};", f"*reinterpret_cast<float4 *>(&b4[4]) = {name};"))
        return f"{{ float4 {name} = {load}; {change} {store} f += RV[g].{self.pick('xyzw')} + b4[6]; }}"

    def pair(self, depth: int) -> str:
        one, two = self.name(), self.name()
        other = self.pick(
            (
                f"Pair {two} = {one};",
                f"Pair {two} = {{3, 1.5f}};",
                f"Pair {two} = Pair{{x, f}};",
                f"Pair {two} = {one} + {one};",
                f"Pair {two} = mixed({one}, x);",
            )
        )
        change = self.pick(
            (
                f"if ({self.truth(1)}) {one} = {two};",
                f"exchange({one}, {two});",
                f"{two}.add({self.whole(1)});",
                f"x += {one}.sum({self.whole(1)});",
            )
        )
        return f"""{{
Pair {one} = {{(int)({self.whole(1)}), (float)({self.real(1)})}};
{other}
{two}.first += {self.whole(1)};
{change}
x ^= {one}.first - {two}.first; f = {one}.second;
}}"""

    def pairs(self, depth: int) -> str:
        """An array of structs, one of which is copied and one changed in place."""
        name = self.name()
        return f"""{{
Pair {name}[4];
for (int i = 0; i < 4; ++i) {{ {name}[i].first = i * x; {name}[i].second = f; }}
{name}[{self.index(4)}] = Pair{{t, 0.5f}};
{name}[{self.index(4)}].first -= {self.whole(1)};
Pair kept = {name}[{self.index(4)}];
x += kept.first; d += kept.second;
}}"""

    def matrix(self, depth: int) -> str:
        """A struct with a constructor, an array and another struct inside."""
        one, two = self.name(), self.name()
        self.begin()
        change = self.pick(
            (
                f"{one}.m[{self.index(2)}][{self.index(2)}] = {self.number(1)};",
                f"{one}.corner.first += t;",
                f"exchange({one}, {two});",
                f"if ({self.condition(1)}) {two} = {one};",
                f"{one}.corner = Pair{{x, f}};",
                f"exchange({one}.m[0][1], {two}.m[1][1]);",
            )
        )
        self.begin()
        return f"""{{
Matrix {one}({self.number(1)});
Matrix {two} = {one};
{two}.m[0][{self.index(2)}] -= 1.0f;
{change}
d += {one}.trace() - {two}.trace() + {two}.corner.second; x += {one}.corner.first;
}}"""

    def small_vectors(self, depth: int) -> str:
        name, two = self.name(), self.name()
        kind, member, made = self.pick(
            (
                ("int2", "x", "make_int2({0}, {1})"),
                ("uchar4", "z", "make_uchar4({0}, {1}, t, 255)"),
                ("short3", "y", "make_short3({0}, {1}, -1)"),
                ("int4", "w", "make_int4({1}, 1, x, {0})"),
            )
        )
        return f"""{{
{kind} {name} = {made.format(self.whole(1), "n")};
{name}.{member} += {self.whole(1)};
{kind} {two}[2] = {{{name}, {name}}};
{two}[x & 1].y -= 3;
x ^= {name}.{member} + {two}[0].y * 3 + {two}[1].x;
}}"""

    def chosen_function(self, depth: int) -> str:
        """Overloads, default arguments, enumerators, templates of structs."""
        name = self.name()
        value = self.whole(2)
        return self.pick(
            (
                f"x += pick((int)({value}));",
                f"y -= pick((unsigned)({value}));",
                "x -= pick(f) + pick(1.5f);",
                f"x += clamped({value});",
                f"x += clamped({value}, -2);",
                f"x = apply((Mode)(t & 1), x, {value});",
                f"x = apply(SUB, x, {value}) + lookup[{self.index(4)}];",
                f"{{ Box<int, 4> {name}; for (int i = 0; i < 4; ++i) {name}.v[i] = i * x; x -= {name}.sum(); }}",
                f"{{ Box<double, 2> {name}; {name}.v[0] = d; {name}.v[1] = 0.5; f += {name}.sum(); }}",
                f"{{ byte {name} = {value}; {name} += 200; x ^= {name}; }}",
            )
        )
