"""`__dp4a`, `__dp2a_lo` and `__dp2a_hi`: products of bytes, or of halves of a word with bytes, added up in 32 bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.types import INT, UINT, VECTORS, Struct
from kernels.simt.compiler.compiled_values import Code
from kernels.simt.compiler.elementwise import elementwise, operands

if TYPE_CHECKING:
    from kernels.frontend.ast import Call
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile

_UNSIGNED: Final = ("uchar4", "ushort2")


def _parts(words: Any, kind: str) -> Any:
    """See 32-bit words as bytes or halves: the last dimension."""
    return np.ascontiguousarray(np.atleast_1d(words)).view(kind).reshape(*np.atleast_1d(words).shape, -1)


def _dot(name: str, *, signed: bool) -> Any:
    def compute(a: Any, b: Any, c: Any) -> Any:
        a, b = np.broadcast_arrays(a, b)
        letter = "i" if signed else "u"
        right = _parts(b, f"{letter}1").astype(np.int64)
        if name == "__dp4a":
            left = _parts(a, f"{letter}1")
        else:
            left = _parts(a, f"{letter}2")
            right = right[..., :2] if name == "__dp2a_lo" else right[..., 2:]
        total = (left.astype(np.int64) * right).sum(-1) + np.asarray(c, np.int64)
        wrapped = total.astype(np.uint32).view(np.int32 if signed else np.uint32)
        return wrapped if np.ndim(a) or np.ndim(c) else wrapped[0]

    return compute


def _word(c: Context, code: Code) -> Code:
    """See char4 and its like as the word that they fill."""
    if not isinstance(code.type, Struct) or code.type not in [
        VECTORS[n] for n in ("char4", "uchar4", "short2", "ushort2")
    ]:
        return code
    give, kind = code.run, UINT if code.type.name in _UNSIGNED else INT
    item = code.type.fields[0].type.dtype  # type: ignore[union-attr]

    def run(group: Any, mask: Any) -> Any:
        members = np.stack([np.broadcast_to(np.asarray(m, item), (group.size,)) for m in give(group, mask)], axis=1)
        return np.ascontiguousarray(members).view(kind.dtype)[:, 0]

    return Code(run, kind, None, code.pure)


def _compiled(name: str) -> Compile:
    def compiled(c: Context, node: Call) -> Code:
        codes = [_word(c, code) for code in operands(c, node, 3)]
        signed = UINT not in (codes[0].type, codes[1].type)
        kind = INT if signed else UINT
        return elementwise(c, node, codes, [kind] * 3, kind, _dot(name, signed=signed))

    return compiled


DOTS: Final[dict[str, Compile]] = {name: _compiled(name) for name in ("__dp4a", "__dp2a_lo", "__dp2a_hi")}
"""By name."""
