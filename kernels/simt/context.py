"""What the compiler knows while it turns the tree into closures: names in scope, and the trace's tables."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from math import gcd
from typing import TYPE_CHECKING, Any

from kernels.errors import SourceError
from kernels.simt.code import Code, Findings, Frame, Reconsider, Symbol
from kernels.simt.memory import Memory
from kernels.simt.phases import Phases
from kernels.simt.structs import unit, word
from kernels.source.images import Image
from kernels.source.nodes import Construct, Goto, Name, Unary
from kernels.source.types import (
    AUTO,
    Array,
    CType,
    FunctionPointer,
    Named,
    Pointer,
    Reference,
    Scalar,
    Struct,
    Void,
)
from kernels.trace.records import Access, ArrayInfo, Register, Site, Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kernels.launch import Launch
    from kernels.simt.code import Closure, Place, Product
    from kernels.simt.hazards import Hazards
    from kernels.simt.lanes import Active, Group
    from kernels.simt.linear import Coordinates
    from kernels.simt.recorder import Tally
    from kernels.simt.steps import Step
    from kernels.simt.values import Value
    from kernels.source.nodes import Call, Expr, Function, Program, Span, Template
    from kernels.trace.records import Space, StatementKind

    Run = Callable[[Group, Active], Value]


class Context:
    """Tables that fill up during compilation."""

    def __init__(
        self, program: Program, launch: Launch, recorder: Tally, hazards: Hazards, findings: Findings
    ) -> None:
        self.program = program
        self.findings = findings
        self.launch = launch
        self.recorder = recorder
        self.hazards = hazards
        self.functions: dict[str, list[Function | Template]] = {}
        declared: list[Function | Template] = [*program.functions, *program.templates]
        for function in declared:
            self.functions.setdefault(function.name, []).append(function)
        self._members = 0, 0
        self.add_members()
        self.memories: list[Memory] = []
        self.statements: list[Statement] = []
        self.sites: list[Site] = []
        self.registers: list[Register] = []
        self.frames: list[Frame] = []
        self.instances: dict[tuple[str, tuple[str, ...]], None] = {}
        self.calls: dict[
            tuple[int, Span, str], list[Function]
        ] = {}  # by function, place and name; see link.py
        self.printed: list[str] = []
        self.closures: dict[CType, Closure] = {}
        self._kept: dict[int, tuple[Expr | None, Frame | None, Place | None]] = {}
        self.slots = 0
        self.dynamic_shared: Memory | None = None
        self.level = 0
        self.statement = -1
        self.contract = True
        self.in_index = False
        self.makes = False
        self.pipeline = -1
        self.phases = Phases()
        self.block = self._blocks = 0
        self.products: list[Product] = []
        self.block_fences: set[int] = set()  # statements whose fence reaches no further than the block
        self.block_atomics: set[int] = set()  # sites that are atomic for the threads of one block only
        self.atomic_loads: set[int] = set()  # sites of atomics that change nothing
        self.late_atomics: set[int] = set()  # sites of atomics that acquire with the next fence only
        self.waits_for_grid = False  # whether all blocks meet at a barrier: they then run at once
        self.may_wait: set[int] = set()  # loops that can be waiting for other threads
        self.left_out: dict[str, str] = {}  # constants of the file that could not be computed, and why
        self.spins = False  # whether a loop waits for other threads: blocks then run one after another
        self.expression: Callable[[Context, Expr], Code]
        self.call: Callable[[Context, Call], Code]
        self.designated: Callable[[Context, Call], Place | None]
        self.named: Callable[[Context, Name, CType], Code | None]
        self.hoisted: list[Step] | None = None
        self._scopes: list[dict[str, Symbol]] = [{}]
        self._patterns: dict[Coordinates, int] = {}
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._declared: dict[tuple[Any, ...], Memory] = {}
        self._jumping: dict[int, bool] = {}
        self._lines = program.text.splitlines()

    def enter(self, frame: Frame) -> None:
        """Begin with a function's body; the trace tells which instances of templates there are."""
        self.frames.append(frame)
        function = frame.function
        if function.template:
            words = tuple(str(t).lower() if isinstance(t, bool) else str(t) for t in function.template)
            self.instances[function.name, words] = None

    def has_goto(self) -> bool:
        """Whether the function being compiled has a goto."""
        frame = self.frames[-1]
        key = id(frame.function)
        if key not in self._jumping:
            self._jumping[key] = any(isinstance(node, Goto) for node in frame.nodes())
        return self._jumping[key]

    def add_members(self) -> None:
        """Make the functions known of structs that an instance of a template was the first to name."""
        program, (functions, templates) = self.program, self._members
        late: list[Function | Template] = [*program.members[functions:]]
        late += program.member_templates[templates:]
        for function in late:
            self.functions.setdefault(function.name, []).append(function)
        self._members = len(program.members), len(program.member_templates)

    def compiled(self, node: Expr) -> Place | None:
        """Return what a part of the statement being compiled was found to designate, in this call of its function."""
        kept, frame, place = self._kept.get(id(node), (None, None, None))
        return place if kept is node and frame is self.frames[-1] else None

    def keep(self, node: Expr, place: Place) -> Place:
        """Remember what a part of the statement being compiled designates."""
        self._kept[id(node)] = node, self.frames[-1], place
        return place

    def complete(self, kind: CType) -> CType:
        """Return a type with the struct that stands for a name declared before it was defined."""
        if isinstance(kind, Named):
            return self.program.structs.get(kind.name, kind)
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

    # --- errors and names ------------------------------------------------------------------------------

    def refuse(self, span: Span, reason: str) -> SourceError:
        """Build the error for something that cannot be run."""
        return SourceError(self.program.file, span.line, span.column, reason)

    def unsupported(self, span: Span, construct: str) -> SourceError:
        """Build the error for CUDA C that is valid but not executed here."""
        return self.refuse(span, f"not supported: {construct}")

    def unknown(self, span: Span, name: str) -> SourceError:
        """Build the error for a name that means nothing here."""
        reason = dict(self.program.skipped).get(name) or self.left_out.get(name)
        if reason is None:
            return self.refuse(span, f"unknown name '{name}'{self.program.excuse}")
        return self.refuse(
            span, f"'{name}' is {reason}" if reason[:2] == "a " else f"'{name}' was left out: {reason}"
        )

    @contextmanager
    def conditional(self, deeper: int = 1) -> Iterator[None]:
        """Inside, what is compiled may be left out when it runs: nothing can be taken out in front of it.

        `deeper` is 0 where all lanes that leave it out have seen the last of the names declared around it.
        """
        kept, self.hoisted = self.hoisted, None
        self.level += deeper
        try:
            yield
        finally:
            self.hoisted = kept
            self.level -= deeper

    @contextmanager
    def indexing(self, inside: bool = True) -> Iterator[None]:
        """Let what is compiled inside be part of an index, or, as a function's body, not be."""
        kept, self.in_index = self.in_index, inside
        try:
            yield
        finally:
            self.in_index = kept

    @contextmanager
    def converting(self, *, allowed: bool) -> Iterator[None]:
        """Inside, constructors may make structs of arguments: not where CUDA has a function of that name."""
        kept, self.makes = self.makes, allowed
        try:
            yield
        finally:
            self.makes = kept

    @contextmanager
    def hoisting(self) -> Iterator[list[Step]]:
        """Collect what must run before the statement being compiled: calls that wait at barriers."""
        kept, self.hoisted = self.hoisted, []
        try:
            yield self.hoisted
        finally:
            self.hoisted = kept

    @contextmanager
    def scope(self, deeper: int = 0, *, straight: bool = False) -> Iterator[None]:
        """Names declared inside end with it; `deeper` counts the divergent constructs it stands for.

        Around those begins and ends a block of straight code, but (`straight`) not around a function's body.
        """
        self._scopes.append({})
        self.level += deeper
        jumps = deeper > 0 and not straight
        self._count_block(jumps)
        try:
            yield
        finally:
            self._scopes.pop()
            self.level -= deeper
            self._count_block(jumps)

    def _count_block(self, new: bool) -> None:
        if new:
            self._blocks += 1
            self.block = self._blocks

    def visible(self) -> tuple[dict[str, Symbol], ...]:
        """Return the scopes that are open."""
        return tuple(self._scopes)

    @contextmanager
    def seeing(self, scopes: Sequence[dict[str, Symbol]] = ()) -> Iterator[None]:
        """Inside, only these scopes' names are visible; in a called function that is what the file declares."""
        kept = self._scopes
        self._scopes = [*(scopes or kept[:1]), {}]
        try:
            yield
        finally:
            self._scopes = kept

    @contextmanager
    def everywhere(self) -> Iterator[None]:
        """Inside, what is declared is visible in the whole file."""
        kept, self._scopes = self._scopes, self._scopes[:1]
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

    def pattern(self, coordinates: Coordinates) -> int:
        """Return the slot of the indices that these coordinates make."""
        if coordinates not in self._patterns:
            self._patterns[coordinates] = self.slot()
        return self._patterns[coordinates]

    # --- tables ----------------------------------------------------------------------------------------

    def slot(self) -> int:
        """Return a new place among a group's registers."""
        self.slots += 1
        return self.slots - 1

    def site(self, span: Span, memory: Memory, access: Access, width: int = 1) -> int:
        """Return the number of the place in the source that accesses an array, `width` elements at once."""
        key = ("site", span, self.statement, memory.number, access, width)
        if key not in self._numbers:
            self._numbers[key] = len(self.sites)
            self.sites.append(Site(span, self.statement, memory.number, access, width))
        return self._numbers[key]

    def new_statement(self, span: Span, kind: StatementKind) -> int:
        """Return the number of a statement, which becomes the one being compiled."""
        key = ("statement", span, kind)
        if key not in self._numbers:
            self._numbers[key] = len(self.statements)
            self.statements.append(Statement(span, self.text(span), kind))
        self.statement = self._numbers[key]
        self._kept.clear()
        return self.statement

    def register(self, name: str, kind: Scalar, span: Span) -> int:
        """Return the number of a scalar variable of the function being compiled; -1 where nothing is recorded."""
        if not self.recorder.records:
            return -1
        function = self.frames[-1].function.name
        key = ("register", name, function, span)
        if key not in self._numbers:
            self._numbers[key] = len(self.registers)
            self.registers.append(Register(name, function, kind.dtype, span))
        return self._numbers[key]

    def array(
        self, name: str, space: Space, declared: CType, span: Span, shape: tuple[int, ...], *,
        address: int | None = None, parameter: bool = False, kind: Scalar | None = None,
    ) -> Memory:  # fmt: skip
        """Make an array known to the trace; the same declaration compiled again is the same array.

        `shape` counts what the innermost dimension holds: structs are added as a last dimension of their
        leaves. `kind` is the element's type where it is not what the declaration says.
        """
        key = (name, span, space)
        if key in self._declared:
            return self._declared[key]
        object_kind = declared.element if isinstance(declared, Array) else declared
        kind = kind or unit(object_kind)
        if key in self.findings.units:
            kind = word(self.findings.units[key])
        size = object_kind.size_bytes if not isinstance(object_kind, Void | Named) else kind.size_bytes
        factor = max(size // kind.size_bytes, 1)
        if address is None:
            address = self.place(space, object_kind)
        info = ArrayInfo(
            name, space, kind.dtype, (*shape, factor) if factor > 1 else shape, address, parameter
        )
        memory = Memory(len(self.memories), info, kind, self.recorder, self.hazards)
        memory.declared = declared
        memory.key = key
        self.memories.append(memory)
        self._declared[key] = memory
        return memory

    def refine(self, memory: Memory, size_bytes: int) -> Reconsider:
        """Build the exception that makes an array's elements small enough for accesses of this size."""
        self.findings.units[memory.key] = gcd(memory.kind.size_bytes, size_bytes)
        return Reconsider()

    def place(self, space: Space, kind: CType) -> int:
        """First free byte of a memory space, aligned for a type."""
        end = max(
            (m.info.address + m.size * m.info.dtype.itemsize for m in self.memories if m.info.space == space),
            default=0,
        )
        align = 1 if isinstance(kind, Void | Named) else kind.align_bytes
        return -(-end // align) * align

    def text(self, span: Span) -> str:
        """Source text of a span, white space squeezed."""
        lines = self._lines[span.line - 1 : span.end_line]
        if not lines:
            return ""
        lines[-1] = lines[-1][: span.end_column - 1]
        lines[0] = lines[0][span.column - 1 :]
        return " ".join(" ".join(lines).split())
