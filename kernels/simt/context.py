"""What the compiler knows while it turns the tree into closures: names in scope, and the trace's tables."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kernels.errors import SourceError
from kernels.simt.memory import Memory
from kernels.source.types import Array, CType, Pointer, Scalar
from kernels.trace.records import Access, ArrayInfo, Register, Site, Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kernels.launch import Launch
    from kernels.simt.hazards import Hazards
    from kernels.simt.lanes import Active, Group
    from kernels.simt.recorder import Recorder
    from kernels.simt.values import Value
    from kernels.source.nodes import Call, Expr, Function, Program, Span
    from kernels.trace.records import Space, StatementKind

    Run = Callable[[Group, Active], Value]


@dataclass(slots=True)
class Code:
    """A compiled expression.

    `run` yields its value; for pointers and arrays the value is the offset, in elements, of what it points to
    in `memory`. `constant` is the value where it is known already. A `pure` expression can be evaluated for
    lanes that are not active without anybody noticing. `product` are the factors of a floating-point product,
    which the compiler fuses with a sum that it goes into.
    """

    run: Run
    type: CType
    constant: Value = None
    pure: bool = True
    memory: Memory | None = None
    product: tuple[Code, Code] | None = None


@dataclass(slots=True)
class Variable:
    """A scalar or pointer variable of a function: a slot in the group's registers.

    `level` counts the divergent constructs around its declaration. An assignment at the same level is made by
    every lane that can still see the variable, so it replaces the value as a whole: uniform stays uniform.
    `written` is the slot that says which lanes have assigned it, where the declaration gave no value.
    """

    name: str
    type: CType
    slot: int
    level: int
    register: int = -1
    const: bool = False
    written: int = -1
    memory: Memory | None = None


Symbol = Variable | Memory | Code


@dataclass(slots=True)
class Loop:
    """A loop being compiled: slots for the lanes that left by break and by continue, and if any can leave."""

    broken: int
    continued: int
    jumps: bool = False
    returns: bool = False


@dataclass(slots=True)
class Frame:
    """The function being compiled: the slot of its returned values, and the loops around, innermost last."""

    function: Function
    result: int = -1
    loops: list[Loop] = field(default_factory=list)


class Context:
    """Tables that fill up during compilation."""

    def __init__(self, program: Program, launch: Launch, recorder: Recorder, hazards: Hazards) -> None:
        self.program = program
        self.launch = launch
        self.recorder = recorder
        self.hazards = hazards
        self.functions = {function.name: function for function in program.functions}
        self.memories: list[Memory] = []
        self.statements: list[Statement] = []
        self.sites: list[Site] = []
        self.registers: list[Register] = []
        self.frames: list[Frame] = []
        self.printed: list[str] = []
        self.slots = 0
        self.dynamic_shared: Memory | None = None
        self.level = 0
        self.statement = -1
        self.contract = True
        self.expression: Callable[[Context, Expr], Code]
        self.call: Callable[[Context, Function, Call], Code]
        self._scopes: list[dict[str, Symbol]] = [{}]
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._declared: dict[tuple[Any, ...], Memory] = {}
        self._lines = program.text.splitlines()

    def compile(self, node: Expr) -> Code:
        """Compile an expression."""
        return self.expression(self, node)

    # --- errors and names ------------------------------------------------------------------------------

    def refuse(self, span: Span, reason: str) -> SourceError:
        """Build the error for something that cannot be run."""
        return SourceError(self.program.file, span.line, span.column, reason)

    def unsupported(self, span: Span, construct: str) -> SourceError:
        """Build the error for CUDA C that is valid but not executed here."""
        return self.refuse(span, f"not supported: {construct}")

    @contextmanager
    def scope(self, deeper: int = 0) -> Iterator[None]:
        """Names declared inside end with it; `deeper` counts the divergent constructs it stands for."""
        self._scopes.append({})
        self.level += deeper
        try:
            yield
        finally:
            self._scopes.pop()
            self.level -= deeper

    @contextmanager
    def only_globals(self) -> Iterator[None]:
        """Inside a called function the caller's names are not visible."""
        kept = self._scopes
        self._scopes = [kept[0], {}]
        try:
            yield
        finally:
            self._scopes = kept

    def declare(self, name: str, symbol: Symbol) -> None:
        """Make a name visible until its scope ends."""
        self._scopes[-1][name] = symbol

    def find(self, name: str) -> Symbol | None:
        """Return what a name means here."""
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        return None

    # --- tables ----------------------------------------------------------------------------------------

    def slot(self) -> int:
        """Return a new place among a group's registers."""
        self.slots += 1
        return self.slots - 1

    def site(self, span: Span, memory: Memory, access: Access) -> int:
        """Return the number of the place in the source that accesses an array."""
        key = ("site", span, self.statement, memory.number, access)
        if key not in self._numbers:
            self._numbers[key] = len(self.sites)
            self.sites.append(Site(span, self.statement, memory.number, access))
        return self._numbers[key]

    def new_statement(self, span: Span, kind: StatementKind) -> int:
        """Return the number of a statement, which becomes the one being compiled."""
        key = ("statement", span, kind)
        if key not in self._numbers:
            self._numbers[key] = len(self.statements)
            self.statements.append(Statement(span, self.text(span), kind))
        self.statement = self._numbers[key]
        return self.statement

    def register(self, name: str, kind: Scalar, span: Span) -> int:
        """Return the number of a scalar variable of the function being compiled."""
        function = self.frames[-1].function.name
        key = ("register", name, function, span)
        if key not in self._numbers:
            self._numbers[key] = len(self.registers)
            self.registers.append(Register(name, function, kind.dtype, span))
        return self._numbers[key]

    def array(
        self, name: str, space: Space, declared: CType, span: Span, shape: tuple[int, ...], *,
        address: int = 0, parameter: bool = False,
    ) -> Memory:  # fmt: skip
        """Make an array known to the trace; the same declaration compiled again is the same array."""
        kind = declared.element if isinstance(declared, Array) else declared
        if not isinstance(kind, Scalar):
            raise self.unsupported(span, f"array of {kind}")
        key = (name, span)
        if key not in self._declared:
            info = ArrayInfo(name, space, kind.dtype, shape, address, parameter)
            memory = Memory(len(self.memories), info, kind, self.recorder, self.hazards)
            memory.declared = declared
            self.memories.append(memory)
            self._declared[key] = memory
        return self._declared[key]

    def place(self, space: Space, kind: CType) -> int:
        """First free byte of a memory space, aligned for an element type."""
        end = max(
            (m.info.address + m.size * m.info.dtype.itemsize for m in self.memories if m.info.space == space),
            default=0,
        )
        size = kind.size_bytes if isinstance(kind, Scalar | Pointer | Array) else 1
        return -(-end // size) * size

    def text(self, span: Span) -> str:
        """Source text of a span, white space squeezed."""
        lines = self._lines[span.line - 1 : span.end_line]
        if not lines:
            return ""
        lines[-1] = lines[-1][: span.end_column - 1]
        lines[0] = lines[0][span.column - 1 :]
        return " ".join(" ".join(lines).split())


def constant(value: Value, kind: CType) -> Code:
    """Code for a known value."""
    return Code(lambda group, mask: value, kind, value)
