"""User conversions: by a struct's constructors, and by functions such as `operator float *()`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.errors import SourceError
from kernels.frontend import ast
from kernels.frontend.types import Pointer, Scalar, Struct

if TYPE_CHECKING:
    from kernels.frontend.ast import Span
    from kernels.frontend.types import CType
    from kernels.simt.compiler.compiled_values import Code
    from kernels.simt.compiler.context import Context

_CONVERTED = "(converted)"


def convert_by_constructor(c: Context, code: Code, target: Struct, span: Span) -> Code:
    """Convert a value to a struct by the constructor that takes it."""
    with c.scope():
        c.declare(_CONVERTED, code)
        try:
            return c.compile(ast.Construct(span, target, (ast.Name(span, _CONVERTED),)))
        except SourceError as error:
            if (error.line, error.column) != (span.line, span.column):
                raise  # an error inside the constructor
            raise c.refuse(span, f"{code.type} cannot become {target}") from error


def convert_by_function(c: Context, code: Code, target: CType, span: Span) -> Code:
    """Convert a struct by its conversion function, such as `operator float *()`."""
    kinds = [target, Pointer(target.to)] if isinstance(target, Pointer) else [target]
    for kind in kinds:
        name = f"{code.type}::operator {kind}"
        if name in c.functions:
            with c.scope():
                c.declare(_CONVERTED, code)
                return c.compile(ast.Call(span, name, (ast.Name(span, _CONVERTED),)))
    raise c.refuse(span, f"{code.type} cannot become {target}")


def converts_to_pointer(c: Context, code: Code, kind: CType) -> bool:
    """Return whether a struct has a conversion function to this pointer type, or to it without const."""
    kinds = (kind, Pointer(kind.to)) if isinstance(kind, Pointer) else ()
    return any(f"{code.type}::operator {each}" in c.functions for each in kinds)


def as_pointer(c: Context, code: Code, span: Span) -> Code:
    """Convert a struct by its conversion to a pointer, `operator float *()`; return any other value unchanged."""
    if not isinstance(code.type, Struct):
        return code
    start = f"{code.type}::operator "
    found = [name.removeprefix(start) for name in c.functions if name.startswith(start) and name.endswith("*")]
    if not found:
        return code
    kind = min(found, key=len)  # the one without const, if both are declared
    (function, *_) = c.functions[start + kind]
    assert isinstance(function, ast.Function)
    return convert_by_function(c, code, function.returns, span)


def as_number(c: Context, code: Code, span: Span) -> Code:
    """Convert a struct with a single conversion to a number, `operator float()`; return any other value unchanged."""
    if not isinstance(code.type, Struct):
        return code
    begin = f"{code.type}::operator "
    found = {f.returns for name, functions in c.functions.items() if name.startswith(begin) for f in functions}
    kinds = [kind for kind in found if isinstance(kind, Scalar)]
    return convert_by_function(c, code, kinds[0], span) if len(kinds) == 1 else code
