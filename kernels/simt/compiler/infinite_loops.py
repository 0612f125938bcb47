"""Infinite loops: a loop cannot end if all that its condition depends on is the same after a round as before.

A loop's condition depends on some variables and arrays (`compiler.loop_dependencies`). If none of them changes in a
round, no later round can differ. They are compared only in loops that have run for many rounds, which costs nothing
elsewhere. If the dependencies are unknown, the step limit ends the loop. If no register and no memory changes in a
round, but another thread could change the memory that is read, the kernel is run again with interleaved threads.

Example: `for (int i = 0; i < n; sum += x[i]);` depends on i and n. Neither changes in a round, so the loop cannot end,
although sum changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from kernels.frontend import ast
from kernels.frontend.ast.traversal import below
from kernels.frontend.types import Array, Reference, Scalar
from kernels.simt.compiler.calls.call import ENDING
from kernels.simt.compiler.compiled_values import Bundle, Code, Variable
from kernels.simt.compiler.loop_dependencies import deciding_names, round_statements
from kernels.simt.machine.arithmetic import same_bits
from kernels.simt.machine.budget import needs_interleaving
from kernels.simt.machine.deadlock import recurs, take_state
from kernels.simt.machine.interleaving import refine
from kernels.simt.machine.memory import Memory
from kernels.simt.machine.recorder import EarlyStop
from kernels.words import join

if TYPE_CHECKING:
    from kernels.simt.compiler.compiled_values import Symbol
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.loop_dependencies import Repeated
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group, LoopRun

_NEVER: Final = 1 << 62


class _Dependencies(NamedTuple):
    """The variables that a loop's condition depends on; the arrays are never written."""

    names: tuple[str, ...]
    """For the message."""
    slots: tuple[int, ...]


class InfiniteLoopCheck:
    """The check of one loop, whose names are looked up in the scopes open at its creation."""

    def __init__(self, c: Context, node: Repeated) -> None:
        self._c = c
        self._node = node
        self._scopes = c.visible()
        self._dependencies: _Dependencies | None = None
        self._analysed = False

    def check(self, group: Group, mask: Active, loop_run: LoopRun) -> None:
        """Compare the dependencies with those of a former round; raises EarlyStop if the loop cannot end.

        The former round is replaced when the number of rounds has doubled, which finds cycles of any length (Brent,
        "An improved Monte Carlo factorization algorithm", 1980).
        """
        # Analysed when the check is due for the first time, since most loops end long before.
        if not self._analysed:
            self._analysed, self._dependencies = True, self._find_dependencies()
        dependencies = self._dependencies
        if dependencies is None:
            self._check_spinning(group, mask, loop_run)
            return
        # Masks are compared by identity: a loop that loses lanes is not the same as before.
        now = [group.values[slot] for slot in dependencies.slots]
        if loop_run.snapshot is not None and loop_run.mask is mask:
            pairs = zip(loop_run.snapshot, now, strict=True)
            if all(same_bits(_of(a, mask), _of(b, mask)) for a, b in pairs):
                why = _reason(dependencies.names, loop_run.rounds - loop_run.snapshot_round)
                raise EarlyStop("stopped in a loop that never ends", "endless", why)
            if loop_run.rounds < 2 * loop_run.snapshot_round:
                return
        loop_run.snapshot, loop_run.mask, loop_run.snapshot_round = now, mask, loop_run.rounds

    def _check_spinning(self, group: Group, mask: Active, loop_run: LoopRun) -> None:
        """Raise Recompile for interleaving if nothing changes in a round, but another thread might change it."""
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

    def _find_dependencies(self) -> _Dependencies | None:
        """Return the variables that the condition depends on; None if unknown, or if another thread may change them."""
        loop = self._node
        inside = [node for part in round_statements(loop) for node in below(part)]
        if self._has_untracked_changes(inside):
            return None
        deciding = deciding_names(loop, self._meaning)
        own = {v.name for node in inside if isinstance(node, ast.Declare) for v in node.variables if _may_keep_value(v)}
        # A variable declared inside that keeps its value (static, or an array) is not in the scopes around the loop.
        if deciding is None or deciding & own:
            return None
        names, slots, arrays = [], list[int](), list[int]()
        for name in sorted(deciding):
            symbol = self._find(name)
            if symbol is None:  # declared inside, or never changed
                continue
            if isinstance(symbol, Variable | Bundle):
                leaves = symbol.leaves if isinstance(symbol, Bundle) else (symbol,)
                # An address may point to any array, which another thread may change.
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
        # Another thread, or the loop itself, may change an array that the kernel writes anywhere.
        if any(site.array in arrays for site in self._c.machine.sites if site.access != "read"):
            return None
        return _Dependencies(tuple(names), tuple(slots))

    def _has_untracked_changes(self, inside: list[Any]) -> bool:
        """Return whether lanes may leave the loop, or variables change in it, in ways that are not analysed."""
        for node in inside:
            if isinstance(node, ast.Goto | ast.Label | ast.Assembly | ast.Lambda):
                return True
            if isinstance(node, ast.Variable) and isinstance(node.type, Reference):
                return True
        calls = {node.function for node in inside if isinstance(node, ast.Call)}
        if not any(name[0] == "." or name in self._c.functions or self._find(name) for name in calls):
            return not calls.isdisjoint(ENDING)
        if self._c.calls.lambdas:  # a lambda may change its captures
            return True
        every = (f for some in self._c.functions.values() for f in some if isinstance(f, ast.Function))
        return any(isinstance(n, ast.Call) and n.function in ENDING for f in every for n in below(f.body))

    def _find(self, name: str) -> Symbol | None:
        return next((scope[name] for scope in reversed(self._scopes) if name in scope), None)

    def _meaning(self, name: str) -> int | str:
        symbol = self._find(name)
        return name if symbol is None else id(symbol)


def _may_keep_value(variable: ast.Variable) -> bool:
    """Return whether a variable declared inside a loop may keep its value from round to round."""
    return variable.space != "auto" or isinstance(variable.type, Array)


def _of(value: Value, mask: Active) -> Value:
    """Return a variable's values for the active lanes."""
    return value[mask.where] if mask is not None and isinstance(value, np.ndarray) else value


def _reason(names: tuple[str, ...], rounds: int) -> str:
    """Return the reason: the dependencies that are the same after some rounds."""
    if not names:
        return "it has no condition that could end it"
    one = len(names) == 1
    if rounds == 1:
        return f"whether it ends depends on {join(names)}, which {'does' if one else 'do'} not change any more"
    again = f"{'is' if one else 'are'} the same again every {rounds:,} rounds"
    return f"whether it ends depends on {join(names)}, which {again}"
