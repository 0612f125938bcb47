"""`make_float4` and the other constructors of CUDA's vector types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.frontend.types import VECTORS, Struct
from kernels.simt.compiler.compiled_values import Code
from kernels.simt.compiler.elementwise import operands
from kernels.simt.compiler.operators import convert

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.ast import Call, Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile


def vector_of(c: Context, kind: Struct, codes: Sequence[Code], span: Span) -> Code:
    """Compile a struct of scalar members from the values of the members."""
    members = [convert(c, code, field.type, span) for code, field in zip(codes, kind.fields, strict=True)]
    runs, pure = [member.run for member in members], all(member.pure for member in members)
    return Code(lambda group, mask: tuple([run(group, mask) for run in runs]), kind, None, pure)


def _make(kind: Struct) -> Compile:
    def compiled(c: Context, node: Call) -> Code:
        return vector_of(c, kind, operands(c, node, len(kind.fields)), node.span)

    return compiled


VECTOR_MAKERS: Final[dict[str, Compile]] = {f"make_{name}": _make(kind) for name, kind in VECTORS.items()}
"""By name."""
