"""Call arguments: lvalues that references can bind to, and values; calls of members."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.errors import MissingMember
from kernels.frontend import ast
from kernels.frontend.templates.name_mangling import plain_name
from kernels.frontend.types import AUTO, BOUND, Array, FunctionPointer, Pointer, Reference, Struct, value_type
from kernels.simt.compiler.compiled_values import Code, Element
from kernels.simt.compiler.expressions.addresses import pointee
from kernels.simt.compiler.expressions.builtins import is_built_in
from kernels.simt.compiler.expressions.lvalues import chosen_lvalue, locate, value_of
from kernels.simt.compiler.hoisting import (
    ARGUMENT,
    VALUE,
    attach,
    compile_once,
    cut,
    evaluate_first,
    locate_first,
    mark,
    recall,
    waits,
)
from kernels.simt.compiler.index.intervals import is_index_argument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.types import CType
    from kernels.simt.compiler.calls.indirect_calls import Arguments
    from kernels.simt.compiler.compiled_values import Place
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.hoisting import Mark

_LVALUES: Final = (ast.Name, ast.Index, ast.Member, ast.Unary)


def compile_arguments(c: Context, node: ast.Call) -> Arguments:
    """Compile the arguments of a call, in the order in which C++ evaluates them."""
    places: list[Place] = []
    marks: list[Mark] = []
    for number, argument in enumerate(node.arguments):
        marks.append(mark(c))
        with c.indexing(is_index_argument(c, node, number)):
            places.append(argument_place(c, argument))
    if not marks or not waits(marks[0], mark(c)):
        return [(p, value_of(c, p, argument.span)) for p, argument in zip(places, node.arguments, strict=True)]
    parts = cut(c, marks)
    order, count = _evaluation_order(node)
    first = order[:count]
    later = {at: [parts[other] for other in order[number + 1 :]] for number, at in enumerate(first)}
    for at in first:
        places[at] = locate_first(c, parts[at], later[at], places[at], node.arguments[at])
    values = [value_of(c, p, argument.span) for p, argument in zip(places, node.arguments, strict=True)]
    for at in first:
        if not _by_reference(c, node, at, places[at]):
            values[at] = evaluate_first(c, parts[at], later[at], values[at], node.arguments[at])
    attach(c, *(parts[at] for at in order))
    return list(zip(places, values, strict=True))


def _evaluation_order(node: ast.Call) -> tuple[Sequence[int], int]:
    """Return the order of a call's arguments, and the number of them that are sequenced before all later ones.

    The operands of an overloaded operator are sequenced as those of the built-in one; a constructor's arguments are
    treated as if they were in braces, which are evaluated in order.
    """
    order = range(len(node.arguments))
    owner, _, name = node.function.rpartition("::")
    operator = name.removeprefix(".").partition("operator")[2]
    if operator.endswith("=") and operator not in ("==", "!=", "<=", ">=") and len(order) == 2:
        return (1, 0), 1
    if name.startswith(".") or operator in ("<<", ">>", ",", "&&", "||"):
        return order, 1
    return order, len(order) if owner and name == plain_name(owner) else 0


def _by_reference(c: Context, node: ast.Call, at: int, place: Place) -> bool:
    """Return whether a function takes an argument by reference: then the function reads it, not the call."""
    if node.function.startswith(".") and at == 0:
        return not (isinstance(place, Element) and isinstance(place.kind, FunctionPointer))
    name = node.function.removeprefix(".")
    functions = [
        function
        for full, declared in c.functions.items()
        if full == node.function or (name != node.function and full.rpartition("::")[2] == name)
        for function in declared
    ]
    taken = [f.parameters if isinstance(f, ast.Function) else f.signature for f in functions]
    return all(isinstance(each[at].type, Reference) for each in taken if at < len(each))


def with_brace_types(c: Context, node: ast.Call) -> ast.Call:
    """Add the types of arguments in braces, if the call can mean only one function."""
    if not any(isinstance(a, ast.Construct) and a.type == AUTO for a in node.arguments):
        return node
    name: str | None = node.function
    if node.function.startswith("."):
        owner = argument_place(c, node.arguments[0])
        name = c.member(owner.kind if isinstance(owner, Element) else owner.type, node.function[1:])
    taking = [f.parameters for f in c.functions.get(name or "", ()) if isinstance(f, ast.Function)]
    taking = [parameters for parameters in taking if len(parameters) >= len(node.arguments)]
    if len(taking) != 1:
        return node
    kinds = [value_type(p.type) for p in taking[0]]
    typed = (
        replace(a, type=kind) if isinstance(a, ast.Construct) and a.type == AUTO else a
        for a, kind in zip(node.arguments, kinds, strict=False)
    )
    return replace(node, arguments=tuple(typed))


def parameter_type(parameter: ast.Parameter, code: Code) -> CType:
    """Return the type of a parameter for an argument: `auto` deduced, a reference without its &."""
    kind = value_type(parameter.type)
    if kind == AUTO:
        return Pointer(code.type.of) if isinstance(code.type, Array) else code.type
    if isinstance(kind, Pointer) and kind.to == AUTO:
        const = isinstance(code.type, Pointer) and code.type.const
        return Pointer(pointee(code.type) or AUTO, kind.const or const)
    return kind


def argument_place(c: Context, node: ast.Expr) -> Place:
    """Return the lvalue or value of an argument; one that waits is compiled once for the statement."""
    if isinstance(node, _LVALUES) and not (isinstance(node, ast.Unary) and node.op != "*"):
        return _place(c, node)
    return compile_once(c, node, ARGUMENT, _compile_place)


def _compile_place(c: Context, node: ast.Expr) -> Place:
    found: Place | None = recall(c, node, VALUE)
    if found is None:
        found = c.known_lvalue(node)
    return found if found is not None else c.remember_lvalue(node, _place(c, node))


def _place(c: Context, node: ast.Expr) -> Place:
    """Return the lvalue of an argument, to which a reference can be bound; Code if it is a value."""
    if isinstance(node, ast.Unary) and node.op != "*":
        return c.compile(node)
    if isinstance(node, (*_LVALUES, ast.Assign, ast.Binary, ast.Call)) and not is_built_in(c, node):
        return locate(c, node)
    return c.compile(node)


def resolve_member_call(c: Context, node: ast.Call) -> ast.Call:
    """Return the call that `s.f(x)` means if f is a callable data member or a static member function."""
    if "::" in node.function and node.function in c.functions:
        return _with_object(c, node, node.function)
    if not node.function.startswith(".") or node.function == ".operator()":
        return node
    name, owner = node.function[1:], node.arguments[0]
    place = argument_place(c, owner)
    kind = place.kind if isinstance(place, Element) else place.type
    full = c.member(kind, name)
    if full is not None:
        if any(map(_works_on_object, c.functions[full])):
            return _with_object(c, _with_chosen_object(c, node, full), full)
        return replace(node, function=full, arguments=node.arguments[1:])
    if not isinstance(kind, Struct) or (kind.field(name) or kind.field(BOUND + name)) is None:
        return node
    member = ast.Member(node.span, owner, name)
    return replace(node, function=".operator()", arguments=(member, *node.arguments[1:]))


def _with_chosen_object(c: Context, node: ast.Call, full: str) -> ast.Call:
    """Return `(*&(c ? a : b)).f()` for `(c ? a : b).f()` if f may change the object, so that it works on no copy."""
    owner = node.arguments[0]
    if not isinstance(owner, ast.Conditional) or not all(
        isinstance(arm, _LVALUES) for arm in (owner.then, owner.otherwise)
    ):
        return node
    changing = any(map(_may_change_object, c.functions[full]))
    return replace(node, arguments=(chosen_lvalue(owner), *node.arguments[1:])) if changing else node


def _with_object(c: Context, node: ast.Call, full: str) -> ast.Call:
    """Add or remove the object of a call, if there are static and other member functions of its name.

    The number of arguments decides between them.
    """
    declared, this = c.functions[full], ast.Name(node.span, "this")
    if len({_works_on_object(f) for f in declared}) < 2:
        return node
    first = node.arguments[0] if node.arguments else None
    given = node.function.startswith(".") or (isinstance(first, ast.Name) and first.id == "this")
    arguments = node.arguments[given:]
    fitting = {_works_on_object(f) for f in declared if _takes(f, len(arguments))}
    if given and fitting == {False}:
        return replace(node, function=full, arguments=arguments)
    if not given and fitting == {True} and c.find("this") is not None:
        return replace(node, arguments=(this, *arguments))
    return node


def _may_change_object(function: ast.Function | ast.Template) -> bool:
    if isinstance(function, ast.Template):
        return True
    this = function.parameters[0].type
    return not isinstance(this, Reference) or not this.const


def _works_on_object(function: ast.Function | ast.Template) -> bool:
    return function.parameter_names[:1] == ("this",)


def _takes(function: ast.Function | ast.Template, count: int) -> bool:
    """Return whether a function can be called with `count` arguments."""
    declared = function.parameters if isinstance(function, ast.Function) else function.signature
    own = declared[_works_on_object(function) :]
    needed = sum(p.default is None and not p.pack for p in own)
    return needed <= count and (count <= len(own) or any(p.pack for p in own))


def member_function(c: Context, node: ast.Call, arguments: Arguments) -> str:
    """Return the full name of the member function that a call means."""
    place, code = arguments[0]
    kind = code.type
    member = node.function[1:]
    name = c.member(kind, member)
    if name is None and isinstance(place, Element) and c.registry.rules(place) is not None:
        raise c.unsupported(node.span, f"member function {member} of {place.kind}")
    if name is None:
        raise c.refuse(node.span, f"{kind} has no member function {member}", MissingMember(str(kind), member))
    return name
