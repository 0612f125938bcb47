"""The compile context: the file's functions and types, facts about the kernel, and the errors of the compiler.

The names in scope are in `kernels.simt.compiler.scopes`, the trace's tables in `kernels.simt.compiler.trace_tables`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from kernels.errors import SourceError, UnknownName
from kernels.frontend.ast import Construct, Goto, Name, Template, Unary
from kernels.frontend.headers.textures import Image
from kernels.frontend.types import AUTO, CType, FunctionPointer, Named, Pointer, Reference, Struct, Void
from kernels.simt.checkers.racecheck.access_log import Atomics
from kernels.simt.checkers.racecheck.lost_updates import Stores
from kernels.simt.compiler.scopes import Scopes
from kernels.simt.compiler.trace_tables import Tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.errors import Cause
    from kernels.frontend.ast import Call, Expr, Function, Omission, Span, Statement
    from kernels.frontend.instances import Instances
    from kernels.frontend.types import Argument
    from kernels.simt.compiler.compiled_values import Code, Place, VariableProduct
    from kernels.simt.compiler.registry import Registry
    from kernels.simt.machine.machine import Machine
    from kernels.simt.machine.memory import Memory
    from kernels.simt.machine.steps import Step


State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class Dispatch:
    """The compilers of each kind of node, for modules that those compilers depend on.

    `operators`, for example, compiles its operands with `Context.compile`, and `expressions` imports `operators`.
    `compiler.dispatch` builds the only instance.
    """

    expression: Callable[[Context, Expr], Code]
    statement: Callable[[Context, Statement], Step]
    call: Callable[[Context, Call], Code]
    """Compiles the call of a function of the file."""
    reference: Callable[[Context, Expr], Place | None]
    """Compiles a call of a function that returns a reference, to the place; None for any other expression."""
    function_pointer: Callable[[Context, Name, CType], Code | None]
    """Compiles a function's name as a pointer of a type; None for any other name."""


class FunctionTable(dict[str, "list[Function | Template]"]):
    """The functions and templates of the file by name, with those of the structs that templates make."""

    def __init__(self, instances: Instances) -> None:
        super().__init__()
        self.reference_operators: set[str] = set()
        """Names, without scopes, of the operators that return a reference."""
        self.helpers: dict[str, Callable[[tuple[Argument | None, ...]], Function]] = {}
        """By name: the instantiation of a template that the compiler wrote itself (`compiler.device_helpers`)."""
        self._instances = instances
        self._known = 0, 0
        """Numbers of the instances' functions and templates that are in the table."""
        self._add([*instances.program.functions, *instances.program.templates])
        self._add_members()

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
            return self._instances.instantiate(template, arguments)
        finally:
            self._add_members()

    def _add(self, overloads: list[Function | Template]) -> None:
        for function in overloads:
            self.setdefault(function.name, []).append(function)
            name = function.name.rpartition("::")[2]
            if name.startswith("operator") and (
                isinstance(function, Template) or isinstance(function.returns, Reference)
            ):
                self.reference_operators.add(name)

    def _add_members(self) -> None:
        """Declare the member functions of structs that new instances of templates have defined."""
        instances, (functions, templates) = self._instances, self._known
        self._add([*instances.functions[functions:], *instances.templates[templates:]])
        self._known = len(instances.functions), len(instances.templates)


@dataclass(slots=True)
class FileVariables:
    """Variables outside of functions, and those inside that are static or shared in all of the kernel."""

    static: set[str] = field(default_factory=set)
    """Names of the static members and static variables that are declared."""
    omissions: dict[str, Omission] = field(default_factory=dict)
    """By name: constants of the file that could not be computed."""
    dynamic_shared: Memory | None = None
    """The launch's dynamic shared memory, which all `extern __shared__` arrays name."""


@dataclass(slots=True)
class Contraction:
    """Settings and products of `compiler.fma_contraction`."""

    enabled: bool
    """False as with nvcc's -fmad=false."""
    products: list[VariableProduct] = field(default_factory=list)
    """Products that variables hold: whether they can be fused is known when all uses are compiled."""


@dataclass(slots=True)
class RacecheckFacts:
    """Static facts that racecheck needs of the kernel."""

    atomics: Atomics = field(default_factory=Atomics)
    block_fences: set[int] = field(default_factory=set)
    """Statements with a fence that orders accesses for the threads of the block only."""
    stores: Stores = field(default_factory=Stores)
    """Values that assignments store in memory."""
    async_proxy: bool = False
    """True if the kernel has instructions that read shared memory by themselves."""


class Context(Scopes, Tables):
    """All that is known of one kernel while it is compiled, and the state of libraries in its run."""

    def __init__(
        self, instances: Instances, machine: Machine, registry: Registry, dispatch: Dispatch, *, contract: bool = True
    ) -> None:
        Scopes.__init__(self)
        Tables.__init__(self, instances.program, machine)
        self.template_instances = instances
        """Instantiates templates, and has the structs and constants of the instances."""
        self.functions = FunctionTable(instances)
        """The functions that a call can name."""
        self.registry = registry
        """CUDA's functions and those of the libraries."""
        self.dispatch = dispatch
        """The compilers of expressions, statements and calls."""
        self.file_variables = FileVariables()
        """Variables that outlive a function's call."""
        self.contraction = Contraction(contract)
        """Fusion of products with sums."""
        self.racecheck = RacecheckFacts()
        """Static facts for the checker."""
        self._states: dict[type, Any] = {}
        """By class: the state that a library has in this run (`state_of`)."""

    def state_of(self, kind: type[State]) -> State:
        """Return a library's state in this run, one object for each class; the first call makes it."""
        if kind not in self._states:
            self._states[kind] = kind()
        return cast("State", self._states[kind])

    def has_goto(self) -> bool:
        """Return whether the function being compiled has a goto."""
        frame, known = self.frames[-1], self.calls.with_goto
        key = id(frame.function)
        if key not in known:
            known[key] = Goto in map(type, frame.nodes())
        return known[key]

    def complete(self, kind: CType) -> CType:
        """Return a type with the definition of a struct that was declared first and defined later."""
        if isinstance(kind, Named):
            return self.template_instances.structs.get(kind.name, kind)
        if isinstance(kind, (Pointer, Reference)) and not isinstance(kind, Image):
            to = self.complete(kind.to)
            return kind if to is kind.to else replace(kind, to=to)
        return kind

    def member(self, kind: CType, name: str) -> str | None:
        """Return the full name of a member function of a struct or of its bases; None if there is none."""
        while isinstance(kind, Struct):
            if f"{kind}::{name}" in self.functions:
                return f"{kind}::{name}"
            kind = kind.base or Void()
        return None

    def compile(self, node: Expr) -> Code:
        """Compile an expression."""
        return self.dispatch.expression(self, node)

    def compile_step(self, node: Statement) -> Step:
        """Compile a statement."""
        return self.dispatch.statement(self, node)

    def compile_as(self, node: Expr, kind: CType) -> Code:
        """Compile an expression; braces without a type make a value of type `kind`."""
        if isinstance(node, Construct) and node.type == AUTO:
            node = replace(node, type=kind)
        if isinstance(kind, FunctionPointer):
            name = node.operand if isinstance(node, Unary) and node.op == "&" else node
            if isinstance(name, Name) and self.find(name.id) is None:
                return self.dispatch.function_pointer(self, name, kind) or self.compile(node)
        return self.compile(node)

    def refuse(self, span: Span, reason: str, cause: Cause | None = None) -> SourceError:
        """Build the error for something that cannot be run."""
        return SourceError(self.program.file, span.line, span.column, reason, cause)

    def unsupported(self, span: Span, construct: str) -> SourceError:
        """Build the error for CUDA C that is valid but not executed here."""
        return self.refuse(span, f"not supported: {construct}")

    def undefined(self, span: Span, kind: CType) -> SourceError:
        """Build the error for a type that is declared and not defined."""
        omission = self.program.omission(str(kind))
        if omission is not None:
            return self.refuse(span, f"type '{kind}' was left out: {omission.reason}", omission.cause)
        return self.refuse(
            span, f"{kind} is declared and not defined: define it in this file{self.program.missing_files_advice}"
        )

    def unknown(self, span: Span, name: str) -> SourceError:
        """Build the error for a name that is not declared here."""
        omission = self.program.omission(name) or self.file_variables.omissions.get(name)
        if name == "this":
            return self.unsupported(span, "a default member value that names other members; write a constructor")
        if omission is None:
            return self.refuse(span, f"unknown name '{name}'{self.program.missing_files_advice}", UnknownName(name))
        return self.refuse(span, omission.message, omission.cause)
