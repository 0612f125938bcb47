"""Overload resolution: the function that a call means, of all functions and templates of its name.

Candidates are compared by the sum of their arguments' conversion ranks, then by const, then by generality ([over.match]
in C++; a sum where C++ compares argument by argument). Example: for `f(1.0f)` with f(double) and f(int), float to
double is a promotion (1), float to int a conversion (2), so f(double) is called.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kernels.errors import SourceError
from kernels.frontend import ast
from kernels.frontend.headers.bfloat16 import BF16
from kernels.frontend.headers.cooperative_groups import accepts, is_group
from kernels.frontend.templates.function_templates import Unfit
from kernels.frontend.templates.matching import depth
from kernels.frontend.types import (
    AUTO,
    DOUBLE,
    FLOAT,
    Array,
    CType,
    FunctionPointer,
    Pointer,
    Reference,
    Scalar,
    Struct,
    Void,
    promote,
    value_type,
)
from kernels.simt.compiler.calls.template_deduction import deduce
from kernels.simt.compiler.compiled_values import Code
from kernels.simt.compiler.expressions.addresses import is_null, pointee
from kernels.simt.compiler.expressions.user_conversions import converts_to_pointer
from kernels.simt.compiler.structs.layout import DIMENSIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.ast import Call, Function, Template
    from kernels.simt.compiler.compiled_values import Place
    from kernels.simt.compiler.context import Context


class NoneFits(SourceError):
    """None of the functions of a name takes the arguments of a call."""


class Recursion(SourceError):
    """A function calls itself."""


_EXACT, _PROMOTED, _CONVERTED, _NEVER = range(4)
_CONSTRUCTED = 100
"""Rank of a conversion by a constructor: worse than all built-in conversions together."""


def resolve(c: Context, node: Call, arguments: Sequence[Code], places: Sequence[Place]) -> Function:
    """Return the best function for the arguments of a call.

    `places` are the lvalues of the arguments, which references can bind to.

    Raises
    ------
    NoneFits
        When none does.
    """
    best: tuple[int, ...] | None = None
    chosen: Function | None = None
    unfit: Unfit | None = None
    declared = c.functions[node.function]
    arguments = [replace(code, type=c.complete(code.type)) for code in arguments]
    for candidate in declared:
        function, passed = candidate, [*arguments]
        # An instance is ranked by its parameters as a plain function is.
        if isinstance(candidate, ast.Template):
            given = deduce(c, candidate, node, arguments)
            if given is None:
                continue
            try:
                function = c.functions.instantiate(candidate, given)
            except Unfit as error:
                unfit = error
                continue
            passed = _as_instance_takes(candidate, function, node, arguments)
        elif node.template:
            continue
        assert isinstance(function, ast.Function)
        rank = _rank(c, function, passed, places)
        if rank is None:
            continue
        adds_const = any(one is not other for one, other in zip(passed, arguments, strict=True))
        # Lexicographic: a better conversion beats const, const beats a template, a plain function beats a template.
        order = (rank, _const_mismatches(function, places), adds_const, *_generality(candidate))
        if best is None or order < best:
            best, chosen = order, function
    if chosen is not None:
        return chosen
    if unfit is not None and len(declared) == 1:
        raise unfit
    raise NoneFits(c.program.file, node.span.line, node.span.column, _mismatch(node, declared, arguments))


def without_const(code: Code, target: CType) -> Code:
    """Return a pointer to const as one to `T` for a parameter `T *` of a template, where T is deduced as const."""
    if isinstance(code.type, Pointer) and code.type.const and target == Pointer(code.type.to):
        return replace(code, type=target)
    return code


def _as_instance_takes(template: Template, function: Function, node: Call, arguments: Sequence[Code]) -> list[Code]:
    """Return the arguments of a call as an instance takes them, in which T may be const."""
    open_ = {parameter.name for parameter in template.parameters[len(node.template) :]}
    passed = [*arguments]
    for number, (target, taken) in enumerate(zip(template.signature, function.parameters, strict=False)):
        kind = target.type
        if number < len(passed) and isinstance(kind, Pointer) and getattr(kind.to, "name", "") in open_:
            passed[number] = without_const(passed[number], taken.type)
    return passed


def _generality(candidate: Function | Template) -> tuple[int, ...]:
    """Return (template, with a pack, -depth of its types): less general is smaller, as `T *` than `T`."""
    if isinstance(candidate, ast.Template):
        packed = any(parameter.pack for parameter in candidate.signature)
        return 1, packed, -sum(depth(parameter.type) for parameter in candidate.signature)
    return any(_is_abbreviated(parameter.type) for parameter in candidate.parameters), 0, 0


def _is_abbreviated(kind: CType) -> bool:
    """Return whether a parameter is `auto x`, `auto *x` or `auto &x`, so that the function is a template."""
    return kind == AUTO or (isinstance(kind, Pointer | Reference) and kind.to == AUTO)


def _mismatch(node: Call, overloads: Sequence[Function | Template], arguments: Sequence[Code]) -> str:
    """Return the reason why no function takes these arguments."""
    types = ", ".join(str(code.type) for code in arguments)
    if len(overloads) == 1 and isinstance(overloads[0], ast.Function):
        count = len(overloads[0].parameters)
        if count != len(arguments):
            return f"{node.function} takes {count} arguments, {len(arguments)} are given"
        wants = ", ".join(str(parameter.type) for parameter in overloads[0].parameters)
        return f"{node.function} takes ({wants}), not ({types})"
    return f"no function '{node.function}' takes ({types})"


def _rank(c: Context, function: Function, arguments: Sequence[Code], places: Sequence[Place]) -> int | None:
    """Return the sum of the arguments' conversion ranks; None if one cannot be passed."""
    parameters = function.parameters
    if len(arguments) > len(parameters) or any(p.default is None for p in parameters[len(arguments) :]):
        return None
    ranks = [
        _EXACT
        if isinstance(p.type, Reference) and c.registry.rules(place) and p.type.to == getattr(place, "kind", None)
        else _distance(code, c.complete(p.type), nameable=_is_lvalue(place) or _is_this(p))
        for code, place, p in zip(arguments, places, parameters, strict=False)
    ]
    ranks = [
        _CONVERTED if rank == _NEVER and converts_to_pointer(c, code, p.type) else rank
        for rank, code, p in zip(ranks, arguments, parameters, strict=False)
    ]
    # Only if no built-in conversion fits, and not for CUDA's functions, whose overloads take numbers.
    if _NEVER in ranks and c.converts_arguments:
        ranks = [
            _CONSTRUCTED if rank == _NEVER and constructed_type(c, p.type, code) else rank
            for rank, code, p in zip(ranks, arguments, parameters, strict=False)
        ]
    return None if _NEVER in ranks else sum(ranks)


def _is_this(parameter: ast.Parameter) -> bool:
    """Return whether a parameter is the object of a member function that takes lvalues and values."""
    return parameter.name == "this" and not (isinstance(parameter.type, Reference) and parameter.type.rvalue)


def constructed_type(c: Context, target: CType, code: Code) -> Struct | None:
    """Return the struct of a parameter to which a constructor converts an argument; None if none does."""
    if isinstance(target, Reference):
        target = target.to if target.const or target.rvalue else code.type
    if not isinstance(target, Struct) or code.type == target:
        return None
    for function in c.functions.get(target.constructor, ()):
        if isinstance(function, ast.Function) and len(function.parameters) > 1:
            _, first, *rest = function.parameters
            if all(p.default is not None for p in rest) and _distance(code, first.type) < _NEVER:
                return target
    return None


def _const_mismatches(function: Function, places: Sequence[Place]) -> int:
    """Return the number of arguments whose const differs from their parameter's; a copy counts as const."""
    pairs = zip(function.parameters, places, strict=False)
    return sum(_mismatches(p.type, place) for p, place in pairs)


def _mismatches(target: CType, place: Place) -> int:
    if isinstance(target, Reference) and target.rvalue:
        return -isinstance(place, Code)
    const = not isinstance(target, Reference) or target.const
    return const != _is_const(place)


def _is_const(place: Place) -> bool:
    return isinstance(place, Code) or place.const


def _is_lvalue(place: Place) -> bool:
    return not isinstance(place, Code) or isinstance(place.type, Array)


def _distance(code: Code, target: CType, *, nameable: bool = True) -> int:
    if is_group(code.type):
        return _EXACT if accepts(value_type(target), code.type) else _NEVER
    if isinstance(target, Reference):
        binds = nameable or target.const or target.rvalue
        if target.to in (code.type, AUTO) and binds:
            return _PROMOTED if target.rvalue and nameable else _EXACT
        if _derives(code.type, target.to) and binds:
            return _PROMOTED
        return _distance(code, target.to) if target.const or (target.rvalue and not nameable) else _NEVER
    if code.type == target or target == AUTO:
        return _EXACT
    if _derives(code.type, target):
        return _PROMOTED
    if isinstance(target, FunctionPointer):
        return _CONVERTED if is_null(code) else _NEVER
    if isinstance(code.type, Scalar) and isinstance(target, Scalar):
        return _PROMOTED if target == promote(code.type) or (code.type, target) == (FLOAT, DOUBLE) else _CONVERTED
    if isinstance(target, Pointer):
        if is_null(code):
            return _CONVERTED
        source = pointee(code.type)
        if source is not None and target.to in (source, AUTO):
            const = isinstance(code.type, Pointer) and code.type.const
            return _NEVER if const and not target.const else _EXACT if const == target.const else _PROMOTED
        if source is not None and _derives(source, target.to):
            return _CONVERTED
        return _CONVERTED if source is not None and isinstance(target.to, Void) else _NEVER
    pair = (code.type, target)
    if {*pair} == DIMENSIONS:
        return _CONVERTED
    return _CONVERTED if BF16 in pair and any(isinstance(one, Scalar) for one in pair) else _NEVER


def _derives(kind: CType, other: CType) -> bool:
    return isinstance(kind, Struct) and kind.derives(other)
