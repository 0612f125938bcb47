"""PTX's loads, stores and atomics, recorded as accesses at the line of the asm."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kernels.frontend import ast
from kernels.frontend.headers.atomics import ACQUIRING, Atomic
from kernels.frontend.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    SHORT,
    UCHAR,
    UINT,
    ULONG,
    USHORT,
    VECTORS,
    VOID,
    CType,
    Pointer,
    Scalar,
)
from kernels.simt.compiler.compiled_values import Code, Element
from kernels.simt.compiler.expressions.assignments import store
from kernels.simt.compiler.expressions.lvalues import locate, value_of
from kernels.simt.compiler.expressions.operators import convert
from kernels.simt.compiler.structs.layout import leaves
from kernels.simt.intrinsics.async_copies import pointer_to_shared
from kernels.simt.intrinsics.atomics import FUNCTIONS, compare_and_swap
from kernels.simt.intrinsics.ordered_atomics import atomic_change
from kernels.simt.libraries.inline_ptx.arithmetic import KINDS
from kernels.simt.libraries.inline_ptx.parser import Address, Several, Word
from kernels.simt.machine.exchange import replace_value

if TYPE_CHECKING:
    from kernels.simt.compiler.context import Context
    from kernels.simt.libraries.inline_ptx.parser import Instruction, Literal, Operand
    from kernels.simt.libraries.inline_ptx.registers import Registers
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run

_HINT: Final = re.compile(
    r"c[agsv]|lu|w[bt]|nc|weak|volatile|L2::(64|128|256)B"
    r"|L1::(no_allocate|evict_(normal|unchanged|first|last))|L2::evict_(normal|first|last)"
)
"""Modifiers that are hints for the caches, and change no value."""

_SPACES: Final = {"global": "global", "shared": "shared", "shared::cta": "shared"}
_ORDERS: Final = {"relaxed": 0, "acquire": 2, "release": 3, "acq_rel": 4}
_SCOPES: Final = {"sys": 0, "gpu": 1, "cta": 2}
_COUNTS: Final = {"v2": 2, "v4": 4}
_ATOMICS: Final = {"add": "atomicAdd", "cas": "atomicCAS"}
_ATOMIC_TYPES: Final = {"atomicAdd": ("u32", "s32"), "atomicCAS": ("b32",)}
_VECTORS: Final = {
    CHAR: "char",
    UCHAR: "uchar",
    SHORT: "short",
    USHORT: "ushort",
    INT: "int",
    UINT: "uint",
    LONG: "longlong",
    ULONG: "ulonglong",
    FLOAT: "float",
    DOUBLE: "double",
}
"""Names of vectors of these types, without the number of their members."""

_PARTS: Final[dict[str, dict[str, Any]]] = {
    "space": _SPACES,
    "order": _ORDERS,
    "scope": _SCOPES,
    "count": _COUNTS,
    "type": {word: word for word, kind in KINDS.items() if kind is not BOOL},
    "atomic": _ATOMICS,
}


class _Modifiers:
    """The parts of a memory instruction's name."""

    def __init__(self, words: tuple[str, ...]) -> None:
        parts: dict[str, Any] = {}
        self.supported = True
        """True if every part is supported, and none occurs twice."""
        for word in words[1:]:
            if _HINT.fullmatch(word):
                continue
            kind, value = next(((k, table[word]) for k, table in _PARTS.items() if word in table), ("", None))
            self.supported &= bool(kind) and kind not in parts
            parts[kind] = value
        self.space: str = parts.get("space", "")
        self.order: int = parts.get("order", -1)
        """The memory order; -1 for an access that is not atomic."""
        self.scope: int = parts.get("scope", _SCOPES["gpu"])
        self.count: int = parts.get("count", 1)
        """Members of the vector that is accessed."""
        self.word: str = parts.get("type", "")
        """PTX's name of the type."""
        self.atomic: str = parts.get("atomic", "")
        """The CUDA function that does the same."""


def memory_access(c: Context, registers: Registers, instruction: Instruction) -> Run | None:
    """Compile `ld`, `st`, `atom`; None for any other instruction, and for forms that are not supported."""
    name = instruction.words[0]
    if name not in ("ld", "st", "atom"):
        return None
    modifiers = _Modifiers(instruction.words)
    if not modifiers.supported or not modifiers.word or bool(modifiers.atomic) != (name == "atom"):
        return None
    if modifiers.count > 1 and (modifiers.order >= 0 or modifiers.atomic):
        return None
    if name == "atom":
        return _atomic(c, registers, instruction, modifiers)
    registers.count(instruction, 2)
    return (_load if name == "ld" else _store)(c, registers, instruction, modifiers)


def _load(c: Context, registers: Registers, instruction: Instruction, modifiers: _Modifiers) -> Run | None:
    target, address = instruction.operands
    parts = _parts(registers, target, modifiers)
    place = _element(c, registers, address, modifiers, const=True)
    read = value_of(c, place, registers.span)
    if modifiers.count == 1:
        return registers.put(parts[0], read, extend=True)
    slot, run = c.slot(), read.run
    puts = [
        registers.put(part, _member(slot, number, leaf.scalar), extend=True)
        for number, (part, leaf) in enumerate(zip(parts, leaves(read.type), strict=True))
    ]

    def load(group: Group, mask: Active) -> Value:
        group.values[slot] = run(group, mask)
        for put in puts:
            put(group, mask)

    return load


def _member(slot: int, number: int, kind: Scalar) -> Code:
    return Code(lambda group, mask: group.values[slot][number], kind, None, True)


def _store(c: Context, registers: Registers, instruction: Instruction, modifiers: _Modifiers) -> Run | None:
    address, source = instruction.operands
    kind = KINDS[modifiers.word]
    values = [registers.value(part, kind, narrow=True) for part in _parts(registers, source, modifiers)]
    place = _element(c, registers, address, modifiers, const=False)
    if modifiers.order >= 0:
        return atomic_change(c, place, replace_value, values, modifiers.order).run
    runs = [value.run for value in values]
    vector = Code(lambda group, mask: tuple([run(group, mask) for run in runs]), place.kind, None, False)
    new = values[0] if modifiers.count == 1 else vector
    return store(c, place, lambda _: new, ast.Name(registers.span, "asm"), registers.span).run


def _atomic(c: Context, registers: Registers, instruction: Instruction, modifiers: _Modifiers) -> Run | None:
    _, count, combine = FUNCTIONS[modifiers.atomic]
    if modifiers.word not in _ATOMIC_TYPES[modifiers.atomic]:
        return None
    target, address, *operands = registers.count(instruction, count + 2)
    kind = KINDS[modifiers.word]
    modifiers.order = max(modifiers.order, 0)
    place = _element(c, registers, address, modifiers, const=False)
    values = [registers.value(registers.single(operand), kind) for operand in operands]
    acquires = combine is not compare_and_swap or modifiers.order in ACQUIRING
    return registers.put(target, atomic_change(c, place, combine, values, modifiers.order, acquires=acquires))


def _kind(modifiers: _Modifiers) -> CType:
    kind = KINDS[modifiers.word]
    return kind if modifiers.count == 1 else VECTORS[f"{_VECTORS[kind]}{modifiers.count}"]


def _parts(registers: Registers, operand: Operand, modifiers: _Modifiers) -> tuple[Word | Literal, ...]:
    """Return the registers of a vector, or the one of a number."""
    parts = operand.parts if isinstance(operand, Several) else (registers.single(operand),)
    if len(parts) != modifiers.count:
        raise registers.refusal(f"this instruction takes {modifiers.count} registers, {len(parts)} are given")
    return parts


# --- addresses


def pointer(c: Context, registers: Registers, operand: Operand, space: str) -> Code:
    """Compile the base of an address in brackets, without its offset, as a pointer."""
    if not isinstance(operand, Address) or not isinstance(operand.base, Word):
        raise registers.refusal("an address must be in brackets and begin with a register")
    code = registers.symbol(operand.base)
    memory = code.memory
    if isinstance(code.type, Pointer):
        memory_space = "shared" if space == "shared" else memory.info.space if memory is not None else "global"
        if space and (space, memory_space) != ("global", "global"):
            where = f"'{memory.info.name}', which is {memory_space} memory" if memory is not None else "a pointer"
            advice = "take its address with __cvta_generic_to_shared" if space == "shared" else "leave out .global"
            raise registers.refusal(f"an access .{space} by {where}; {advice}")
        return code
    if code.type not in (UINT, INT, ULONG, LONG) or (space != "shared" and code.type in (UINT, INT)):
        raise registers.refusal(f"{operand.base.name} holds {code.type}, which is no address of .{space or 'memory'}")
    if space == "shared":
        return pointer_to_shared(c, code, registers.span)
    return convert(c, code, Pointer(VOID), registers.span, explicit=True)


def _element(c: Context, registers: Registers, operand: Operand, modifiers: _Modifiers, *, const: bool) -> Element:
    """Compile the element at an address in brackets."""
    base = pointer(c, registers, operand, modifiers.space)
    assert isinstance(operand, Address)
    span, kind, scalar = registers.span, _kind(modifiers), KINDS[modifiers.word]
    if modifiers.order >= 0:
        kind = Atomic(f"cuda::atomic<{scalar}>", scalar.dtype, scalar, modifiers.scope)
    node: ast.Expr = ast.Name(span, "(base)")
    if operand.offset:
        step = scalar if operand.offset % scalar.size_bytes == 0 else KINDS["s8"]
        step_count = ast.Number(span, operand.offset // step.size_bytes, INT)
        node = ast.Binary(span, "+", ast.Cast(span, Pointer(step, const), node), step_count)
    with c.scope():
        c.declare("(base)", base)
        place = locate(c, ast.Unary(span, "*", ast.Cast(span, Pointer(kind, const), node)))
    assert isinstance(place, Element)
    return place


def shared_address(c: Context, registers: Registers, instruction: Instruction) -> Run | None:
    """Compile `cvta.to.shared`: a pointer's address in shared memory as a number; None for any other instruction."""
    if instruction.name not in ("cvta.to.shared.u64", "cvta.to.shared::cta.u64"):
        return None
    target, source = registers.count(instruction, 2)
    code = registers.symbol(source) if isinstance(source, Word) else None
    if code is None or not isinstance(code.type, Pointer):
        raise registers.refusal('cvta.to.shared takes a pointer, given as "l"')
    return registers.put(target, registers.snippet("__cvta_generic_to_shared(a)", a=code))
