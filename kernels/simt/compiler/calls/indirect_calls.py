"""Calls through function pointers: directly if the function is known, otherwise each function for its lanes.

Example: lanes 0-3 have the pointer `add`, lanes 4-7 `mul`. The body of every function of the pointer's type is compiled
at the call; add's runs with lanes 0-3, then mul's with lanes 4-7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kernels.frontend.headers.cooperative_groups import is_group
from kernels.frontend.types import FunctionPointer, Reference, Void, value_type
from kernels.simt.compiler.calls.function_pointers import functions_of
from kernels.simt.compiler.compiled_values import Bundle, Code, Element, Variable
from kernels.simt.compiler.declarations import bind_reference
from kernels.simt.compiler.expressions.load_store import choose, zero_value
from kernels.simt.compiler.expressions.lvalues import value_of
from kernels.simt.machine.hazards import Place as HazardPlace
from kernels.simt.machine.lanes import EMPTY
from kernels.simt.machine.steps import Step

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from kernels.frontend import ast
    from kernels.frontend.ast import Function
    from kernels.frontend.types import CType
    from kernels.simt.compiler.compiled_values import Place, VariableProduct
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.memory import Memory
    from kernels.simt.machine.steps import Barrier, Run

    Arguments = Sequence[tuple[Place, Code]]
    """The arguments of a call: the lvalue and the value of each."""


POINTER_CALL: Final = "(*)"
"""The name of calls through pointers in `CompiledCalls.targets`, with any function of the type."""


class InlinedCall(NamedTuple):
    """A call that was compiled inline."""

    binds: list[Run]
    """Set the parameters."""
    body: Step
    result: int
    """Slot of the returned value."""
    returns: CType
    memory: Memory | None
    """The array that a returned pointer points into."""
    product: VariableProduct | None
    """The product that the function returns, if it can be fused."""


def indirect_call(
    c: Context, node: ast.Call, pointer: Code, arguments: Arguments, enter: Callable[[Function, Arguments], InlinedCall]
) -> InlinedCall:
    """Compile a call of the functions that `pointer` can point to; `enter` compiles the call of one.

    Raises
    ------
    SourceError
        For arguments that do not fit.
    """
    kind = pointer.type
    assert isinstance(kind, FunctionPointer)
    if len(arguments) != len(kind.parameters):
        raise c.refuse(node.span, f"{kind} takes {len(kind.parameters)} arguments, {len(arguments)} are given")
    known = functions_of(c, kind)
    if known:  # its parameters tell the recorder about references
        c.calls.targets[id(c.frames[-1].function), node.span, POINTER_CALL] = [known[0][1]]
    for number, function in known:
        if pointer.constant == number:
            return enter(function, arguments)
    selector, result = c.slot(), c.slot()
    binds = [_keep(selector, pointer.run)]
    running = {id(frame.function) for frame in c.frames}
    with c.scope(deeper=1):
        arguments = [
            _evaluate_argument(c, i, parameter_type, *pair, binds, node)
            for i, (parameter_type, pair) in enumerate(zip(kind.parameters, arguments, strict=True))
        ]
        arms = {n: enter(function, arguments) for n, function in known if id(function) not in running}
    recursive = {n: function.name for n, function in known if id(function) in running}
    # The result is an offset into one array, whichever function returns it.
    memories = [arm.memory for arm in arms.values()]
    if any(memory is not memories[0] for memory in memories):
        raise c.unsupported(node.span, "a choice between functions that return pointers to different arrays")
    body = _FunctionChoice(c, node, selector, result, kind.returns, arms, recursive).step()
    return InlinedCall(binds, body, result, kind.returns, memories[0] if memories else None, None)


def _keep(slot: int, run: Run) -> Run:
    def keep(group: Group, mask: Active) -> Value:
        group.values[slot] = run(group, mask)

    return keep


def _evaluate_argument(
    c: Context, number: int, parameter_type: CType, place: Place, code: Code, binds: list[Run], node: ast.Call
) -> tuple[Place, Code]:
    """Evaluate an argument once, before the functions are distinguished."""
    if isinstance(parameter_type, Reference) and not isinstance(place, Code):
        name = f"(argument {number})"
        bind_reference(c, name, place, parameter_type, node.span, binds)
        found = c.find(name)
        assert isinstance(found, Variable | Bundle | Element)
        return found, value_of(c, found, node.span)
    if code.constant is not None or is_group(code.type):
        return code, code
    slot = c.slot()
    binds.append(_keep(slot, code.run))
    held = Code(lambda group, mask: group.values[slot], code.type, None, True, code.memory)
    return held, held


class _FunctionChoice:
    """Runs each function that a pointer can point to with the lanes whose pointer it is."""

    def __init__(
        self,
        c: Context,
        node: ast.Call,
        selector: int,
        result: int,
        returns: CType,
        arms: dict[int, InlinedCall],
        recursive: dict[int, str],
    ) -> None:
        self._c, self._node = c, node
        self._selector, self._result = selector, result
        self._returns = value_type(returns)
        self._arms, self._recursive = arms, recursive

    def step(self) -> Step:
        """Return the step that runs the functions."""
        if any(arm.body.waiting for arm in self._arms.values()):
            return Step(None, self._wait)
        return Step(self._run)

    def _split(self, group: Group, mask: Active) -> list[tuple[Active, InlinedCall]]:
        number, rest = group.values[self._selector], mask
        found: list[tuple[Active, InlinedCall]] = []
        for address, arm in self._arms.items():
            lanes, rest = group.split(rest, number == address)
            if lanes is not EMPTY:
                found.append((lanes, arm))
            if rest is EMPTY:
                return found
        # The rest has a null pointer, or the number of no function of this type.
        self._report(group, rest, number)
        return found

    def _run(self, group: Group, mask: Active) -> Active:
        for lanes, arm in self._split(group, mask):
            self._enter(group, lanes, arm)
            assert arm.body.plain is not None
            arm.body.plain(group, lanes)
            self._leave(group, lanes, arm)
        return mask

    def _wait(self, group: Group, mask: Active) -> Generator[Barrier, None, Active]:
        for lanes, arm in self._split(group, mask):
            self._enter(group, lanes, arm)
            yield from arm.body.generator()(group, lanes)
            self._leave(group, lanes, arm)
        return mask

    def _enter(self, group: Group, mask: Active, arm: InlinedCall) -> None:
        for bind in arm.binds:
            bind(group, mask)
        group.values[arm.result] = None

    def _leave(self, group: Group, mask: Active, arm: InlinedCall) -> None:
        value = group.values[arm.result]
        if value is None or isinstance(self._returns, Void):
            return
        # Other functions may have set the result in other lanes already.
        if mask is not None:
            before = group.values[self._result]
            value = choose(self._returns, mask.bits, value, zero_value(self._returns) if before is None else before)
        group.values[self._result] = value

    def _report(self, group: Group, mask: Active, number: Value) -> None:
        c, span = self._c, self._node.span
        for address, name in self._recursive.items():
            if group.split(mask, number == address)[0] is not EMPTY:
                raise c.unsupported(span, f"recursion: {name} calls itself; write it as a loop")
        lane, hazards = int(group.lanes[0 if mask is None else mask.where[0]]), c.machine.hazards
        hazards.report(
            "out-of-bounds",
            HazardPlace(span),
            c.machine.recorder.current,
            group.active(mask),
            ((lane, span, "read"),),
            lambda: (
                f"{hazards.name(lane)} calls a pointer that points to no function (a null pointer, or one that "
                "was never set): let it point to one first"
            ),
        )
