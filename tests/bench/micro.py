"""Kernels of one warp that access shared memory in one pattern each, 64 and 128 bits a lane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

WORDS: Final = 1024
"""Vectors that the shared array of each kernel holds."""


@dataclass(frozen=True, slots=True)
class Micro:
    """One pattern: which vector lane t reads (or writes)."""

    name: str
    kind: str
    index: str
    stores: bool = False

    @property
    def text(self) -> str:
        """A kernel that fills an array lane by lane and then accesses it in this pattern, once."""
        fields = "xyzw"[: int(self.kind[-1])]
        value = ", ".join(f"x + {n}" for n in range(len(fields)))
        total = " + ".join(f"v.{field}" for field in fields)
        first, then = ("s[t]", f"s[{self.index}]") if not self.stores else (f"s[{self.index}]", "s[t]")
        return f"""extern "C" __global__ void {self.name}(const float *in, float *out)
{{
    __shared__ {self.kind} s[{WORDS}];
    int t = threadIdx.x;
    float x = in[t];
    {first} = make_{self.kind}({value});
    __syncthreads();
    {self.kind} v = {then};
    out[t] = {total};
}}
"""


def _named(kind: str, indices: dict[str, str], *, stores: bool = False) -> list[Micro]:
    word = "store" if stores else "load"
    return [Micro(f"{word}_{kind}_{name}", kind, index, stores) for name, index in indices.items()]


_LOADS: Final = {
    "unit": "t",
    "stride2": "2 * t",
    "stride4": "4 * t",
    "stride8": "8 * t",
    "broadcast": "0",
    "pairs": "t / 2",
    "quads": "t / 4",
    "eights": "t / 8",
    "halves": "t % 16",
    "quarters": "t % 8",
    "two_rows": "t % 2 * 16 + t / 16",
    "swapped": "t ^ 1",
    "far_pairs": "t / 2 + t % 2 * 16",
    "far_quads": "t % 4 * 8 + t / 4",
    "reversed": "31 - t",
    "odd": "t / 21",
    "half_pairs": "t < 16 ? t / 2 : t",
    "either_pairs": "t < 16 ? t / 2 : t / 4 * 2 + t % 2",
}
_STORES: Final = {
    "stride2": "2 * t",
    "stride4": "4 * t",
    "swapped": "t ^ 1",
    "far_quads": "t % 4 * 8 + t / 4",
}

MICROS: Final = [
    *_named("float2", _LOADS),
    *_named("float4", _LOADS),
    *_named("float2", _STORES, stores=True),
    *_named("float4", _STORES, stores=True),
]
