"""Which function a call means: overloads by their parameters, templates by deduction."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kernels.errors import InputError, SourceError
from kernels.simt.addresses import is_null, pointed
from kernels.simt.code import Code
from kernels.simt.objects import atomic_kind
from kernels.simt.values import promote, uniform
from kernels.source import evaluate, nodes, parse_expression
from kernels.source.bfloat import BF16
from kernels.source.groups import accepts, is_group
from kernels.source.matching import depth, match
from kernels.source.templates import Unfit
from kernels.source.typenames import named_type
from kernels.source.types import (
    DOUBLE,
    FLOAT,
    Array,
    FunctionName,
    FunctionPointer,
    Named,
    Pointer,
    Reference,
    Scalar,
    Struct,
    Void,
    pack,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kernels.simt.code import Place
    from kernels.simt.context import Context
    from kernels.source.nodes import Call, Function, Template
    from kernels.source.types import CType

    Given = CType | FunctionName | int | float | bool


class NoneFits(SourceError):
    """None of the functions of a name takes the arguments of a call."""


_EXACT, _PROMOTED, _CONVERTED, _NEVER = range(4)


def resolve(c: Context, node: Call, arguments: Sequence[Code], places: Sequence[Place]) -> Function:
    """Return the function that a call means: of those that take the arguments, the one that fits best.

    `places` are what the arguments designate, for a reference needs something to name.

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
        function = candidate
        if isinstance(candidate, nodes.Template):
            given = deduce(c, candidate, node, arguments)
            if given is None:
                continue
            try:
                function = candidate.instantiate(given)
            except Unfit as error:
                unfit = error
                continue
            finally:
                c.add_members()
        elif node.template:
            continue
        assert isinstance(function, nodes.Function)
        rank = _rank(c, function, arguments, places)
        if rank is None:
            continue
        order = (rank, _qualified(function, places), *_generality(candidate))
        if best is None or order < best:
            best, chosen = order, function
    if chosen is not None:
        return chosen
    if unfit is not None and len(declared) == 1:
        raise unfit
    raise NoneFits(c.program.file, node.span.line, node.span.column, _mismatch(node, declared, arguments))


def _generality(candidate: Function | Template) -> tuple[int, ...]:
    """Return whether a function is a template, with a pack, and how little it says: `T *` says more than `T`."""
    if isinstance(candidate, nodes.Template):
        packed = any(parameter.pack for parameter in candidate.signature)
        return 1, packed, -sum(depth(parameter.type) for parameter in candidate.signature)
    return 0, 0, 0


def _mismatch(node: Call, declared: Sequence[Function | Template], arguments: Sequence[Code]) -> str:
    """Say why no function takes these arguments."""
    types = ", ".join(str(code.type) for code in arguments)
    if len(declared) == 1 and isinstance(declared[0], nodes.Function):
        wanted = len(declared[0].parameters)
        if wanted != len(arguments):
            return f"{node.function} takes {wanted} arguments, {len(arguments)} are given"
        wants = ", ".join(str(parameter.type) for parameter in declared[0].parameters)
        return f"{node.function} takes ({wants}), not ({types})"
    return f"no function '{node.function}' takes ({types})"


def _rank(c: Context, function: Function, arguments: Sequence[Code], places: Sequence[Place]) -> int | None:
    """Sum up how far the arguments are from the parameters; None where one cannot be passed."""
    parameters = function.parameters
    if len(arguments) > len(parameters) or any(p.default is None for p in parameters[len(arguments) :]):
        return None
    ranks = [
        _EXACT
        if isinstance(p.type, Reference) and p.type.to == atomic_kind(place)
        else _distance(code, c.complete(p.type), nameable=_nameable(place) or p.name == "this")
        for code, place, p in zip(arguments, places, parameters, strict=False)
    ]
    return None if _NEVER in ranks else sum(ranks)


def _qualified(function: Function, places: Sequence[Place]) -> int:
    """Return how many references a function takes otherwise than what they name is: const, or not."""
    pairs = zip(function.parameters, places, strict=False)
    return sum(
        -isinstance(place, Code) if p.type.rvalue else p.type.const != _is_const(place)
        for p, place in pairs
        if isinstance(p.type, Reference)
    )


def _is_const(place: Place) -> bool:
    return isinstance(place, Code) or place.const


def _nameable(place: Place) -> bool:
    return not isinstance(place, Code) or isinstance(place.type, Array)


def _distance(code: Code, wanted: CType, *, nameable: bool = True) -> int:
    if is_group(code.type):
        return (
            _EXACT if accepts(wanted.to if isinstance(wanted, Reference) else wanted, code.type) else _NEVER
        )
    if isinstance(wanted, Reference):
        binds = nameable or wanted.const or wanted.rvalue
        if code.type == wanted.to and binds:
            return _PROMOTED if wanted.rvalue and nameable else _EXACT
        if _derives(code.type, wanted.to) and binds:
            return _PROMOTED
        return _distance(code, wanted.to) if wanted.const or (wanted.rvalue and not nameable) else _NEVER
    if code.type == wanted:
        return _EXACT
    if _derives(code.type, wanted):
        return _PROMOTED
    if isinstance(wanted, FunctionPointer):
        return _CONVERTED if is_null(code) else _NEVER
    if isinstance(code.type, Scalar) and isinstance(wanted, Scalar):
        return (
            _PROMOTED
            if wanted == promote(code.type) or (code.type, wanted) == (FLOAT, DOUBLE)
            else _CONVERTED
        )
    if isinstance(wanted, Pointer):
        if is_null(code):
            return _CONVERTED
        source = pointed(code.type)
        if source == wanted.to:
            const = isinstance(code.type, Pointer) and code.type.const
            return _NEVER if const and not wanted.const else _EXACT if const == wanted.const else _PROMOTED
        if source is not None and _derives(source, wanted.to):
            return _CONVERTED
        return _CONVERTED if source is not None and isinstance(wanted.to, Void) else _NEVER
    pair = (code.type, wanted)
    return _CONVERTED if BF16 in pair and any(isinstance(one, Scalar) for one in pair) else _NEVER


def _derives(kind: CType, other: CType) -> bool:
    return isinstance(kind, Struct) and kind.derives(other)


def deduce(c: Context, template: Template, node: Call, arguments: Sequence[Code]) -> tuple[Given, ...] | None:
    """Return a template's arguments: those given, then what the call's arguments say, then the defaults."""
    known: dict[str, Given] = {}
    packed = bool(template.parameters) and template.parameters[-1].pack
    fixed = template.parameters[: len(template.parameters) - packed]
    for parameter, value in zip(fixed, node.template, strict=False):
        found = argument(c, parameter, value)
        if found is None:
            return None
        known[parameter.name] = found
    if len(node.template) > len(fixed):
        if not packed:
            return None
        last = template.parameters[-1]
        rest = [argument(c, last, value) for value in node.template[len(fixed) :]]
        if None in rest:
            return None
        known[last.name] = pack([each for each in rest if each is not None])
    given = frozenset(known)
    for number, (wanted, code) in enumerate(zip(template.signature, arguments, strict=False)):
        if wanted.pack:
            if not _match_pack(wanted.type, [code.type for code in arguments[number:]], known, given):
                return None
        elif not _match(wanted.type, code.type, known, given):
            return None
    if packed:
        known.setdefault(template.parameters[-1].name, pack([]))
    for parameter in template.parameters:
        if parameter.name not in known:
            found = None if parameter.default is None else argument(c, parameter, parameter.default)
            if found is None:
                return None
            known[parameter.name] = found
    return tuple(known[parameter.name] for parameter in template.parameters)


def _match_pack(
    pattern: CType, kinds: Sequence[CType], known: dict[str, Given], given: frozenset[str]
) -> bool:
    """Match the type of a pack of parameters against those of the arguments that are left."""
    found: dict[str, list[Given]] = {}
    for kind in kinds:
        each: dict[str, Given] = {}
        if not _match(pattern, kind, each, given):
            return False
        for name, value in each.items():
            found.setdefault(name, []).append(value)
    for name, values in found.items():
        if name not in given:
            known[name] = pack(values)
    return True


def argument(c: Context, parameter: nodes.TemplateParameter, value: CType | nodes.Expr) -> Given | None:
    """Return the value of a template argument, None where it is of the wrong sort."""
    if isinstance(parameter.type, FunctionPointer):
        return FunctionName(value.id, value.template) if isinstance(value, nodes.Name) else None
    if parameter.type is None:
        return None if isinstance(value, nodes.Expr) else value
    if not isinstance(value, nodes.Expr):
        return None
    code = c.compile(value)
    if code.constant is None or not isinstance(code.type, Scalar):
        raise c.refuse(value.span, f"template argument {parameter.name} must be known before the launch")
    number = uniform(code.constant, parameter.type)
    assert isinstance(number, int | float | bool)
    return number


def _match(
    pattern: CType, kind: CType, known: dict[str, Given], given: frozenset[str], *, whole: bool = False
) -> bool:
    """Match a parameter's type, in which template parameters are `Named`, against an argument's.

    What is `given` explicitly is not deduced: there the argument is converted. `whole` keeps arrays what they are.
    """
    if isinstance(pattern, Reference):
        return _match(pattern.to, kind, known, given, whole=isinstance(pattern.to, Array))
    if isinstance(pattern, Named) and pattern.template:
        tried: dict[str, Given] = {name: value for name, value in known.items() if name not in given}
        fits = not isinstance(kind, Struct) or match(pattern, kind, tried)
        known.update({name: value for name, value in tried.items() if name not in given} if fits else {})
        return fits
    if isinstance(pattern, Named):
        found = kind if whole or not isinstance(kind, Array) else Pointer(kind.of)
        return pattern.name in given or known.setdefault(pattern.name, found) == found
    if isinstance(pattern, Pointer):
        source = pointed(kind)
        return source is None or _match(pattern.to, source, known, given)
    if isinstance(pattern, FunctionPointer):
        if not isinstance(kind, FunctionPointer) or len(pattern.parameters) != len(kind.parameters):
            return True
        pairs = zip((pattern.returns, *pattern.parameters), (kind.returns, *kind.parameters), strict=True)
        return all(_match(a, b, known, given) for a, b in pairs)
    if isinstance(pattern, Array):
        if not isinstance(kind, Array) or known.setdefault(pattern.open, kind.length) != kind.length:
            return False
        return _match(pattern.of, kind.of, known, given, whole=True)
    return True


def choose(template: Template, given: Mapping[str, str], structs: Mapping[str, Struct]) -> Function:
    """Instantiate a template kernel with arguments as the command line gives them; `structs` are the program's.

    Raises
    ------
    InputError
        For an argument that is missing, unknown, or neither a type nor a number.
    """
    names = [parameter.name for parameter in template.parameters]
    for key in given:
        if key not in names:
            raise InputError(
                f"{template.name} has no template parameter '{key}': its parameters are {', '.join(names)}"
            )
    values: list[Given] = []
    for parameter in template.parameters:
        default = parameter.default
        if parameter.name in given:
            values.append(_from_text(parameter, given[parameter.name], structs))
        elif parameter.pack:
            values.append(pack([]))
        elif default is not None:
            values.append(evaluate(default, {}) if isinstance(default, nodes.Expr) else default)
        else:
            what = parameter.type or "a type"
            raise InputError(
                f"{template.name} is a template: give its argument as --template {parameter.name}=VALUE ({what})"
            )
    return template.instantiate(tuple(values))


def _from_text(parameter: nodes.TemplateParameter, text: str, structs: Mapping[str, Struct]) -> Given:
    if isinstance(parameter.type, FunctionPointer):
        if not text.isidentifier():
            raise InputError(f"--template {parameter.name}={text}: '{text}' is not the name of a function")
        return FunctionName(text)
    if parameter.type is not None:
        number = uniform(evaluate(parse_expression(text), {}), parameter.type)
        assert isinstance(number, int | float | bool)
        return number
    kind = structs.get(text) or named_type(text)
    if kind is None:
        raise InputError(f"--template {parameter.name}={text}: '{text}' is not a type such as float or int")
    return kind
