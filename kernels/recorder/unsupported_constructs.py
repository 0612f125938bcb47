"""Constructs that the simulator runs and the recorder refuses, on every GPU or on those before sm_80."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kernels.errors import SourceError
from kernels.frontend import ast
from kernels.frontend.headers.atomics import Atomic
from kernels.frontend.headers.bfloat16 import BF16, BF162
from kernels.frontend.headers.curand import XORWOW
from kernels.frontend.headers.textures import Image
from kernels.frontend.headers.wmma import Fragment
from kernels.frontend.types import AUTO, BOUND, UNNAMED, Array, FunctionPointer, Pointer, Reference, Struct
from kernels.recorder.names import below
from kernels.simt.compiler.structs.layout import leaves

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kernels.frontend.ast import Function, Span
    from kernels.frontend.types import CType


_COPIES: Final = re.compile(r"\s*cp\.async\.[^;{]*;?\s*")
"""The only inline PTX that can be recorded: one asynchronous copy, commit or wait."""

_CALLS: Final = ("memcpy_async", "wait")
"""Copies by groups: their accesses cannot be attributed to lanes."""

_PARTIAL_BARRIERS: Final = ("__phase_", "__barrier_sync")
"""Prefixes of functions for barriers of part of a block, and for pipelines, that only the simulator has."""


def refuse_unsupported(file: str, functions: Sequence[Function], variables: Sequence[ast.Variable]) -> None:
    """Refuse textures and surfaces, which the host would have to create, types of libraries, and function pointers.

    Raises
    ------
    SourceError
        At the first that is declared.
    """
    for one in (*variables, *_declarations(functions)):
        if (
            _is_unsupported_type(one.type)
            or _is_pointer_to_pointers(one)
            or _is_auto(one)
            or any(_is_unsupported_type(leaf.type) for leaf in leaves(one.type))
        ):
            raise cannot_record(file, one.span, f"{one.type} '{one.name}'")
    own = {function.name for function in functions}
    for part in below(tuple(function.body for function in functions)):
        what = _unsupported_construct(part)
        if isinstance(part, ast.Call) and part.function in _CALLS and part.function not in own:
            what = part.function
        if what:
            raise cannot_record(file, part.span, what)


def find_sm_80_construct(functions: Sequence[Function]) -> str:
    """Return the first construct that GPUs before sm_80 lack, such as cp.async; "" for none.

    A launch for sm_80 or a later one has none of a source's branches for older GPUs.
    """
    for part in below(tuple(function.body for function in functions)):
        match part:
            case ast.Assembly():  # `refuse_unsupported` lets no other inline PTX pass
                return "cp.async"
            case ast.Call() if part.function.startswith("__reduce_"):
                return str(part.function)
    return ""


def cannot_record(file: str, span: Span, what: str) -> SourceError:
    """Return the error for a construct that the recorder refuses."""
    reason = f"{what} cannot be recorded on a GPU: trace the kernel without --on-gpu"
    return SourceError(file, span.line, span.column, reason)


def _unsupported_construct(part: object) -> str:
    """Return the name of an unsupported construct; "" for any other part of the program."""
    match part:
        case ast.Assembly() if not _COPIES.fullmatch(part.template):
            return f'asm("{(part.template.split(";")[0].split() or [""])[0]} …")'
        case ast.Call(function="malloc" | "free" | "new" | "new[]" | "new[]{}"):
            return "the device's heap"
        case ast.Goto():
            return "goto"
        case ast.Cast() if _is_unsupported_type(part.type):
            return str(part.type)
        case ast.Call() if part.function.startswith(_PARTIAL_BARRIERS):
            return "a barrier of part of a block"
        case (
            ast.Assign(target=ast.Conditional())
            | ast.Update(target=ast.Conditional())
            | ast.Unary(op="&", operand=ast.Conditional())
            | ast.Variable(type=Reference(const=False), value=ast.Conditional())
        ):
            return "?: as an lvalue"
    return ""


def _declarations(functions: Sequence[Function]) -> Iterator[ast.Variable | ast.Parameter]:
    for function in functions:
        yield from function.parameters
        yield from (part for part in below(function.body) if isinstance(part, ast.Variable))


def _is_pointer_to_pointers(one: ast.Variable | ast.Parameter) -> bool:
    """Return whether a parameter is a pointer to pointers, whose targets would have to be allocated on the device."""
    kind = one.type
    return isinstance(one, ast.Parameter) and isinstance(kind, Pointer) and isinstance(kind.to, Pointer)


def _is_auto(one: ast.Variable | ast.Parameter) -> bool:
    """Return whether a parameter is `auto x`, `auto *x` or `auto &x`, which needs C++20."""
    kind = one.type.to if isinstance(one.type, Pointer | Reference) else one.type
    return isinstance(one, ast.Parameter) and kind == AUTO


def _is_unsupported_type(kind: CType) -> bool:
    if isinstance(kind, Reference) and kind.rvalue:
        return True
    if isinstance(kind, Pointer | Reference) and not isinstance(kind, Image):
        return _is_unsupported_type(kind.to)
    if isinstance(kind, Struct) and any(field.name.startswith((UNNAMED, BOUND)) for field in kind.fields):
        return True
    if isinstance(kind, Array):
        return _is_unsupported_type(kind.element)
    return isinstance(kind, Image | Atomic | Fragment | FunctionPointer) or kind in (XORWOW, BF16, BF162)
