"""The tables of a trace that fill up during compilation: statements, places of access, registers and arrays."""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, Any

from kernels.cancellation import checkpoint
from kernels.frontend.types import Array, CType, Named, Scalar, Void
from kernels.frontend.unparse.expressions import shown
from kernels.simt.checkers.racecheck.atomic_kinds import Atomics
from kernels.simt.compiler.structs import structure, unit, word
from kernels.simt.machine.assumptions import Recompile
from kernels.simt.machine.memory import Memory
from kernels.trace.records import Access, ArrayInfo, Register, Site, Statement

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr, Function, Program, Span
    from kernels.simt.compiler.compiled_values import Frame, Place
    from kernels.simt.machine.affine import Coordinates
    from kernels.simt.machine.machine import Machine
    from kernels.trace.records import Space, StatementKind


class Tables:
    """Numbers for what a trace tells apart; what is compiled again, in another call, has the number it had.

    `statement` is the number of the one being compiled, `frames` are the functions being compiled, innermost last, and
    `entered` all that have been, by their `id`.
    """

    slots: int

    def __init__(self, program: Program, machine: Machine) -> None:
        self.machine = machine
        self.registers: list[Register] = []
        self.frames: list[Frame] = []
        self.entered: dict[int, Function] = {}
        self.instances: dict[tuple[str, tuple[str, ...]], None] = {}
        self.statement = -1
        self.inlined = 0  # functions that were compiled in the place of a call, and their statements
        self.block_fences: set[int] = set()  # statements whose fence reaches no further than the block
        self.atomics = Atomics()
        self._kept: dict[int, tuple[Expr | None, Frame | None, Place | None]] = {}
        self._patterns: dict[Coordinates, int] = {}
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._declared: dict[tuple[Any, ...], Memory] = {}
        self._text, self._included = program.text, program.included

    def enter(self, frame: Frame) -> None:
        """Begin with a function's body; the trace tells which instances of templates there are."""
        self.frames.append(frame)
        function = frame.function
        self.entered[id(function)] = function
        if function.template:
            words = tuple(str(t).lower() if isinstance(t, bool) else str(t) for t in function.template)
            self.instances[function.name, words] = None

    def compiled(self, node: Expr) -> Place | None:
        """Return what a part of the statement being compiled was found to designate, in this call of its function."""
        kept, frame, place = self._kept.get(id(node), (None, None, None))
        return place if kept is node and frame is self.frames[-1] else None

    def keep(self, node: Expr, place: Place) -> Place:
        """Remember what a part of the statement being compiled designates."""
        self._kept[id(node)] = node, self.frames[-1], place
        return place

    def forget(self) -> None:
        """Forget what parts of the statement were found to designate: they are compiled again."""
        self._kept.clear()

    def slot(self) -> int:
        """Return a new place among a group's registers."""
        self.machine.slots += 1
        return self.machine.slots - 1

    def pattern(self, coordinates: Coordinates) -> int:
        """Return the slot of the indices that these coordinates make."""
        if coordinates not in self._patterns:
            self._patterns[coordinates] = self.slot()
        return self._patterns[coordinates]

    def site(self, span: Span, memory: Memory, access: Access, width: int = 1) -> int:
        """Return the number of the place in the source that accesses an array, `width` elements at once."""
        key = ("site", span, self.statement, memory.number, access, width)
        if key not in self._numbers:
            self._numbers[key] = len(self.machine.sites)
            self.machine.sites.append(Site(span, self.statement, memory.number, access, width))
        return self._numbers[key]

    def new_statement(self, span: Span, kind: StatementKind) -> int:
        """Return the number of a statement, which becomes the one being compiled."""
        checkpoint()
        self.inlined += len(self.frames) > 1
        key = ("statement", span, kind)
        if key not in self._numbers:
            self._numbers[key] = len(self.machine.statements)
            self.machine.statements.append(Statement(span, self.text(span), kind))
        self.statement = self._numbers[key]
        self._kept.clear()
        return self.statement

    def register(self, name: str, kind: Scalar, span: Span) -> int:
        """Return the number of a scalar variable of the function being compiled; -1 where nothing is recorded."""
        if not self.machine.recorder.records:
            return -1
        function = self.frames[-1].function.name
        key = ("register", name, function, span, kind)
        if key not in self._numbers:
            self._numbers[key] = len(self.registers)
            self.registers.append(Register(name, function, kind.dtype, span))
        return self._numbers[key]

    def array(
        self,
        name: str,
        space: Space,
        declared: CType,
        span: Span,
        shape: tuple[int, ...],
        *,
        address: int | None = None,
        parameter: bool = False,
        kept_as: type[Memory] = Memory,
    ) -> Memory:
        """Make an array known to the trace; the same declaration compiled again is the same array.

        In another instance of a template it is another one where its type is, or where it is shared by threads.
        `shape` counts what the innermost dimension holds: structs are added as a last dimension of their leaves.
        """
        function = self.frames[-1].function if self.frames and space == "shared" else None
        instance = () if function is None else (function.name, function.template)
        key = (name, span, space, declared, instance)
        if key in self._declared:
            return self._declared[key]
        object_kind = declared.element if isinstance(declared, Array) else declared
        kind = unit(object_kind)
        if key in self.machine.assumptions.units:
            kind = word(self.machine.assumptions.units[key])
        size = object_kind.size_bytes if not isinstance(object_kind, Void | Named) else kind.size_bytes
        factor = max(size // kind.size_bytes, 1)
        if address is None:
            address = self.place(space, object_kind)
        info = ArrayInfo(
            name,
            space,
            kind.dtype,
            (*shape, factor) if factor > 1 else shape,
            address,
            parameter,
            structure(object_kind, kind),
        )
        memory = kept_as(len(self.machine.memories), info, kind, self.machine.recorder)
        memory.declared = declared
        memory.key = key
        self.machine.memories.append(memory)
        self._declared[key] = memory
        return memory

    def refine(self, memory: Memory, size_bytes: int) -> Recompile:
        """Build the exception that makes an array's elements small enough for accesses of this size."""
        self.machine.assumptions.units[memory.key] = gcd(memory.kind.size_bytes, size_bytes)
        return Recompile()

    def place(self, space: Space, kind: CType) -> int:
        """First free byte of a memory space, aligned for a type."""
        end = max(
            (m.info.address + m.size * m.info.dtype.itemsize for m in self.machine.memories if m.info.space == space),
            default=0,
        )
        align = 1 if isinstance(kind, Void | Named) else kind.align_bytes
        return -(-end // align) * align

    def text(self, span: Span) -> str:
        """Source text of a span, white space squeezed."""
        return shown(self._text, span, self._included)
