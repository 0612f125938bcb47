"""Matching of types with open names against types, to deduce template arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from kernels.frontend import ast
from kernels.frontend.templates.name_mangling import template_name
from kernels.frontend.templates.template_arguments import Expansion, Pack, TemplateName, pack
from kernels.frontend.types import (
    AUTO,
    Argument,
    Array,
    CType,
    FunctionName,
    FunctionPointer,
    Named,
    Pointer,
    Reference,
    Struct,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def match(pattern: object, actual: object, bindings: dict[str, Argument]) -> bool:
    """Return whether a type or value has the form of a pattern; bind the pattern's open names in `bindings`.

    A pattern is a type, in which each `Named` is open, or an expression: a name is open, a number matches itself, and
    any other expression matches everything.
    """
    # `template <typename T, int N> f(Row<T, N> *r)` is called with a `Row<float, 8> *`: Pointer(Named "Row<T, N>") is
    # matched with Pointer(Struct), then the arguments (Named T, Name N) with (float, 8): T = float and N = 8.
    # A name that is bound already must get the same value: `g(T, T)` does not fit (int, float).
    match pattern:
        case ast.Number():
            return not isinstance(actual, CType) and pattern.value == actual
        case ast.Name():
            return _is_argument(actual) and _bind(bindings, pattern.id, actual)
        case _ if isinstance(pattern, ast.Expr):
            return True
        case TemplateName() | FunctionName() if isinstance(actual, Named | FunctionName):
            return pattern.name == actual.name
        case Named(template="?"):  # not deduced: `typename T::type`
            return True
        case Named(template="") if pattern != AUTO:
            return _is_argument(actual) and _bind(bindings, pattern.name, actual)
        case Named():
            return isinstance(actual, Struct) and _match_instance(pattern, actual, bindings)
        case Pointer() if isinstance(actual, Pointer):
            return pattern.const == actual.const and match_type(pattern.to, actual.to, bindings)
        case Reference() if isinstance(actual, Reference):
            same = (pattern.const, pattern.rvalue) == (actual.const, actual.rvalue)
            return same and match_type(pattern.to, actual.to, bindings)
        case Array() if isinstance(actual, Array):
            return _match_length(pattern, actual.length, bindings) and match_type(pattern.of, actual.of, bindings)
        case FunctionPointer() if isinstance(actual, FunctionPointer):
            return len(pattern.parameters) == len(actual.parameters) and match_all(
                (pattern.returns, *pattern.parameters), (actual.returns, *actual.parameters), bindings
            )
    return pattern == actual


def _is_argument(actual: object) -> TypeGuard[Argument]:
    return isinstance(actual, CType | FunctionName | int | float)


def _match_length(pattern: Array, length: int, bindings: dict[str, Argument]) -> bool:
    if pattern.open == "?":
        return True
    return _bind(bindings, pattern.open, length) if pattern.open else pattern.length == length


def match_type(pattern: CType, kind: CType, bindings: dict[str, Argument]) -> bool:
    """Return whether a type has the form of another one."""
    return match(pattern, kind, bindings)


def match_all(patterns: Sequence[object], actual: Sequence[object], bindings: dict[str, Argument]) -> bool:
    """Return whether a list has the form of a list of patterns, the last of which may be a pack's."""
    actual = [part for each in actual for part in (each.elements if isinstance(each, Pack) else (each,))]
    last = patterns[-1] if patterns else None
    if isinstance(last, Expansion):
        fixed = len(patterns) - 1
        return (
            len(actual) >= fixed
            and match_all(patterns[:-1], actual[:fixed], bindings)
            and match_pack(last.of, actual[fixed:], bindings)
        )
    return len(patterns) == len(actual) and all(map(lambda a, b: match(a, b, bindings), patterns, actual))


def match_pack(pattern: object, actual: Sequence[object], bindings: dict[str, Argument]) -> bool:
    """Match the remaining arguments with one pattern: each open name in it is bound to a pack."""
    found: list[dict[str, Argument]] = []
    for each in actual:
        found.append({})
        if not match(pattern, each, found[-1]):
            return False
    # Each element is matched separately, with its own bindings; then the values of one name are collected into its
    # pack.
    names = found[0].keys() if found else _names(pattern)
    return all(_bind(bindings, name, pack([one[name] for one in found])) for name in names)


def _names(pattern: object) -> list[str]:
    """Return the open name of a pattern that is only a name; other names remain unbound in an empty pack."""
    if isinstance(pattern, ast.Name):
        return [pattern.id]
    return [pattern.name] if isinstance(pattern, Named) and not pattern.template else []


def _match_instance(pattern: Named, kind: Struct, bindings: dict[str, Argument]) -> bool:
    """Match `Row<T, 4>`, or `Op<T>` with an open template `Op`, with an instance or a struct derived from one."""
    found: Struct | None = kind
    while found is not None:
        # Bind in a copy: a base class is tried only after the struct itself, and must not see bindings of the failed
        # attempt.
        tried = dict(bindings)
        template = TemplateName(template_name(found.name))
        same = _bind(tried, pattern.template, template) if pattern.open else template.name == pattern.template
        if same and found.arguments and match_all(pattern.arguments, found.arguments, tried):
            bindings.update(tried)
            return True
        found = found.base
    return False


def _bind(bindings: dict[str, Argument], name: str, actual: Argument) -> bool:
    return bindings.setdefault(name, actual) == actual


def depth(pattern: object) -> int:
    """Return the degree of specialisation of a pattern: of two that match, the larger one is chosen."""
    match pattern:
        case Named(template=""):
            return 0
        case Named():
            return 1 + _sum(pattern.arguments)
        case ast.Name():
            return 0
        case Reference():
            return depth(pattern.to)
        case Pointer():
            return 1 + pattern.const + depth(pattern.to)
        case Array():
            return 1 + (not pattern.open) + depth(pattern.of)
        case FunctionPointer():
            return 1 + _sum((pattern.returns, *pattern.parameters))
    return 1


def _sum(patterns: Iterable[object]) -> int:
    return sum(map(depth, patterns))
