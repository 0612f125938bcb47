"""Name resolution of a kernel without running it: the functions that calls mean, and the variables in memory.

The recorder instruments a kernel's source for a GPU by these results.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernels.frontend.instances import Instances
from kernels.frontend.types import Scalar
from kernels.simt.binding.arguments import bind, expand_arguments
from kernels.simt.compiler.compiled_values import Code, Frame
from kernels.simt.compiler.context import Context
from kernels.simt.compiler.declarations import file_variable, late_constants
from kernels.simt.compiler.dispatch import DISPATCH
from kernels.simt.compiler.statements import statement
from kernels.simt.libraries import installed
from kernels.simt.machine.assumptions import Assumptions, Recompile
from kernels.simt.machine.hazards import Hazards
from kernels.simt.machine.machine import Machine
from kernels.simt.machine.recorder import Budget, Recorder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kernels.frontend.ast import Function, Program, Span, Variable
    from kernels.launch import Launch
    from kernels.simt.binding.arguments import Argument
    from kernels.simt.compiler.registry import Registry
    from kernels.trace.records import Register, Statement, Value


@dataclass(frozen=True, eq=False)
class Linked:
    """One kernel with everything that it calls."""

    kernel: Function
    calls: Mapping[tuple[int, Span, str], tuple[Function, ...]]
    """By `id` of the calling function, span of the call, and its name ("f", ".member", "operator+", "Struct::Struct"):
    the functions that it means, more than one only if a macro makes several calls of one span."""
    addressed: frozenset[tuple[str, Span]]
    """Variables in memory because their address is taken, by name and span."""
    constants: Mapping[str, Value]
    """Values of the file's constants, by name."""
    variables: tuple[Variable, ...]
    """Variables outside of functions, and constant arrays of structs."""
    statements: tuple[Statement, ...]
    """As in a trace."""
    registers: tuple[Register, ...]
    """As in a trace."""
    waits_for_grid: bool
    """All blocks meet at a barrier of the grid."""


def link(
    program: Program,
    kernel: Function,
    launch: Launch,
    arguments: Mapping[str, Argument],
    instances: Instances | None = None,
    registry: Registry | None = None,
) -> Linked:
    """Compile a kernel as `kernels.simt.run` does; parameters and errors are the same.

    A kernel that is an instance of a template needs the `instances` that made it.
    """
    instances = instances or Instances(program)
    assumptions = Assumptions()
    while True:
        machine = Machine(launch, Recorder(Budget(1, sys.maxsize)), Hazards(launch), assumptions)
        c = Context(instances, machine, registry or installed(), DISPATCH)
        c.frames.append(Frame(kernel))
        for variable in program.variables:
            file_variable(c, variable)
        late_constants(c)
        try:
            with c.scope():
                bind(c, kernel, expand_arguments(kernel, arguments))
                statement(c, kernel.body)
        except Recompile:
            continue
        calls = {key: tuple(meant) for key, meant in c.calls.targets.items()}
        return Linked(
            kernel,
            calls,
            frozenset(assumptions.address_taken),
            dict(_constants(c, program)),
            (*program.variables, *instances.constants.values()),
            tuple(c.machine.statements),
            tuple(c.registers),
            c.machine.waits_for_grid,
        )


def _constants(c: Context, program: Program) -> Iterator[tuple[str, Value]]:
    for variable in program.variables:
        code = c.find(variable.name)
        if isinstance(code, Code) and isinstance(code.type, Scalar):
            yield variable.name, np.asarray(code.constant, code.type.dtype).item()
