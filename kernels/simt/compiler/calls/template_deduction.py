"""Template argument deduction from the arguments of a call.

Example: `scale(x, 2.0f)` for `template <typename T> void scale(T *to, T by)` with `float *x` matches `T *` and `T`,
both with T = float. With `double *x` the second match contradicts the first, and the template does not fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.templates.matching import match
from kernels.frontend.templates.template_arguments import depends, pack
from kernels.frontend.types import (
    Array,
    CType,
    FunctionName,
    FunctionPointer,
    Named,
    Pointer,
    Reference,
    Scalar,
    Struct,
)
from kernels.simt.compiler.expressions.addresses import pointee
from kernels.simt.machine.arithmetic import uniform

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.ast import Call, Template
    from kernels.frontend.types import Argument as TemplateArgument
    from kernels.simt.compiler.compiled_values import Code
    from kernels.simt.compiler.context import Context


def deduce(
    c: Context, template: Template, node: Call, arguments: Sequence[Code]
) -> tuple[TemplateArgument | None, ...] | None:
    """Return a template's arguments: explicit, deduced, and default ones; None if the template does not fit.

    A None among them is a default that depends on other arguments.
    """
    known: dict[str, TemplateArgument] = {}
    named = [(parameter.name or f"unnamed {number}", parameter) for number, parameter in enumerate(template.parameters)]
    values = list(node.template)
    for name, parameter in named:
        listed: list[TemplateArgument] = []
        while values and (parameter.pack or not listed):
            found = argument(c, parameter, values[0])
            if found is None:
                break
            listed.append(found)
            values.pop(0)
        if parameter.pack and listed:
            known[name] = pack(listed)
        elif listed:
            (known[name],) = listed
        elif values and not parameter.pack:
            return None
    if values:
        return None
    explicit = frozenset(known)
    for number, (wanted, code) in enumerate(zip(template.signature, arguments, strict=False)):
        if wanted.pack:
            if not _match_pack(wanted.type, [code.type for code in arguments[number:]], known, explicit):
                return None
        elif not _match(wanted.type, code.type, known, explicit):
            return None
    for name, parameter in named:
        if parameter.pack:
            known.setdefault(name, pack([]))
        default = parameter.default
        if name in known or (isinstance(default, CType) and depends(default)):
            continue
        found = None if default is None else argument(c, parameter, default)
        if found is None:
            return None
        known[name] = found
    return tuple(known.get(name) for name, _ in named)


def _match_pack(
    pattern: CType, kinds: Sequence[CType], bindings: dict[str, TemplateArgument], explicit: frozenset[str]
) -> bool:
    """Match the type of a pack of parameters against those of the remaining arguments."""
    found: dict[str, list[TemplateArgument]] = {}
    for kind in kinds:
        each: dict[str, TemplateArgument] = {}
        if not _match(pattern, kind, each, explicit):
            return False
        for name, value in each.items():
            found.setdefault(name, []).append(value)
    for name, values in found.items():
        if name not in explicit:
            bindings[name] = pack(values)
    return True


def argument(c: Context, parameter: ast.TemplateParameter, value: CType | ast.Expr) -> TemplateArgument | None:
    """Return the value of a template argument; None if a type is given for a number, or the reverse."""
    if isinstance(parameter.type, FunctionPointer):
        return FunctionName(value.id, value.template) if isinstance(value, ast.Name) else None
    if parameter.type is None:
        return None if isinstance(value, ast.Expr) else value
    if not isinstance(value, ast.Expr):
        return None
    code = c.compile(value)
    if code.constant is None or not isinstance(code.type, Scalar):
        raise c.refuse(value.span, f"template argument {parameter.name} must be known before the launch")
    number = uniform(code.constant, parameter.type)
    assert isinstance(number, int | float | bool)
    return number


def _match(
    pattern: CType, kind: CType, bindings: dict[str, TemplateArgument], explicit: frozenset[str], *, whole: bool = False
) -> bool:
    """Match a parameter's type, in which template parameters are `Named`, against an argument's.

    Parameters with `explicit` arguments are not deduced: the argument is converted. `whole`: an array does not decay to
    a pointer.
    """
    if isinstance(pattern, Reference):
        return _match(pattern.to, kind, bindings, explicit, whole=isinstance(pattern.to, Array))
    if isinstance(pattern, Named) and pattern.template:
        tried: dict[str, TemplateArgument] = {name: value for name, value in bindings.items() if name not in explicit}
        fits = not isinstance(kind, Struct) or match(pattern, kind, tried)
        bindings.update({name: value for name, value in tried.items() if name not in explicit} if fits else {})
        return fits
    if isinstance(pattern, Named):
        found = kind if whole or not isinstance(kind, Array) else Pointer(kind.of)
        return pattern.name in explicit or bindings.setdefault(pattern.name, found) == found
    if isinstance(pattern, Pointer):
        source = pointee(kind)
        return source is None or _match(pattern.to, source, bindings, explicit)
    if isinstance(pattern, FunctionPointer):
        if not isinstance(kind, FunctionPointer) or len(pattern.parameters) != len(kind.parameters):
            return True
        pairs = zip((pattern.returns, *pattern.parameters), (kind.returns, *kind.parameters), strict=True)
        return all(_match(a, b, bindings, explicit) for a, b in pairs)
    if isinstance(pattern, Array):
        if not isinstance(kind, Array):
            return False
        if pattern.open not in ("", "?") and bindings.setdefault(pattern.open, kind.length) != kind.length:
            return False
        return _match(pattern.of, kind.of, bindings, explicit, whole=True)
    return True
