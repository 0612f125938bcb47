"""Declarations: registers, local and shared arrays, and variables outside of functions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from kernels.errors import SourceError
from kernels.frontend import ast
from kernels.frontend.ast import Omission
from kernels.frontend.headers.textures import Image
from kernels.frontend.types import AUTO, INT, LONG, Array, Named, Pointer, Reference, Struct
from kernels.simt.compiler.calls.lambdas import is_stateless
from kernels.simt.compiler.calls.missing_return import discard_value
from kernels.simt.compiler.calls.overload_resolution import constructed_type
from kernels.simt.compiler.compiled_values import Bundle, Code, Element, constant
from kernels.simt.compiler.expressions.addresses import as_address, stride
from kernels.simt.compiler.expressions.load_store import saver
from kernels.simt.compiler.expressions.lvalues import locate, locate_target, reference_place
from kernels.simt.compiler.expressions.operators import convert
from kernels.simt.compiler.expressions.variables import assign_to, declare_unset, new_variable
from kernels.simt.compiler.hoisting import cut, evaluate_in_order, mark, waits, writes
from kernels.simt.compiler.index.intervals import follow_assignment, is_index
from kernels.simt.compiler.structs.construction import has_copy_constructor, has_default_constructor
from kernels.simt.compiler.structs.layout import leaves, pack
from kernels.simt.machine.budget import MORE_MEMORY
from kernels.simt.machine.steps import Step, sequence

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.frontend.ast import Expr, Span
    from kernels.frontend.types import CType
    from kernels.simt.compiler.compiled_values import Place
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.memory import Memory
    from kernels.simt.machine.steps import Run


def declare(c: Context, node: ast.Declare) -> Step:
    """Compile a declaration statement; it is a step if it initialises a variable."""
    is_step = any(variable.value is not None for variable in node.variables)
    number = c.new_statement(node.span, "declare") if is_step else -1
    runs = _variables(c, node)
    if runs is None:  # one after the other
        return sequence([c.compile_step(ast.Declare(one.span, (one,))) for one in node.variables])
    begin = c.machine.recorder.step

    def run_all(group: Group, mask: Active) -> Active:
        if is_step:
            begin(number, group, mask)
        for run in runs:
            run(group, mask)
        return mask

    return Step(run_all)


def for_start(c: Context, node: ast.Statement) -> Run | None:
    """Compile the first part of a for, which belongs to the step of the first test.

    None if its declarators have to be separate statements before the loop.
    """
    if isinstance(node, ast.Do):
        discard_value(c, node.expression)
        return c.compile(node.expression).run
    if not isinstance(node, ast.Declare):
        raise c.unsupported(node.span, "this start of a for loop")
    runs = _variables(c, node)
    if runs is None:
        return None

    def run_all(group: Group, mask: Active) -> Value:
        for run in runs:
            run(group, mask)

    return run_all


def _variables(c: Context, node: ast.Declare) -> list[Run] | None:
    """Compile declarators; None, without declaring any, if one waits and depends on those before it."""
    if len(node.variables) == 1:
        only = _variable(c, node.variables[0])
        return [] if only is None else [only.run]
    runs: list[Run] = []
    first, names, pure = mark(c), c.names(), True
    for variable in node.variables:
        # The steps of all declarators run before the first is initialised: `int a = 1, b = f(a);` with a barrier in f
        # would read a too early, so that it becomes two statements.
        begin, read = mark(c), len(c.log.reads)
        made = _variable(c, variable)
        end = mark(c)
        if (
            runs
            and waits(begin, end)
            and (not pure or writes(c, begin, end) or c.log.reads_since(read, first[1], begin[1]))
        ):
            cut(c, [first])
            c.restore(names)
            return None
        if made is not None:
            runs.append(made.run)
            pure &= made.pure
    return runs


def bind_reference(c: Context, name: str, place: Place, kind: Reference, span: Span, binds: list[Run]) -> None:
    """Declare a reference to a place; what is added to `binds` evaluates the index of an element, once."""
    place = _as_base(reference_place(c, place, kind.to, span), kind.to)
    if isinstance(place, Element) and place.offset.constant is None:
        slot, offset = c.slot(), place.offset.run

        def evaluate(group: Group, mask: Active) -> Value:
            group.values[slot] = offset(group, mask)

        binds.append(evaluate)
        place = replace(place, offset=Code(lambda group, mask: group.values[slot], LONG), members=())
    if kind.const and not isinstance(place, Code):
        place = replace(place, const=True)
    c.declare(name, place)


def _as_base(place: Place, kind: CType) -> Place:
    """Return the lvalue of a struct's base, which is its first part."""
    found = place.kind if isinstance(place, Element) else place.type
    if not isinstance(found, Struct) or not found.derives(kind):
        return place
    if isinstance(place, Bundle):
        return Bundle(place.name, kind, place.leaves[: len(leaves(kind))], place.key, place.const)
    return replace(place, kind=kind) if isinstance(place, Element) else place


def file_variable(c: Context, variable: ast.Variable) -> None:
    """Declare a variable outside of functions: a constant, an array of the grid, or shared memory.

    Raises
    ------
    SourceError
        When a value is not known before the launch.
    """
    kind, span = variable.type, variable.span
    if isinstance(kind, Image):  # its array is passed as an argument
        return
    if variable.space == "shared":
        _declare_shared(c, variable)
        return
    if variable.space == "auto" and not isinstance(kind, Array):
        if not variable.const or not isinstance(variable.value, ast.Expr):
            where = f"variable '{variable.name}' outside a function"
            raise c.unsupported(span, f"{where}: make it __constant__ or const")
        try:
            value = c.compile(variable.value)
            value = value if kind == AUTO else convert(c, value, kind, span)
            if value.constant is None:
                raise _not_known(c, variable, variable.value)
        except SourceError as error:  # an error only where the kernel uses the name
            c.file_variables.omissions[variable.name] = Omission.of(variable.name, error)
            return
        c.declare(variable.name, value)
        return
    if kind == AUTO and isinstance(variable.value, ast.Expr):
        kind = c.compile(variable.value).type
    if isinstance(kind, Reference | Named):
        reason = f"not supported: {kind} outside of functions; keep a pointer"
        c.file_variables.omissions[variable.name] = Omission(variable.name, reason)
        return
    space: Literal["global", "constant"] = "global" if variable.space == "global" else "constant"
    most = c.machine.recorder.budget.bytes
    if isinstance(kind, Array) and kind.size_bytes > most:
        size, limit = (f"{number / 2**20:,.0f} MiB" for number in (kind.size_bytes, most))
        advice = f"make it smaller, or {MORE_MEMORY}"
        c.file_variables.omissions[variable.name] = Omission(
            variable.name, f"it takes {size}, the limit is {limit}: {advice}"
        )
        return
    shape = kind.shape if isinstance(kind, Array) else (1,)
    memory = c.array(variable.name, space, kind, span, shape)
    memory.load(np.zeros(memory.size, memory.info.dtype))
    try:
        memory.load(_known_values(c, replace(variable, type=kind), memory))
    except SourceError as error:
        c.file_variables.omissions[variable.name] = Omission.of(variable.name, error)
        return
    c.declare(variable.name, memory)


def late_constants(c: Context) -> None:
    """Declare static members and static variables, once each; instances of templates add more."""
    for variable in tuple(c.template_instances.constants.values()):
        if variable.name not in c.file_variables.static:
            c.file_variables.static.add(variable.name)
            with c.file_scope():
                file_variable(c, variable)


def _known_values(c: Context, variable: ast.Variable, memory: Memory) -> NDArray[Any]:
    """Return the initial elements of an array of the grid; those without a value are 0."""
    kind = variable.type.element if isinstance(variable.type, Array) else variable.type
    units, element = np.zeros(memory.size, memory.info.dtype), memory.kind
    at = 0
    for node in _initialisers(variable):
        value = convert(c, c.compile_as(node, kind), kind, node.span)
        value = as_address(value) if isinstance(kind, Pointer) else value
        if value.constant is None:
            raise _not_known(c, variable, node)
        held = value.constant if isinstance(kind, Struct) else (value.constant,)
        step = stride(c, memory, kind)
        if at + step > memory.size:
            raise c.refuse(variable.span, f"{variable.name} has room for fewer values than are given")
        units[at : at + step] = pack(held, kind, element)
        at += step
    return units


def _not_known(c: Context, variable: ast.Variable, node: Expr) -> SourceError:
    kind = variable.type.element if isinstance(variable.type, Array) else variable.type
    reason = f"the value of '{variable.name}' is not known before the launch"
    if isinstance(kind, Struct) and isinstance(node, ast.Call):
        reason += (
            f": {node.function} returns {kind}, and only functions that return numbers are computed before the launch; "
            f"declare '{variable.name}' in the kernel, or as __constant__ with its values in braces"
        )
    return c.refuse(node.span, reason)


def _initialisers(variable: ast.Variable) -> tuple[Expr, ...]:
    if variable.value is None:
        return ()
    return variable.value if isinstance(variable.value, tuple) else (variable.value,)


class _Initialiser(NamedTuple):
    """The initialisation of a variable."""

    run: Run
    pure: bool
    """True if it has no other effect and reads no memory."""


def _variable(c: Context, variable: ast.Variable) -> _Initialiser | None:
    kind, span = variable.type, variable.span
    if variable.space == "shared":
        _declare_shared(c, variable)
        return None
    if variable.space != "auto":
        raise c.unsupported(span, f"{variable.space} variable inside a function")
    if isinstance(kind, Reference):
        return _reference(c, variable, kind)
    if isinstance(kind, Array):
        return _local_array(c, variable)
    values = _initialisers(variable)
    if not values:
        if isinstance(kind, Struct) and has_default_constructor(c, kind):
            values = (ast.Construct(span, kind, ()),)
        else:
            reset = declare_unset(c, new_variable(c, variable.name, kind, span, const=variable.const))
            return _Initialiser(reset, True) if reset is not None else None
    if len(values) != 1:
        raise c.refuse(span, f"'{variable.name}' takes one value")
    with c.indexing(is_index(c, variable.name)):
        # Before the name is visible: in `int x = x` the second x is outer.
        value = c.compile_as(values[0], kind)
        value = _copy_of_place(c, values[0], value)
        if not isinstance(value.type, Struct) and constructed_type(c, kind, value):
            value = c.compile(ast.Construct(span, kind, values))
    if kind == AUTO or (isinstance(kind, Pointer) and kind.to == AUTO):
        kind = Pointer(value.type.of) if isinstance(value.type, Array) else value.type
    if is_stateless(value.type):
        c.declare(variable.name, Code(lambda group, mask: (), value.type, ()))
        return _Initialiser(value.run, value.pure)
    made = new_variable(c, variable.name, kind, span, const=variable.const)
    put = assign_to(c, made, value, span, copies=True)
    return _Initialiser(follow_assignment(c, made, value, put), value.pure and not isinstance(made, Element))


def _copy_of_place(c: Context, node: Expr, value: Code) -> Code:
    """Return the copy of an lvalue, by the copy constructor of its struct if it has one."""
    if not isinstance(node, ast.Name | ast.Member | ast.Index | ast.Unary) or not has_copy_constructor(c, value.type):
        return value
    return c.compile(ast.Construct(node.span, value.type, (node,)))


def _reference(c: Context, variable: ast.Variable, kind: Reference) -> _Initialiser | None:
    values = _initialisers(variable)
    if len(values) != 1:
        raise c.refuse(variable.span, f"reference '{variable.name}' must name something")
    place = locate(c, values[0]) if kind.const else locate_target(c, values[0])
    binds: list[Run] = []
    if isinstance(place, Code) and not isinstance(place.type, Array):
        if not kind.const:
            raise c.refuse(variable.span, f"reference '{variable.name}' cannot name a value; make it const")
        made = new_variable(c, variable.name, place.type, variable.span, const=True)
        return _Initialiser(assign_to(c, made, place, variable.span), False)
    bind_reference(c, variable.name, place, kind, variable.span, binds)
    return _Initialiser(binds[0], False) if binds else None


def _declare_shared(c: Context, variable: ast.Variable) -> None:
    kind, span = variable.type, variable.span
    if variable.value is not None:
        raise c.refuse(span, f"__shared__ '{variable.name}' cannot have a value at its declaration")
    if variable.dynamic:
        c.declare(variable.name, _dynamic_shared(c, variable))
        return
    shape = kind.shape if isinstance(kind, Array) else (1,)
    _check_defined(c, variable)
    c.declare(variable.name, c.array(variable.name, "shared", kind, span, shape))


def _check_defined(c: Context, variable: ast.Variable) -> None:
    kind = variable.type.element if isinstance(variable.type, Array) else variable.type
    if isinstance(c.complete(kind), Named):
        raise c.undefined(variable.span, kind)


def _dynamic_shared(c: Context, variable: ast.Variable) -> Code:
    """Return the launch's dynamic shared memory: one array for all its declarations, of any name and type."""
    kind = variable.type
    assert isinstance(kind, Array)
    inner = kind.of.shape if isinstance(kind.of, Array) else ()
    length = c.machine.launch.dynamic_shared_bytes // max(Array(kind.of, 1).size_bytes, 1)
    kind = Array(kind.of, length)
    if c.file_variables.dynamic_shared is None:
        c.file_variables.dynamic_shared = c.array(variable.name, "shared", kind, variable.span, (length, *inner))
    stride(c, c.file_variables.dynamic_shared, kind.element)
    return Code(lambda group, mask: 0, kind, 0, True, c.file_variables.dynamic_shared)


def _local_array(c: Context, variable: ast.Variable) -> _Initialiser | None:
    kind, span = variable.type, variable.span
    assert isinstance(kind, Array)
    element = kind.element
    _check_defined(c, variable)
    memory = c.array(variable.name, "local", kind, span, kind.shape)
    c.declare(variable.name, memory)
    if variable.value is None:
        return None
    step = stride(c, memory, element)
    count = memory.size // step
    listed, marks = [], []
    for node in _initialisers(variable):
        marks.append(mark(c))
        listed.append((node, _copy_of_place(c, node, c.compile_as(node, element))))
    codes = [convert(c, value, element, node.span) for node, value in listed]
    codes = evaluate_in_order(c, marks, codes, [node for node, _ in listed])
    if len(codes) > count:
        raise c.refuse(span, f"{variable.name} has {count} elements, {len(codes)} values are given")
    rest = c.compile(ast.Construct(span, element, ()))
    runs = [_lanes_of(code).run for code in codes + [rest] * (count - len(codes))]
    save = saver(c, Element(memory, constant(0, INT), element, span, const=False))

    def run(group: Group, mask: Active) -> Value:
        for number, value in enumerate(runs):
            save(group, mask, number * step, value(group, mask))

    return _Initialiser(run, False)


def _lanes_of(code: Code) -> Code:
    return as_address(code) if isinstance(code.type, Pointer) else code
