"""Statements: each is compiled to a step from (group, active lanes) to the lanes that continue after it.

A statement that contains a barrier is a generator, which yields at each barrier; any other is a plain closure.

Example: `if (i < 4) return; s[i] = 1;` with 8 active lanes. The `if` splits the lanes into 0-3 and 4-7. The `return`
takes lanes 0-3 and returns none, so that the `if` returns lanes 4-7, and only these run the store.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.ast.traversal import below
from kernels.frontend.types import AUTO, Array, Pointer, Reference, Void
from kernels.simt.compiler import declarations, goto, loops, switches
from kernels.simt.compiler.calls import functions
from kernels.simt.compiler.calls.missing_return import discard_value
from kernels.simt.compiler.calls.overload_resolution import NoneFits
from kernels.simt.compiler.compiled_values import Element
from kernels.simt.compiler.expressions.addresses import as_address
from kernels.simt.compiler.expressions.fma_contraction import record_returned_product
from kernels.simt.compiler.expressions.load_store import choose
from kernels.simt.compiler.expressions.lvalues import locate
from kernels.simt.compiler.expressions.operators import condition, convert
from kernels.simt.compiler.expressions.user_operators import assignment_call, memberwise_assignment
from kernels.simt.compiler.index.intervals import is_sum
from kernels.simt.compiler.registry import not_installed
from kernels.simt.compiler.structs.construction import has_copy_constructor
from kernels.simt.machine.lanes import EMPTY, Active, Group
from kernels.simt.machine.steps import Step, after, nothing, sequence

if TYPE_CHECKING:
    from collections.abc import Generator

    from kernels.frontend.ast import Expr, Statement
    from kernels.frontend.types import CType
    from kernels.simt.compiler.compiled_values import Code
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.steps import Barrier
    from kernels.trace.records import StatementKind


def statement(c: Context, node: Statement) -> Step:
    """Compile any statement."""
    match node:
        case ast.Block() if goto.has_labels(node):
            return goto.labelled_block(c, node)
        case ast.Block():
            with c.scope():
                return sequence([statement(c, child) for child in node.body])
        case ast.Declare():
            with c.hoisting() as before:
                step = declarations.declare(c, node)
            return after(before, step)
        case ast.Do():
            return _do(c, node)
        case ast.If():
            return _if(c, node)
        case ast.For():
            return loops.for_loop(c, node)
        case ast.While():
            return loops.while_loop(c, node)
        case ast.Break() | ast.Continue():
            return _leave(c, node)
        case ast.Goto():
            return goto.goto(c, node)
        case ast.Label():
            raise c.unsupported(node.span, "label in a switch; put the statements of its case in braces")
        case ast.Return():
            return _return(c, node)
        case ast.Switch():
            return switches.switch(c, node)
        case ast.Assembly():
            if c.registry.assembly is None:
                raise not_installed(c, node.span, "asm", "inline_ptx")
            return c.registry.assembly(c, node)


def _do(c: Context, node: ast.Do) -> Step:
    node_expression = _as_call(c, node, c.registry.rewrite(c, node.expression))
    if isinstance(node_expression, ast.Call):
        wait = c.registry.statements.get(node_expression.function)
        if wait is not None and node_expression.function not in c.functions:
            return wait(c, node, node_expression)
        if functions.is_own(c, node_expression):
            with suppress(NoneFits):  # then it may be a function of CUDA with this name
                return functions.call_statement(c, node, node_expression)
    if (
        isinstance(node_expression, ast.Name)
        and node_expression.id in c.registry.statements
        and not c.find(node_expression.id)
    ):
        return _idle(c, node)  # `__syncthreads;` does not call the function
    discard_value(c, node_expression)
    number = c.new_statement(node.span, _kind(c, node_expression))
    if isinstance(node_expression, ast.Call) and c.registry.fences.get(node_expression.function):
        c.racecheck.block_fences.add(number)
    with c.hoisting() as before:
        run = c.compile(node_expression).run
    begin = c.machine.recorder.step

    def do(group: Group, mask: Active) -> Active:
        begin(number, group, mask)
        run(group, mask)
        return mask

    return after(before, Step(do))


def _idle(c: Context, node: ast.Do) -> Step:
    number, begin = c.new_statement(node.span, "do"), c.machine.recorder.step

    def do(group: Group, mask: Active) -> Active:
        begin(number, group, mask)
        return mask

    return Step(do)


def _as_call(c: Context, node: ast.Do, expression: Expr) -> Expr:
    """Return the call of the operator function for `a += b` of structs, if the file declares one."""
    if not isinstance(expression, ast.Assign):
        return expression
    name = f"operator{expression.op}"
    if not any(function.rpartition("::")[2] == name for function in c.functions):
        return expression
    c.new_statement(node.span, "do")
    with c.hoisting():  # dropped: the statement itself is compiled afterwards
        target = locate(c, expression.target)
        kind = target.kind if isinstance(target, Element) else target.type
        return assignment_call(c, expression, kind) or memberwise_assignment(c, expression, kind) or expression


def _kind(c: Context, node: Expr) -> StatementKind:
    if not isinstance(node, ast.Call) or node.function in c.functions:
        return "do"
    if node.function == "__syncwarp":
        return "warp-barrier"
    return "fence" if node.function in c.registry.fences else "do"


def _if(c: Context, node: ast.If) -> Step:
    number, begin = c.new_statement(node.header, "branch"), c.machine.recorder.step
    with c.hoisting() as before:
        test = condition(c, node.condition).run
    with c.scope(deeper=1):
        then = statement(c, node.then)
    with c.scope(deeper=1):
        otherwise = statement(c, node.otherwise) if node.otherwise is not None else Step(nothing)
    # Without a jump in a branch all lanes meet after it: `mask` itself is returned, and no union is computed.
    goto = then.jumps or otherwise.jumps
    if then.waiting or otherwise.waiting:
        wait_then, wait_otherwise = then.generator(), otherwise.generator()

        def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
            begin(number, group, mask)
            # Both branches run, one after the other, each with its lanes: that is how a warp executes divergent code.
            yes, no = group.split(mask, test(group, mask))
            if yes is not EMPTY:
                yes = yield from wait_then(group, yes)
            if no is not EMPTY:
                no = yield from wait_otherwise(group, no)
            return group.union(yes, no) if goto else mask

        return after(before, Step(None, wait, goto))
    run_then, run_otherwise = then.plain, otherwise.plain
    assert run_then is not None
    assert run_otherwise is not None

    def run(group: Group, mask: Active) -> Active:
        begin(number, group, mask)
        yes, no = group.split(mask, test(group, mask))
        if yes is not EMPTY:
            yes = run_then(group, yes)
        if no is not EMPTY:
            no = run_otherwise(group, no)
        return group.union(yes, no) if goto else mask

    return after(before, Step(run, None, goto))


def _leave(c: Context, node: ast.Break | ast.Continue) -> Step:
    frame = c.frames[-1]
    word = "break" if isinstance(node, ast.Break) else "continue"
    if not frame.loops:
        raise c.refuse(node.span, f"{word} outside a loop")
    number, begin = c.new_statement(node.span, "jump"), c.machine.recorder.step
    loop = frame.loops[-1]
    if word == "continue":
        # A switch takes break, but no continue: that belongs to the loop around it.
        around = [each for each in frame.loops if each.continue_slot >= 0]
        if not around:
            raise c.refuse(node.span, "continue outside a loop")
        loop = around[-1]
    # The lanes leave the code by returning EMPTY; the loop finds them in its slot.
    loop.jumps = True
    slot = loop.break_slot if word == "break" else loop.continue_slot

    def leave(group: Group, mask: Active) -> Active:
        begin(number, group, mask)
        group.values[slot] = group.union(group.values[slot], mask)
        return EMPTY

    return Step(leave, None, True)


def _return(c: Context, node: ast.Return) -> Step:
    frame = c.frames[-1]
    number, begin = c.new_statement(node.span, "jump"), c.machine.recorder.step
    if frame.loops:
        frame.loops[-1].returns = True
    returns = frame.function.returns
    if node.value is None:
        if not isinstance(returns, Void) and returns != AUTO:
            raise c.refuse(node.span, f"{frame.function.name} must return {returns}")
        kernel = frame.function.kernel

        def leave(group: Group, mask: Active) -> Active:
            begin(number, group, mask)
            if kernel:
                group.exit(mask)
            return EMPTY

        return Step(leave, None, True)
    return _return_value(c, node.value, number)


def _return_value(c: Context, node: Expr, number: int) -> Step:
    frame, begin = c.frames[-1], c.machine.recorder.step
    has_known_type = frame.function.returns != AUTO or frame.kind is not None
    kind = functions.return_type(frame)
    if frame.returns_address:
        node = ast.Unary(node.span, "&", node)
    if has_known_type and isinstance(kind, Void):
        raise c.refuse(node.span, f"{frame.function.name} returns nothing")
    # `return *this;` whose value is not used, as in `a = b;`, computes nothing: no step reads the object.
    has_effects = any(isinstance(part, ast.Assign | ast.Update | ast.Call) for part in below(node))
    if isinstance(frame.function.returns, Reference) and not frame.used and not has_effects:

        def leave_unused(group: Group, mask: Active) -> Active:
            begin(number, group, mask)
            return EMPTY

        return Step(leave_unused, None, True)
    with c.hoisting() as before, c.indexing(frame.gives_index and is_sum(node)):
        code = (
            convert(c, c.compile_as(_copy(c, node, kind), kind), kind, node.span) if has_known_type else c.compile(node)
        )
    if not has_known_type:
        kind = frame.kind = Pointer(code.type.of) if isinstance(code.type, Array) else code.type
    if isinstance(kind, Pointer):
        code = _return_pointer(c, code)
    code = record_returned_product(c, code, node.span)
    value, slot = code.run, frame.result

    def leave(group: Group, mask: Active) -> Active:
        begin(number, group, mask)
        new, old = value(group, mask), group.values[slot]
        group.values[slot] = new if old is None or mask is None else choose(kind, mask.bits, new, old)
        return EMPTY

    return after(before, Step(leave, None, True))


def _copy(c: Context, node: Expr, kind: CType) -> Expr:
    """Return the call of the copy constructor for a returned value; a local variable is returned without a copy."""
    frame = c.frames[-1]
    if isinstance(frame.function.returns, Reference) or not has_copy_constructor(c, kind):
        return node
    is_parameter = isinstance(node, ast.Name) and node.id in {one.name for one in frame.function.parameters}
    is_part = isinstance(node, ast.Member | ast.Index) or (isinstance(node, ast.Unary) and node.op == "*")
    return ast.Construct(node.span, kind, (node,)) if is_parameter or is_part else node


def _return_pointer(c: Context, code: Code) -> Code:
    """Record the array that a returned pointer points into; if there are several, its value is an address."""
    frame = c.frames[-1]
    key = ("return", frame.function.span)
    if key in c.machine.assumptions.roaming:
        return as_address(code)
    if code.memory is None or frame.memory not in (None, code.memory):
        c.machine.assumptions.recompile_roaming(key)
    frame.memory = code.memory
    return code
