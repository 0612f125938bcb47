"""What the compiler knows while it turns the tree into closures: the file's functions and types, and its errors.

The names in scope are in `kernels.simt.compiler.scopes`, the trace's tables in `kernels.simt.compiler.trace_tables`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from kernels.errors import SourceError, UnknownName
from kernels.frontend.ast import Construct, Goto, Name, Unary
from kernels.frontend.headers.textures import Image
from kernels.frontend.types import AUTO, CType, FunctionPointer, Named, Pointer, Reference, Struct, Void
from kernels.simt.checkers.racecheck.updates import Stores
from kernels.simt.compiler.scopes import Scopes
from kernels.simt.compiler.trace_tables import Tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.errors import Cause
    from kernels.frontend.ast import Call, Expr, Function, Omission, Span, Statement, Template
    from kernels.frontend.instances import Instances
    from kernels.frontend.types import Argument
    from kernels.simt.compiler.compiled_values import Closure, Code, Place, VariableProduct
    from kernels.simt.compiler.registry import Registry
    from kernels.simt.machine.machine import Machine
    from kernels.simt.machine.memory import Memory
    from kernels.simt.machine.steps import Step


class Context(Scopes, Tables):
    """What is known of one kernel while it is compiled.

    `expression`, `step`, `call`, `designated` and `named` compile what stands in the tree: every room can ask for
    them, although their modules need those rooms.
    """

    def __init__(self, instances: Instances, machine: Machine, registry: Registry) -> None:
        program = instances.program
        Scopes.__init__(self)
        Tables.__init__(self, program, machine)
        self.program = program
        self.template_instances = instances
        self.helpers: dict[str, Callable[[tuple[Argument | None, ...]], Function]] = {}
        """By name: how templates that the compiler has written itself are instantiated."""
        self.registry = registry
        self.functions: dict[str, list[Function | Template]] = {}
        declared: list[Function | Template] = [*program.functions, *program.templates]
        for function in declared:
            self.functions.setdefault(function.name, []).append(function)
        self._members = 0, 0
        self._add_members()
        self.calls: dict[tuple[int, Span, str], list[Function]] = {}  # by function, place and name; see link.py
        self.printed: list[str] = []
        self.printed_bytes = 0
        self.closures: dict[CType, Closure] = {}
        self.dynamic_shared: Memory | None = None
        self.contract = True
        self.pipeline = -1
        self.products: list[VariableProduct] = []
        self.heap_bytes = 0  # of the device's heap that are given out while the kernel runs
        self.kept: set[str] = set()  # which of the variables that structs and functions keep are declared
        self.omissions: dict[str, Omission] = {}  # by name: constants of the file that could not be computed
        self.warp_calls: Counter[str] = Counter()  # by function with a mask: its calls; one in a loop counts twice
        self.unwanted: set[tuple[type, Span]] = set()  # calls and assignments whose value is thrown away
        self.stores = Stores()  # what assignments store in memory
        self.expression: Callable[[Context, Expr], Code]
        self.step: Callable[[Context, Statement], Step]
        self.call: Callable[[Context, Call], Code]
        self.designated: Callable[[Context, Expr], Place | None]
        self.named: Callable[[Context, Name, CType], Code | None]
        self._jumping: dict[int, bool] = {}

    def has_goto(self) -> bool:
        """Whether the function being compiled has a goto."""
        frame = self.frames[-1]
        key = id(frame.function)
        if key not in self._jumping:
            self._jumping[key] = any(isinstance(node, Goto) for node in frame.nodes())
        return self._jumping[key]

    def instantiate(self, template: Template, arguments: tuple[Argument | None, ...]) -> Function:
        """Return an instance of a template.

        Raises
        ------
        Unfit
            When the template's declaration makes no sense with the arguments.
        SourceError
            When the instance cannot be parsed.
        """
        if template.name in self.helpers:
            return self.helpers[template.name](arguments)
        try:
            return self.template_instances.instantiate(template, arguments)
        finally:
            self._add_members()

    def _add_members(self) -> None:
        """Declare the functions of structs that an instance of a template was the first to name."""
        instances, (functions, templates) = self.template_instances, self._members
        late: list[Function | Template] = [*instances.functions[functions:], *instances.templates[templates:]]
        for function in late:
            self.functions.setdefault(function.name, []).append(function)
        self._members = len(instances.functions), len(instances.templates)

    def complete(self, kind: CType) -> CType:
        """Return a type with the struct that stands for a name declared before it was defined."""
        if isinstance(kind, Named):
            return self.template_instances.structs.get(kind.name, kind)
        if isinstance(kind, Pointer | Reference) and not isinstance(kind, Image):
            to = self.complete(kind.to)
            return kind if to is kind.to else replace(kind, to=to)
        return kind

    def member(self, kind: CType, name: str) -> str | None:
        """Return the full name of a struct's function, its own or that of a base; None where it has none."""
        while isinstance(kind, Struct):
            if f"{kind}::{name}" in self.functions:
                return f"{kind}::{name}"
            kind = kind.base or Void()
        return None

    def compile(self, node: Expr) -> Code:
        """Compile an expression."""
        return self.expression(self, node)

    def compile_as(self, node: Expr, kind: CType) -> Code:
        """Compile an expression whose braces, if it is no more than that, make a value of this type."""
        if isinstance(node, Construct) and node.type == AUTO:
            node = replace(node, type=kind)
        if isinstance(kind, FunctionPointer):
            name = node.operand if isinstance(node, Unary) and node.op == "&" else node
            if isinstance(name, Name) and self.find(name.id) is None:
                return self.named(self, name, kind) or self.compile(node)
        return self.compile(node)

    def refuse(self, span: Span, reason: str, cause: Cause | None = None) -> SourceError:
        """Build the error for something that cannot be run."""
        return SourceError(self.program.file, span.line, span.column, reason, cause)

    def unsupported(self, span: Span, construct: str) -> SourceError:
        """Build the error for CUDA C that is valid but not executed here."""
        return self.refuse(span, f"not supported: {construct}")

    def undefined(self, span: Span, kind: CType) -> SourceError:
        """Build the error for a type that nothing is known of but its name."""
        omission = self.program.omission(str(kind))
        if omission is not None:
            return self.refuse(span, f"type '{kind}' was left out: {omission.reason}", omission.cause)
        return self.refuse(span, f"{kind} is declared and not defined: define it in this file{self.program.excuse}")

    def unknown(self, span: Span, name: str) -> SourceError:
        """Build the error for a name that means nothing here."""
        omission = self.program.omission(name) or self.omissions.get(name)
        if name == "this":
            return self.unsupported(span, "a default member value that names other members; write a constructor")
        if omission is None:
            return self.refuse(span, f"unknown name '{name}'{self.program.excuse}", UnknownName(name))
        return self.refuse(span, omission.message, omission.cause)
