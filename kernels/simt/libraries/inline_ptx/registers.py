"""Names in one `asm`: its operands, the registers that it declares, special registers.

A register is a variable of the C type that holds its bits. An instruction reads these bits as the type in its name:
`add.s32` of a register declared `.u32` adds them as signed integers.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.frontend import ast, parse
from kernels.frontend.types import BOOL, LONG, ULONG, Pointer, Scalar
from kernels.simt.compiler.calls.device_helpers import substitute
from kernels.simt.compiler.compiled_values import Code, Variable, constant
from kernels.simt.compiler.expressions.operators import convert, map_unary
from kernels.simt.compiler.expressions.variables import assign_variable, declare_unset, new_variable, read_variable
from kernels.simt.intrinsics.conversions import bits_as
from kernels.simt.libraries.inline_ptx.arithmetic import KINDS
from kernels.simt.libraries.inline_ptx.operands import assign_output, constraint_type, input_value
from kernels.simt.libraries.inline_ptx.parser import Address, Several, Word

if TYPE_CHECKING:
    from kernels.errors import SourceError
    from kernels.frontend.ast import Assembly, Expr
    from kernels.simt.compiler.context import Context
    from kernels.simt.libraries.inline_ptx.parser import Instruction, Listing, Literal, Operand
    from kernels.simt.machine.steps import Run


_LANE: Final = "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))"
SPECIAL: Final = {
    "%laneid": f"{_LANE} % 32",
    "%lanemask_lt": f"(1u << {_LANE} % 32) - 1",
    "%smid": "0u",
    "%clock": "(unsigned)clock()",
    "%clock64": "clock64()",
    "%globaltimer": "clock64()",
}
"""Special registers in CUDA C. Clocks count steps, as `clock()` does; all blocks run on one multiprocessor."""


class Registers:
    """The names of one asm."""

    def __init__(self, c: Context, node: Assembly, listing: Listing) -> None:
        self._c = c
        self.node = node
        self.span = node.span
        self.begins: list[Run] = []
        """Run before the first instruction: reads of inputs, and registers that begin without a value."""
        self._outputs: list[tuple[Expr, Variable]] = []
        self._listing = listing
        self._accumulators: dict[str, Expr] = {}
        """Outputs that `wgmma` reads and writes by itself, at times of its own."""
        accumulators = _accumulators(listing)
        self._symbols: dict[str, Code | Variable] = {}
        operands = [*node.outputs, *node.inputs]
        kinds = [constraint_type(c, constraint, operand) for constraint, operand in operands]
        read = [
            input_value(c, kind, operand, self.begins) if constraint[0] != "=" and f"%{n}" not in accumulators else None
            for n, (kind, (constraint, operand)) in enumerate(zip(kinds, operands, strict=True))
        ]
        for n, ((constraint, operand), kind, code) in enumerate(zip(operands, kinds, read, strict=True)):
            if f"%{n}" in accumulators:
                self._accumulators[f"%{n}"] = operand
            elif constraint[0] in "=+" and kind is not None:
                self._output(f"%{n}", operand, kind, code)
            elif code is not None:
                self._symbols[f"%{n}"] = code
                c.declare(f"%{n}", code)
        for name, word in listing.registers:
            if word not in KINDS:
                raise c.unsupported(self.span, f"ptx register of type .{word}")
            self._symbols[name] = self._register(name, KINDS[word])

    # --- operands and registers ------------------------------------------------------------------------

    def _output(self, name: str, target: Expr, kind: Scalar, before: Code | None) -> None:
        c = self._c
        variable = Variable(name, kind, c.slot(), c.level, (name, self.span, ""), block=c.blocks.current)
        self._symbols[name] = variable
        c.declare(name, variable)
        if before is not None:
            self.begins.append(assign_variable(c, variable, self.reinterpret(before, kind), self.span))
        elif self._may_stay_unset(name):
            self._begin_unset(variable)
        self._outputs.append((target, variable))

    def finish(self) -> list[Run]:
        """Compile the assignments of the outputs."""
        return [assign_output(self._c, target, variable) for target, variable in self._outputs]

    def _register(self, name: str, kind: Scalar) -> Variable:
        variable = new_variable(self._c, name, kind, self.span)
        assert isinstance(variable, Variable)
        if self._may_stay_unset(name):
            self._begin_unset(variable)
        return variable

    def _begin_unset(self, variable: Variable) -> None:
        run = declare_unset(self._c, variable)
        assert run is not None
        self.begins.append(run)

    def _may_stay_unset(self, name: str) -> bool:
        """Return whether the first instruction that names a register does anything but assign it."""
        for instruction in self._listing.instructions:
            names = [[word.name for word in _words(operand)] for operand in instruction.operands]
            if any(name in words for words in names):
                first = instruction.has_result and name in names[0]
                return instruction.guard is not None or not first or any(name in words for words in names[1:])
        return True

    # --- reading and writing ---------------------------------------------------------------------------

    def value(self, operand: Word | Literal, kind: Scalar, *, narrow: bool = False) -> Code:
        """Compile an operand's bits as a value of a type; with `narrow` an integer's register may be wider.

        Raises
        ------
        SourceError
            For an unknown name, and where the sizes differ.
        """
        c = self._c
        if not isinstance(operand, Word):
            return convert(c, constant(operand.value, LONG), kind, self.span)
        if operand.name in SPECIAL:
            return convert(c, self.snippet(SPECIAL[operand.name]), kind, self.span)
        if operand.negated and kind is not BOOL:
            raise self.refusal(f"!{operand.name}: only predicates are negated so")
        code = self.symbol(operand)
        if narrow and isinstance(code.type, Scalar) and code.type.size_bytes > kind.size_bytes:
            code = self._resized(code, kind)
        code = self.reinterpret(code, kind, operand.name)
        return map_unary(code, np.logical_not, BOOL) if operand.negated else code

    def symbol(self, word: Word) -> Code:
        """Compile the value of a register or an operand."""
        symbol = self._symbols.get(word.name)
        if symbol is None:
            noun = "special register" if word.name[0] == "%" and not word.name[1:].isdigit() else "name"
            raise self._c.unsupported(self.span, f"ptx {noun} '{word.name}'")
        return read_variable(self._c, symbol, self.span) if isinstance(symbol, Variable) else symbol

    def reinterpret(self, code: Code, kind: Scalar, name: str = "operand") -> Code:
        """Compile the bits of a register as a type of the same size."""
        c, source = self._c, code.type
        if source is kind:
            return code
        if isinstance(source, Pointer) and kind.size_bytes == 8:
            source, code = ULONG, convert(c, code, ULONG, self.span, explicit=True)
        if not isinstance(source, Scalar) or source.size_bytes != kind.size_bytes or BOOL in (source, kind):
            raise c.refuse(self.span, f"ptx register {name} holds {source}, this instruction takes {kind}")
        if source.dtype.kind in "iu" and kind.dtype.kind in "iu":
            return convert(c, code, kind, self.span)
        return map_unary(code, lambda value: bits_as(value, source, kind), kind)

    def put(self, operand: Operand, code: Code, *, extend: bool = False) -> Run:
        """Compile the assignment of a register; `_` discards the value; with `extend` a register may be wider.

        PTX allows a wider register in loads, stores and conversions (PTX ISA, "Operand Size Exceeding
        Instruction-Type Size").
        """
        if isinstance(operand, Word) and operand.name == "_":
            return code.run
        variable = self._symbols.get(operand.name) if isinstance(operand, Word) else None
        if not isinstance(variable, Variable) or not isinstance(variable.type, Scalar):
            target = operand.name if isinstance(operand, Word) else "several registers"
            raise self.refusal(f"an instruction of this asm writes {target}, which is no output")
        if extend and isinstance(code.type, Scalar) and code.type.size_bytes < variable.type.size_bytes:
            code = self._resized(code, variable.type)
        return assign_variable(self._c, variable, self.reinterpret(code, variable.type, variable.name), self.span)

    def _resized(self, code: Code, kind: Scalar) -> Code:
        """Narrow or extend an integer; return any other value unchanged, which is refused where it does not fit."""
        integers = isinstance(code.type, Scalar) and code.type.dtype.kind in "iu" and kind.dtype.kind in "iu"
        return convert(self._c, code, kind, self.span) if integers else code

    def cast(self, code: Code, kind: Scalar) -> Code:
        """Convert a value as a cast does."""
        return convert(self._c, code, kind, self.span, explicit=True)

    def is_pointer(self, word: Word) -> bool:
        """Return whether an operand is a pointer, which `mov` copies as a pointer."""
        symbol = self._symbols.get(word.name)
        return symbol is not None and isinstance(symbol.type, Pointer)

    def as_assembly(self, instruction: Instruction) -> Assembly:
        """Return an asm of one instruction, whose operands are the registers that it names."""
        names: list[str] = []

        def number(match: re.Match[str]) -> str:
            if match[0] not in names:
                names.append(match[0])
            return f"%{names.index(match[0])}"

        known = sorted({*self._symbols, *self._accumulators}, key=len, reverse=True)
        pattern = "|".join(re.escape(name) for name in known)
        text = instruction.text.partition(" ")[2] if instruction.guard is not None else instruction.text
        name, _, operands = text.partition(" ")
        operands = re.sub(rf"(?<![\w%.])(?:{pattern})(?![\w.])", number, operands) if pattern else operands
        inputs = tuple(("r", self._accumulators.get(name) or ast.Name(self.span, name)) for name in names)
        return ast.Assembly(self.span, f"{name} {operands}", (), inputs)

    def snippet(self, text: str, **operands: Code) -> Code:
        """Compile an expression of CUDA C at the place of the asm."""
        with self._c.scope():
            for name, code in operands.items():  # of equal rank, so that terms are not reordered
                self._c.declare(name, replace(code, fma=code.fma._replace(rank=0, negated=False)))
            return self._c.compile(substitute(_tree(text), self.span, {}))

    def refusal(self, reason: str) -> SourceError:
        """Return the error for a wrong instruction."""
        return self._c.refuse(self.span, reason)

    def count(self, instruction: Instruction, *counts: int) -> tuple[Operand, ...]:
        """Return the operands of an instruction; refuse it if their number is none of `counts`."""
        if len(instruction.operands) not in counts:
            expected, count = " or ".join(map(str, counts)), len(instruction.operands)
            raise self._c.refuse(self.span, f"{instruction.name} takes {expected} operands, {count} are given")
        return instruction.operands

    def single(self, operand: Operand) -> Word | Literal:
        """Return an operand that is no vector and no address."""
        if isinstance(operand, Address | Several):
            raise self._c.refuse(self.span, "an instruction of this asm takes registers, not these operands")
        return operand


def _accumulators(listing: Listing) -> set[str]:
    """Return the names of the registers that `wgmma.mma_async` adds to."""
    adders = (each for each in listing.instructions if each.words[:2] == ("wgmma", "mma_async") and each.operands)
    return {word.name for adder in adders for word in _words(adder.operands[0])}


def _words(operand: Operand) -> list[Word]:
    parts = (
        operand.parts
        if isinstance(operand, Several)
        else (operand.base,)
        if isinstance(operand, Address)
        else (operand,)
    )
    return [part for part in parts if isinstance(part, Word)]


@cache
def _tree(text: str) -> Expr:
    body = parse(f"__device__ void f() {{ return {text}; }}", "<ptx>").functions[0].body
    (statement,) = body.body
    assert isinstance(statement, ast.Return)
    assert statement.value is not None
    return statement.value
