"""Variables whose lanes all move by the same: what is kept beside them, so that indices made of them are sums still.

`int i = blockIdx.x * blockDim.x + threadIdx.x` in a loop that steps by the grid, or `int column = t * 16 + threadIdx.x`
in a loop over t: the coordinates' part stays what it is, and the rest is one number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.simt.machine.affine import Linear

if TYPE_CHECKING:
    from kernels.simt.compiler.compiled_values import Code, Variable
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run


def follow(c: Context, variable: Variable, value: Code, put: Run) -> Run:
    """Compile the only assignment to a variable, `put`, which gives it this value."""
    found = value.index.affine
    if found is None or not found.terms:
        variable.affine = found
        return put
    return _kept(c.slot(), variable, found, put) if value.pure else put


def count(c: Context, variable: Variable, value: Code, by: int, start: Run, step: Run) -> tuple[Run, Run]:
    """Compile start and step of a loop's counter, which begins with this value and moves by a known number."""
    found = value.index.affine
    if found is None or not value.pure:
        return start, step
    slot = c.slot()
    begin = _kept(slot, variable, found, start)

    def move(group: Group, mask: Active) -> Value:
        step(group, mask)
        group.values[slot] = group.values[slot] + by

    return begin, move


def _kept(slot: int, variable: Variable, found: Linear, put: Run) -> Run:
    rest = found.rest()
    variable.affine = Linear(0, found.coordinates, ((lambda group, mask: group.values[slot], 1),))

    def run(group: Group, mask: Active) -> Value:
        new = put(group, mask)
        group.values[slot] = rest(group, mask)
        return new

    return run
