"""Prelude of an instrumented program: the functions that write the log.

They have no branches, so that the compiler contracts products and sums to FMAs as in the plain kernel. A variable in a
register is passed by value: taking its address would move it to memory.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from kernels.frontend.types import Struct
from kernels.frontend.unparse.program import spell
from kernels.simt.compiler.structs.layout import parts

if TYPE_CHECKING:
    from kernels.frontend.types import CType

_INLINE: Final = "__device__ __forceinline__"


def _text(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


CLOCK: Final = _text("clock.cuh")
PRELUDE: Final = _text("cmath.cuh") + CLOCK + _text("log.cuh")


def struct_helpers(kind: CType) -> str:
    """Return overloads that log a struct member by member; "" for a struct that is one access."""
    pieces = parts(kind) if isinstance(kind, Struct) else ()
    if len(pieces) < 2:
        return ""
    name, head = spell(kind), f"{_INLINE} void"
    read = "".join(f" ts_note(note, (const char *)place + {p.offset}, {p.size});" for p in pieces)
    wrote = "".join(
        f" ts_bits(note, (const char *)place + {p.offset}, (const char *)&value + {p.offset}, {p.size});"
        for p in pieces
    )
    return (
        f"{head} ts_mark(unsigned int note, const {name} *place) {{{read} }}\n"
        f"{head} ts_wrote(unsigned int note, const void *place, const {name} &value) {{{wrote} }}"
    )
