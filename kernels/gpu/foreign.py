"""What the simulator runs and the recorder's text does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.errors import SourceError
from kernels.gpu.names import below
from kernels.simt.structs import leaves
from kernels.source import nodes
from kernels.source.atomics import Atomic
from kernels.source.curand import CORES
from kernels.source.images import Image
from kernels.source.types import FunctionPointer, Pointer, Reference

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kernels.source.nodes import Function
    from kernels.source.types import CType


def refuse_foreign(file: str, functions: Sequence[Function], variables: Sequence[nodes.Variable]) -> None:
    """Refuse textures and surfaces, which the host would have to make, libraries' types and pointers to functions.

    Raises
    ------
    SourceError
        At the first that is declared.
    """
    for one in (*variables, *_declared(functions)):
        if _is_foreign(one.type) or any(_is_foreign(leaf.type) for leaf in leaves(one.type)):
            reason = f"not supported: {one.type} '{one.name}' on a GPU; run it in the simulator alone"
            raise SourceError(file, one.span.line, one.span.column, reason)


def _declared(functions: Sequence[Function]) -> Iterator[nodes.Variable | nodes.Parameter]:
    for function in functions:
        yield from function.parameters
        yield from (part for part in below(function.body) if isinstance(part, nodes.Variable))


def _is_foreign(kind: CType) -> bool:
    if isinstance(kind, Pointer | Reference) and not isinstance(kind, Image):
        return _is_foreign(kind.to)
    return isinstance(kind, Image | Atomic | FunctionPointer) or kind in CORES
