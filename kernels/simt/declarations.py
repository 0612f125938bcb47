"""Compiles declarations: registers, local and shared arrays, and what the file declares outside functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from kernels.simt.context import Code, Context, Variable, constant
from kernels.simt.operators import convert, scalar
from kernels.simt.places import assign_variable
from kernels.simt.values import poison
from kernels.source import nodes
from kernels.source.types import INT, Array, CType, Pointer, Scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.simt.context import Run
    from kernels.simt.lanes import Active, Group
    from kernels.simt.memory import Memory
    from kernels.simt.values import Value
    from kernels.source.nodes import Expr, Span


def declare(c: Context, node: nodes.Declare) -> Callable[[Group, Active], Active]:
    """Compile a declaration statement; it is a step where it gives a variable a value."""
    is_step = any(variable.value is not None for variable in node.variables)
    number = c.new_statement(node.span, "declare") if is_step else -1
    runs = [run for variable in node.variables if (run := _variable(c, variable)) is not None]
    begin = c.recorder.step

    def run_all(group: Group, mask: Active) -> Active:
        if is_step:
            begin(number, group, mask)
        for run in runs:
            run(group, mask)
        return mask

    return run_all


def start(c: Context, node: nodes.Statement) -> Run:
    """Compile the first part of a for: part of the step that makes the first test."""
    if isinstance(node, nodes.Do):
        return c.compile(node.expression).run
    if not isinstance(node, nodes.Declare):
        raise c.unsupported(node.span, "this start of a for loop")
    runs = [run for variable in node.variables if (run := _variable(c, variable)) is not None]

    def run_all(group: Group, mask: Active) -> Value:
        for run in runs:
            run(group, mask)

    return run_all


def new_variable(c: Context, name: str, kind: CType, span: Span, *, const: bool = False) -> Variable:
    """Make a scalar or pointer variable visible."""
    register = c.register(name, kind, span) if isinstance(kind, Scalar) else -1
    variable = Variable(name, kind, c.slot(), c.level, register, const)
    c.declare(name, variable)
    return variable


def file_variable(c: Context, variable: nodes.Variable) -> None:
    """Declare what stands outside the functions: a constant, an array of the grid, or shared memory.

    Raises
    ------
    SourceError
        When a value is not known before the launch.
    """
    kind, span = variable.type, variable.span
    if variable.space == "shared":
        _shared(c, variable)
        return
    if variable.space == "auto" and not isinstance(kind, Array):
        if not variable.const or not isinstance(variable.value, nodes.Expr):
            raise c.unsupported(
                span, f"variable '{variable.name}' outside a function: make it __constant__ or const"
            )
        value = convert(c, c.compile(variable.value), kind, span)
        if value.constant is None:
            raise c.refuse(span, f"the value of '{variable.name}' is not known before the launch")
        c.declare(variable.name, value)
        return
    space: Literal["global", "constant"] = "global" if variable.space == "global" else "constant"
    shape = kind.shape if isinstance(kind, Array) else (1,)
    element = kind.element if isinstance(kind, Array) else kind
    memory = c.array(variable.name, space, kind, span, shape, address=c.place(space, element))
    c.declare(variable.name, memory)
    flat = _known_values(c, variable, memory)
    memory.load(np.array(flat + [0] * (memory.size - len(flat)), memory.info.dtype).reshape(shape))


def _known_values(c: Context, variable: nodes.Variable, memory: Memory) -> list[Value]:
    known: list[Value] = []
    for node in _initialisers(variable):
        value = convert(c, c.compile(node), memory.kind, node.span)
        if value.constant is None:
            raise c.refuse(node.span, f"the value of '{variable.name}' is not known before the launch")
        known.append(value.constant)
    if len(known) > memory.size:
        raise c.refuse(
            variable.span, f"{variable.name} has {memory.size} elements, {len(known)} values are given"
        )
    return known


def _initialisers(variable: nodes.Variable) -> tuple[Expr, ...]:
    if variable.value is None:
        return ()
    return variable.value if isinstance(variable.value, tuple) else (variable.value,)


def _variable(c: Context, variable: nodes.Variable) -> Run | None:
    kind, span = variable.type, variable.span
    if variable.space == "shared":
        _shared(c, variable)
        return None
    if variable.space != "auto":
        raise c.unsupported(span, f"{variable.space} variable inside a function")
    if isinstance(kind, Array):
        return _local_array(c, variable)
    if not isinstance(kind, Scalar | Pointer):
        raise c.refuse(span, f"'{variable.name}' cannot be {kind}")
    values = _initialisers(variable)
    if not values:
        return _without_value(c, variable)
    if len(values) != 1:
        raise c.refuse(span, f"'{variable.name}' takes one value")
    value = c.compile(values[0])  # before the name is visible: in `int x = x` the second x is an outer one
    made = new_variable(c, variable.name, kind, span, const=variable.const)
    return assign_variable(c, made, value, span)


def _without_value(c: Context, variable: nodes.Variable) -> Run:
    made = new_variable(c, variable.name, variable.type, variable.span, const=variable.const)
    made.written = c.slot()
    slot, written = made.slot, made.written
    nothing = poison(made.type) if isinstance(made.type, Scalar) else 0

    def run(group: Group, mask: Active) -> Value:
        group.values[slot] = nothing
        group.values[written] = False

    return run


def _shared(c: Context, variable: nodes.Variable) -> None:
    kind, span = variable.type, variable.span
    if variable.value is not None:
        raise c.refuse(span, f"__shared__ '{variable.name}' cannot have a value at its declaration")
    element = kind.element if isinstance(kind, Array) else kind
    if not isinstance(element, Scalar):
        raise c.unsupported(span, f"shared array of {element}")
    if not variable.dynamic:
        shape = kind.shape if isinstance(kind, Array) else (1,)
        memory = c.array(variable.name, "shared", kind, span, shape, address=c.place("shared", element))
    else:
        memory = _dynamic_shared(c, variable, element)
    c.declare(variable.name, memory)


def _dynamic_shared(c: Context, variable: nodes.Variable, element: Scalar) -> Memory:
    given = c.launch.dynamic_shared_bytes
    known = c.dynamic_shared
    if known is not None:
        if known.kind != element:
            raise c.unsupported(variable.span, f"extern __shared__ as both {known.kind} and {element}")
        return known
    length = given // element.size_bytes
    c.dynamic_shared = c.array(
        variable.name,
        "shared",
        Array(element, length),
        variable.span,
        (length,),
        address=c.place("shared", element),
    )
    return c.dynamic_shared


def _local_array(c: Context, variable: nodes.Variable) -> Run | None:
    kind, span = variable.type, variable.span
    assert isinstance(kind, Array)
    memory = c.array(variable.name, "local", kind, span, kind.shape, address=c.place("local", kind.element))
    c.declare(variable.name, memory)
    if variable.value is None:
        return None
    codes: list[Code] = []
    for node in _initialisers(variable):
        code = c.compile(node)
        scalar(c, code, node.span)
        codes.append(convert(c, code, memory.kind, node.span))
    if len(codes) > memory.size:
        raise c.refuse(span, f"{variable.name} has {memory.size} elements, {len(codes)} values are given")
    zero = convert(c, constant(0, INT), memory.kind, span)
    runs = [code.run for code in codes + [zero] * (memory.size - len(codes))]
    site = c.site(span, memory, "write")

    def run(group: Group, mask: Active) -> Value:
        for index, value in enumerate(runs):
            memory.write(group, mask, index, value(group, mask), site, span)

    return run
