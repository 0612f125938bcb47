"""Finds loops that cannot end: what decides whether they go on is the same after a round as before it.

Whether lanes leave a loop depends on what its conditions read, and on what goes into that. Once none of it changes in
a whole round, no later round can be different, whatever else the loop does meanwhile. That is looked for in loops that
have run for long, so that it costs nothing; where it cannot be told, the run's budget ends the loop. Where nothing at
all changes in a round, but other threads could change what is read, threads take turns from then on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from kernels.frontend import ast
from kernels.frontend.ast.traversal import below
from kernels.frontend.types import Array, Reference, Scalar
from kernels.simt.compiler.calls import ENDING
from kernels.simt.compiler.compiled_values import Bundle, Code, Variable
from kernels.simt.compiler.loop_dependencies import deciding_names, repeated
from kernels.simt.machine.arithmetic import same_bits
from kernels.simt.machine.budget import needs_interleaving
from kernels.simt.machine.deadlock import recurs, take_state
from kernels.simt.machine.interleaving import refine
from kernels.simt.machine.memory import Memory
from kernels.simt.machine.recorder import EarlyStop

if TYPE_CHECKING:
    from kernels.simt.compiler.compiled_values import Symbol
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.loop_dependencies import Repeated
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group, LoopRun

_NEVER: Final = 1 << 62


class _Decision(NamedTuple):
    """What decides whether a loop goes on, beside arrays that nobody writes: words for it, and slots of variables."""

    names: tuple[str, ...]
    slots: tuple[int, ...]


class InfiniteLoopCheck:
    """Watches one loop, whose names mean what they mean where this is made."""

    def __init__(self, c: Context, node: Repeated) -> None:
        self._c = c
        self._node = node
        self._scopes = c.visible()
        self._decision: _Decision | None = None
        self._asked = False

    def check(self, group: Group, mask: Active, loop_run: LoopRun) -> None:
        """Compare with a round before, at the begin of a round; raises EarlyStop where the loop cannot end.

        That round stays the same until twice as many are made, so circles of any length are found (Brent, 1980).
        """
        if not self._asked:
            self._asked, self._decision = True, self._find_decision()
        decision = self._decision
        if decision is None:
            self._check_spinning(group, mask, loop_run)
            return
        now = [group.values[slot] for slot in decision.slots]
        if loop_run.snapshot is not None and loop_run.mask is mask:
            pairs = zip(loop_run.snapshot, now, strict=True)
            if all(same_bits(_of(a, mask), _of(b, mask)) for a, b in pairs):
                why = _why(decision.names, loop_run.rounds - loop_run.snapshot_round)
                raise EarlyStop("stopped in a loop that never ends", "endless", why)
            if loop_run.rounds < 2 * loop_run.snapshot_round:
                return
        loop_run.snapshot, loop_run.mask, loop_run.snapshot_round = now, mask, loop_run.rounds

    def _check_spinning(self, group: Group, mask: Active, loop_run: LoopRun) -> None:
        """Have threads take turns where all comes again, but another thread might change it; raises Recompile."""
        machine = self._c.machine
        if not needs_interleaving(machine):
            loop_run.next_check = _NEVER
            return
        if loop_run.state is not None and loop_run.mask is mask:
            if recurs(loop_run.state, machine, [group], {}):
                refine(machine)
            if loop_run.rounds < 2 * loop_run.snapshot_round:
                return
        loop_run.state, loop_run.mask, loop_run.snapshot_round = take_state(machine, [group], {}), mask, loop_run.rounds

    def _find_decision(self) -> _Decision | None:
        """Find what decides; None where it cannot be told, or another thread may change it."""
        loop = self._node
        inside = [node for part in repeated(loop) for node in below(part)]
        if self._has_untracked_changes(inside):
            return None
        deciding = deciding_names(loop, self._meaning)
        own = {v.name for node in inside if isinstance(node, ast.Declare) for v in node.variables if _may_keep_value(v)}
        if deciding is None or deciding & own:
            return None
        names, slots, arrays = [], list[int](), list[int]()
        for name in sorted(deciding):
            symbol = self._find(name)
            if symbol is None:  # declared inside, or the same for ever
                continue
            if isinstance(symbol, Variable | Bundle):
                leaves = symbol.leaves if isinstance(symbol, Bundle) else (symbol,)
                if any(leaf.roaming for leaf in leaves):
                    return None
                slots += [leaf.slot for leaf in leaves]
                arrays += [leaf.memory.number for leaf in leaves if leaf.memory is not None]
            else:
                memory = symbol if isinstance(symbol, Memory) else symbol.memory
                if memory is None and not (isinstance(symbol, Code) and isinstance(symbol.type, Scalar)):
                    return None
                arrays += [memory.number] if memory is not None else []
            if not isinstance(symbol, Code) or symbol.from_launch or symbol.memory is not None:
                names.append(name)
        if any(site.array in arrays for site in self._c.machine.sites if site.access != "read"):
            return None
        return _Decision(tuple(names), tuple(slots))

    def _has_untracked_changes(self, inside: list[Any]) -> bool:
        """Whether lanes may leave a loop, or variables change in it, in ways that are not followed here."""
        for node in inside:
            if isinstance(node, ast.Goto | ast.Label | ast.Assembly | ast.Lambda):
                return True
            if isinstance(node, ast.Variable) and isinstance(node.type, Reference):
                return True
        calls = {node.function for node in inside if isinstance(node, ast.Call)}
        if not any(name[0] == "." or name in self._c.functions or self._find(name) for name in calls):
            return not calls.isdisjoint(ENDING)
        if self._c.calls.lambdas:  # a lambda changes what it was made of
            return True
        every = (f for some in self._c.functions.values() for f in some if isinstance(f, ast.Function))
        return any(isinstance(n, ast.Call) and n.function in ENDING for f in every for n in below(f.body))

    def _find(self, name: str) -> Symbol | None:
        return next((scope[name] for scope in reversed(self._scopes) if name in scope), None)

    def _meaning(self, name: str) -> int | str:
        symbol = self._find(name)
        return name if symbol is None else id(symbol)


def _may_keep_value(variable: ast.Variable) -> bool:
    """Whether a variable declared inside a loop may keep its value from round to round."""
    return variable.space != "auto" or isinstance(variable.type, Array)


def _of(value: Value, mask: Active) -> Value:
    """Return a variable's values for the active lanes."""
    return value[mask.where] if mask is not None and isinstance(value, np.ndarray) else value


def _why(names: tuple[str, ...], rounds: int) -> str:
    """Say what comes again after so many rounds."""
    if not names:
        return "it has no condition that could end it"
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    what, one = f"what decides whether it goes on, {listed},", len(names) == 1
    if rounds == 1:
        return f"{what} {'does' if one else 'do'} not change any more"
    return f"{what} {'is' if one else 'are'} the same again every {rounds:,} rounds"
