"""Calls of the file's functions: each call compiles the function's body inline."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.types import (
    AUTO,
    VOID,
    Array,
    FunctionPointer,
    Pointer,
    Reference,
    Scalar,
    Struct,
    Void,
    value_type,
)
from kernels.simt.compiler.calls.call_arguments import (
    argument_place,
    compile_arguments,
    member_function,
    parameter_type,
    resolve_member_call,
    with_brace_types,
)
from kernels.simt.compiler.calls.indirect_calls import InlinedCall, indirect_call
from kernels.simt.compiler.calls.lambdas import is_stateless
from kernels.simt.compiler.calls.missing_return import check_return
from kernels.simt.compiler.calls.overload_resolution import (
    NoneFits,
    Recursion,
    constructed_type,
    resolve,
    without_const,
)
from kernels.simt.compiler.compiled_values import Code, Element, Frame
from kernels.simt.compiler.declarations import bind_reference, late_constants
from kernels.simt.compiler.expressions import fma_contraction
from kernels.simt.compiler.expressions.load_store import zero_value
from kernels.simt.compiler.expressions.variables import assign_to, new_variable
from kernels.simt.compiler.hoisting import fresh_evaluation
from kernels.simt.compiler.index.intervals import follow_assignment, is_assigned
from kernels.simt.compiler.structs.construction import has_copy_constructor
from kernels.simt.machine.arithmetic import poison
from kernels.simt.machine.steps import Step, after

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from kernels.frontend.ast import Function
    from kernels.frontend.types import CType
    from kernels.simt.compiler.calls.indirect_calls import Arguments
    from kernels.simt.compiler.compiled_values import Symbol
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Barrier, Run


_MAX_CALLS: Final = 128
"""Deepest nesting of calls."""

MAX_INLINED: Final = 5_000
"""Maximum number of functions compiled inline, and statements in them.

Functions each of which calls the next one twice need a million in 20 levels. Each takes about half a millisecond;
source written by hand stays below a tenth of the limit.
"""


def is_own(c: Context, node: ast.Call) -> bool:
    """Return whether a call names a function that the file declares."""
    return node.function in c.functions or node.function.startswith(".")


def call(c: Context, node: ast.Call) -> Code:
    """Compile a call inside an expression; after it, the caller's statement continues as another step."""
    caller = c.statement
    binds, body, result, returns, memory, product = inlined = _inline(c, node)
    if isinstance(returns, Array):
        raise c.unsupported(node.span, f"{node.function}, which returns a reference; return a value or a pointer")
    nothing = poison(returns) if isinstance(returns, Scalar) else zero_value(returns)
    if body.plain is None:
        return _hoist(c, node, caller, inlined, nothing)
    run_body, begin = body.plain, c.machine.recorder.step

    def run(group: Group, mask: Active) -> Value:
        # None until a return statement runs: lanes that never reach one get `nothing`.
        for bind in binds:
            bind(group, mask)
        group.values[result] = None
        run_body(group, mask)
        # The rest of the caller's statement is another step: its accesses come after those of the body.
        begin(caller, group, mask)
        value = group.values[result]
        return nothing if value is None else value

    return fma_contraction.call_result(c, Code(run, returns, None, False, memory), product)


def _hoist(c: Context, node: ast.Call, caller: int, inlined: InlinedCall, nothing: Value) -> Code:
    """Hoist a call that waits at barriers before the statement; returns the read of its value."""
    if c.hoisted is None:
        raise c.unsupported(
            node.span,
            f"{node.function}, which contains a barrier, where some threads may skip it; call it in a statement before",
        )
    binds, result, wait_body = inlined.binds, inlined.result, inlined.body.generator()
    begin = c.machine.recorder.step

    def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
        begin(caller, group, mask)  # the reads of the arguments belong to the caller's statement
        for bind in binds:
            bind(group, mask)
        group.values[result] = None
        yield from wait_body(group, mask)
        return mask

    def value(group: Group, mask: Active) -> Value:
        found = group.values[result]
        return nothing if found is None else found

    c.hoisted.append(Step(None, wait))
    c.hoisted.call = node
    return Code(value, inlined.returns, None, True, inlined.memory)


def call_statement(c: Context, node: ast.Do, call_node: ast.Call) -> Step:
    """Compile a call that is a statement; the function may contain barriers."""
    number = c.new_statement(node.span, "do")
    with c.hoisting() as before:
        binds, body, result, *_ = _inline(c, call_node, used=False)
    begin = c.machine.recorder.step

    def enter(group: Group, mask: Active) -> None:
        begin(number, group, mask)
        for bind in binds:
            bind(group, mask)
        group.values[result] = None

    if body.plain is not None:
        run_body = body.plain

        def run(group: Group, mask: Active) -> Active:
            enter(group, mask)
            run_body(group, mask)
            return mask

        return after(before, Step(run))
    wait_body = body.generator()

    def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
        enter(group, mask)
        yield from wait_body(group, mask)
        return mask

    return after(before, Step(None, wait))


def _inline(c: Context, node: ast.Call, *, used: bool = True) -> InlinedCall:
    node = with_brace_types(c, resolve_member_call(c, node))
    arguments = compile_arguments(c, node)
    if node.function == ".operator()":
        (_, called), *rest = arguments
        if isinstance(called.type, FunctionPointer):
            return indirect_call(c, node, called, rest, lambda f, g: _enter(c, node, f, g, used=used))
        if called.type in c.calls.lambdas:
            return _call_closure(c, node, arguments, used=used)
    function = _resolve(c, node, arguments)
    return _enter(c, node, function, _construct_arguments(c, node, function, arguments), used=used)


def _construct_arguments(c: Context, node: ast.Call, function: Function, arguments: Arguments) -> Arguments:
    """Convert arguments by the constructors of the structs that a function takes."""
    made = list(arguments)
    for number, (parameter, (_, code)) in enumerate(zip(function.parameters, arguments, strict=False)):
        kind = constructed_type(c, parameter.type, code) if number < len(node.arguments) else None
        if kind is not None and not isinstance(code.type, Struct):
            argument = node.arguments[number]
            value = c.compile(ast.Construct(argument.span, kind, (argument,)))
            made[number] = (value, value)
    return made


def _resolve(c: Context, node: ast.Call, arguments: Arguments) -> Function:
    """Return the function that a call means, and record it in `CompiledCalls.targets`."""
    called, codes = node.function, [code for _, code in arguments]
    if called.startswith("."):
        node = replace(node, function=member_function(c, node, arguments))
    function = resolve(c, node, codes, [place for place, _ in arguments])
    # Resolving may have instantiated a template, whose struct has static members of its own.
    late_constants(c)
    meant = c.calls.targets.setdefault((id(c.frames[-1].function), node.span, called), [])
    if all(function is not other for other in meant):
        meant.append(function)
    return function


def resolve_call(c: Context, node: ast.Call) -> tuple[Function, Arguments] | None:
    """Return the function of the file that a call means, and the arguments; None for any other call."""
    if not is_own(c, node):
        return None
    node = resolve_member_call(c, node)
    if node.function.startswith(".") and node.function != ".operator()":
        place = argument_place(c, node.arguments[0])
        owner = place.kind if isinstance(place, Element) else place.type
        if c.member(owner, node.function[1:]) is None:
            return None
    arguments = compile_arguments(c, node)
    if node.function == ".operator()" and not isinstance(arguments[0][1].type, Struct):
        return None
    if arguments and arguments[0][1].type in c.calls.lambdas:
        return None
    try:
        return _resolve(c, node, arguments), arguments
    except NoneFits:
        return None


def _call_closure(c: Context, node: ast.Call, arguments: Arguments, *, used: bool) -> InlinedCall:
    """Compile the call of a lambda, whose names are looked up in the scopes of its expression."""
    (_, value), *rest = arguments
    closure = c.calls.lambdas[value.type]
    wanted = len(closure.function.parameters)
    if len(rest) != wanted:
        raise c.refuse(node.span, f"this lambda takes {wanted} arguments, {len(rest)} are given")
    inlined = _enter(c, node, closure.function, rest, used=used, scopes=closure.scopes)
    return inlined._replace(binds=[value.run, *inlined.binds])


def _enter(
    c: Context,
    node: ast.Call,
    function: Function,
    arguments: Arguments,
    *,
    used: bool,
    scopes: Sequence[dict[str, Symbol]] = (),
) -> InlinedCall:
    """Compile a function's body inline; `scopes` are those of the expression of a lambda."""
    with inline_body(c, node, function, arguments, used=used, scopes=scopes) as (frame, binds):
        body = c.compile_step(function.body)
    returns = return_type(frame)
    if used and not isinstance(returns, Void):
        body = check_return(c, node, frame, body)
    return InlinedCall(binds, body, frame.result, returns, frame.memory, frame.product)


@contextmanager
def inline_body(
    c: Context,
    node: ast.Call,
    function: Function,
    arguments: Arguments,
    *,
    used: bool,
    scopes: Sequence[dict[str, Symbol]] = (),
) -> Iterator[tuple[Frame, list[Run]]]:
    """Inside, a function's body can be compiled; yields its frame and the runs that set its parameters."""
    caller = c.statement
    if function.kernel:
        raise c.unsupported(node.span, f"launch of the kernel {function.name} from device code")
    # Inlining cannot end for a recursive function; by identity, since each instance of a template is another function.
    if any(frame.function is function for frame in c.frames):
        error = c.unsupported(node.span, f"recursion: {function.name} calls itself; write it as a loop")
        raise Recursion(error.file, error.line, error.column, error.reason, error.cause)
    if len(c.frames) == _MAX_CALLS:
        raise c.unsupported(node.span, f"calls nested deeper than {_MAX_CALLS} levels; a template may never end")
    c.calls.inline_count += 1
    if c.calls.inline_count > MAX_INLINED:
        raise c.unsupported(
            node.span,
            f"more than {MAX_INLINED:,} statements in inlined functions, here in {function.name}; call it in a loop, "
            "or only once at each level",
        )
    arguments = list(arguments)
    for parameter in function.parameters[len(arguments) :]:
        assert parameter.default is not None
        wanted = value_type(parameter.type)
        with fresh_evaluation(c):
            default = c.compile_as(parameter.default, wanted)
        arguments.append((default, default))
    # Arguments are bound in the scopes of the function, but were compiled in those of the caller.
    frame = Frame(function, c.slot(), block=c.blocks.current, used=used, gives_index=c.call_in_index)
    c.enter(frame)
    binds: list[Run] = []
    late: list[Run] = []  # parameters in memory are written after all arguments are evaluated
    with c.calling(), c.only_scopes(scopes), c.scope(deeper=1, straight=True):
        for parameter, (place, value) in zip(function.parameters, arguments, strict=True):
            code = without_const(value, parameter.type) if function.template else value
            if is_stateless(code.type):
                binds.append(code.run)
                c.declare(parameter.name, Code(_no_value, code.type, ()))
                continue
            # Calls of such a parameter are direct, as nvcc makes them after inlining.
            if _is_known_function(c, parameter, code):
                c.declare(parameter.name, code)
                continue
            # A reference parameter is another name for the argument's lvalue; no copy is made.
            if isinstance(parameter.type, Reference) and not isinstance(place, Code):
                bind_reference(c, parameter.name, place, parameter.type, node.span, binds)
            else:
                kind = parameter_type(parameter, code)
                if isinstance(kind, Array):
                    c.declare(parameter.name, code)
                    continue
                if has_copy_constructor(c, kind) and not isinstance(place, Code):
                    made = f"an argument that the copy constructor of {kind} makes"
                    raise c.unsupported(node.span, f"{made}; take a const reference")
                variable = new_variable(c, parameter.name, kind, parameter.span)
                if isinstance(variable, Element):
                    hold, code = _evaluate_early(c, code)
                    binds.append(hold)
                    late.append(assign_to(c, variable, code, node.span))
                    continue
                binds.append(follow_assignment(c, variable, code, assign_to(c, variable, code, node.span)))
        binds += late
        try:
            yield frame, binds
        finally:
            c.frames.pop()
            c.statement = caller


def _evaluate_early(c: Context, code: Code) -> tuple[Run, Code]:
    """Return the run that evaluates an argument, and the code that reads its value later."""
    slot, run = c.slot(), code.run

    def hold(group: Group, mask: Active) -> Value:
        group.values[slot] = run(group, mask)

    return hold, replace(
        code, run=lambda group, mask: group.values[slot], fma=code.fma._replace(factors=None, product=None)
    )


def _no_value(group: Group, mask: Active) -> Value:
    return ()


def _is_known_function(c: Context, parameter: ast.Parameter, code: Code) -> bool:
    """Return whether a parameter always points to one function, which is known at compile time."""
    same = isinstance(code.type, FunctionPointer) and code.type == parameter.type
    return same and code.constant is not None and not is_assigned(c, parameter.name)


def return_type(frame: Frame) -> CType:
    """Return the type of a call's value: for a reference, the type that it refers to, or a pointer to that."""
    kind = frame.function.returns
    if kind == AUTO:
        return frame.kind or VOID
    if frame.returns_address and isinstance(kind, Reference):
        return Pointer(kind.to, kind.const)
    return value_type(kind)
