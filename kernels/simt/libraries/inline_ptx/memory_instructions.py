"""PTX's loads, stores and atomics, recorded as accesses at the line of the asm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kernels.frontend import ast
from kernels.frontend.headers.atomics import ACQUIRING, Atomic
from kernels.frontend.parser.ptx import Address, Several, Word
from kernels.frontend.types import INT, LONG, UINT, ULONG, VECTORS, VOID, CType, Pointer, Scalar
from kernels.simt.compiler.assignments import store
from kernels.simt.compiler.compiled_values import Code, Element
from kernels.simt.compiler.lvalues import locate, value_of
from kernels.simt.compiler.operators import convert
from kernels.simt.compiler.structs import leaves
from kernels.simt.intrinsics.async_copies import pointer_to_shared
from kernels.simt.intrinsics.atomics import FUNCTIONS, swapped
from kernels.simt.intrinsics.ordered_atomics import atomic_change
from kernels.simt.libraries.inline_ptx.arithmetic import KINDS
from kernels.simt.machine.exchange import replace_value

if TYPE_CHECKING:
    from kernels.frontend.parser.ptx import Instruction, Literal, Operand
    from kernels.simt.compiler.context import Context
    from kernels.simt.libraries.inline_ptx.registers import Registers
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run

HINTS: Final = frozenset(
    (
        "ca",
        "cg",
        "cs",
        "lu",
        "cv",
        "wb",
        "wt",
        "nc",
        "weak",
        "volatile",
        "L1::evict_normal",
        "L1::evict_unchanged",
        "L1::evict_first",
        "L1::evict_last",
        "L1::no_allocate",
        "L2::64B",
        "L2::128B",
        "L2::256B",
        "L2::evict_last",
        "L2::evict_first",
        "L2::evict_normal",
    )
)
"""Modifiers that are hints for the caches, and change no value."""

_SPACES: Final = {"global": "global", "shared": "shared", "shared::cta": "shared"}
_ORDERS: Final = {"relaxed": 0, "acquire": 2, "release": 3, "acq_rel": 4}
_SCOPES: Final = {"sys": 0, "gpu": 1, "cta": 2}
_CHANGES: Final = {
    "add": "atomicAdd",
    "min": "atomicMin",
    "max": "atomicMax",
    "and": "atomicAnd",
    "or": "atomicOr",
    "xor": "atomicXor",
    "exch": "atomicExch",
    "cas": "atomicCAS",
    "inc": "atomicInc",
    "dec": "atomicDec",
}
_TYPES: Final = {
    "add": ("u32", "s32", "u64", "f32", "f64", "f16"),
    "min": ("u32", "s32", "u64", "s64"),
    "max": ("u32", "s32", "u64", "s64"),
    "and": ("b32", "b64"),
    "or": ("b32", "b64"),
    "xor": ("b32", "b64"),
    "exch": ("b32", "b64"),
    "cas": ("b16", "b32", "b64"),
    "inc": ("u32",),
    "dec": ("u32",),
}
_VECTORS: Final = {
    "u8": "uchar",
    "b8": "uchar",
    "s8": "char",
    "u16": "ushort",
    "b16": "ushort",
    "s16": "short",
    "u32": "uint",
    "b32": "uint",
    "s32": "int",
    "u64": "ulonglong",
    "b64": "ulonglong",
    "s64": "longlong",
    "f32": "float",
    "f64": "double",
}

_PARTS: Final[dict[str, dict[str, Any]]] = {
    "space": _SPACES,
    "order": _ORDERS,
    "scope": _SCOPES,
    "count": {"v2": 2, "v4": 4},
    "type": {word: word for word in (*_VECTORS, "f16")},
    "change": {word: word for word in _CHANGES},
}


class _Modifiers:
    """The parts of a memory instruction's name: the space, the type, how many at once, order and scope.

    `known` is False where a part is unknown, or there twice.
    """

    def __init__(self, words: tuple[str, ...]) -> None:
        found: dict[str, Any] = {}
        self.known = True
        for word in words[1:]:
            if word in HINTS:
                continue
            kind, value = next(((k, table[word]) for k, table in _PARTS.items() if word in table), ("", None))
            self.known &= bool(kind) and kind not in found
            found[kind] = value
        self.space: str = found.get("space", "")
        self.order: int = found.get("order", -1)
        self.scope: int = found.get("scope", _SCOPES["gpu"])
        self.count: int = found.get("count", 1)
        self.word: str = found.get("type", "")
        self.change: str = found.get("change", "")


def memory_access(c: Context, registers: Registers, instruction: Instruction) -> Run | None:
    """Compile `ld`, `ldu`, `st`, `atom`, `red`; None for any other instruction, and for one that is not known."""
    name = instruction.words[0]
    if name not in ("ld", "ldu", "st", "atom", "red"):
        return None
    modifiers = _Modifiers(instruction.words)
    if not modifiers.known or not modifiers.word or bool(modifiers.change) != (name in ("atom", "red")):
        return None
    if modifiers.count > 1 and (modifiers.order >= 0 or modifiers.change or modifiers.word == "f16"):
        return None
    if name in ("atom", "red"):
        return _atomic(c, registers, instruction, modifiers)
    registers.count(instruction, 2)
    return (_load if name != "st" else _store)(c, registers, instruction, modifiers)


def _load(c: Context, registers: Registers, instruction: Instruction, modifiers: _Modifiers) -> Run | None:
    target, address = instruction.operands
    parts = _parts(registers, target, modifiers)
    place = _element(c, registers, address, modifiers, const=True)
    read = value_of(c, place, registers.span)
    if modifiers.count == 1:
        return registers.put(parts[0], read, extend=True)
    slot, run = c.slot(), read.run
    puts = [
        registers.put(part, _leaf(slot, number, leaf.scalar), extend=True)
        for number, (part, leaf) in enumerate(zip(parts, leaves(read.type), strict=True))
    ]

    def load(group: Group, mask: Active) -> Value:
        group.values[slot] = run(group, mask)
        for put in puts:
            put(group, mask)

    return load


def _leaf(slot: int, number: int, kind: Scalar) -> Code:
    return Code(lambda group, mask: group.values[slot][number], kind, None, True)


def _store(c: Context, registers: Registers, instruction: Instruction, modifiers: _Modifiers) -> Run | None:
    address, source = instruction.operands
    kind = KINDS[modifiers.word]
    values = [registers.value(part, kind, cut=True) for part in _parts(registers, source, modifiers)]
    place = _element(c, registers, address, modifiers, const=False)
    if modifiers.order >= 0:
        return atomic_change(c, place, replace_value, values, modifiers.order).run
    runs = [value.run for value in values]
    vector = Code(lambda group, mask: tuple([run(group, mask) for run in runs]), place.kind, None, False)
    new = values[0] if modifiers.count == 1 else vector
    return store(c, place, lambda _: new, ast.Name(registers.span, "asm"), registers.span).run


def _atomic(c: Context, registers: Registers, instruction: Instruction, modifiers: _Modifiers) -> Run | None:
    gives = instruction.words[0] == "atom"
    _, count, combine = FUNCTIONS[_CHANGES[modifiers.change]]
    if modifiers.word not in _TYPES[modifiers.change]:
        return None
    operands = registers.count(instruction, count + 1 + gives)
    kind = KINDS[modifiers.word]
    modifiers.order = max(modifiers.order, 0)
    place = _element(c, registers, operands[gives], modifiers, const=False)
    values = [registers.value(registers.single(operand), kind) for operand in operands[1 + gives :]]
    acquires = combine is not swapped or modifiers.order in ACQUIRING
    old = atomic_change(c, place, combine, values, modifiers.order, acquires=acquires)
    return registers.put(operands[0], old) if gives else old.run


def _kind(modifiers: _Modifiers) -> CType:
    kind = KINDS[modifiers.word]
    return kind if modifiers.count == 1 else VECTORS[f"{_VECTORS[modifiers.word]}{modifiers.count}"]


def _parts(registers: Registers, operand: Operand, modifiers: _Modifiers) -> tuple[Word | Literal, ...]:
    """Return the registers of a vector, or the one of a number."""
    parts = operand.parts if isinstance(operand, Several) else (registers.single(operand),)
    if len(parts) != modifiers.count:
        raise registers.refused(f"{modifiers.count} registers belong here, {len(parts)} are given")
    return parts


# --- addresses


def pointer(c: Context, registers: Registers, operand: Operand, space: str) -> Code:
    """Compile an address in brackets, without what is added to it: a pointer."""
    if not isinstance(operand, Address) or not isinstance(operand.base, Word):
        raise registers.refused("an address stands in brackets, and begins with a register")
    code = registers.symbol(operand.base)
    memory = code.memory
    if isinstance(code.type, Pointer):
        found = "shared" if space == "shared" else memory.info.space if memory is not None else "global"
        if space and (space, found) != ("global", "global"):
            where = f"'{memory.info.name}', which is {found} memory" if memory is not None else "a pointer"
            advice = "take its address with __cvta_generic_to_shared" if space == "shared" else "leave out .global"
            raise registers.refused(f"an access .{space} by {where}; {advice}")
        return code
    if code.type not in (UINT, INT, ULONG, LONG) or (space != "shared" and code.type in (UINT, INT)):
        raise registers.refused(f"{operand.base.name} holds {code.type}, which is no address of .{space or 'memory'}")
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
        moved = ast.Number(span, operand.offset // step.size_bytes, INT)
        node = ast.Binary(span, "+", ast.Cast(span, Pointer(step, const), node), moved)
    with c.scope():
        c.declare("(base)", base)
        place = locate(c, ast.Unary(span, "*", ast.Cast(span, Pointer(kind, const), node)))
    assert isinstance(place, Element)
    return place


def generic_address(c: Context, registers: Registers, instruction: Instruction) -> Run | None:
    """Compile `cvta`: between addresses in a state space, as numbers, and pointers; None for any other."""
    words = instruction.words
    if words[0] != "cvta" or words[-1] not in ("u32", "u64"):
        return None
    target, source = registers.count(instruction, 2)
    way = words[1:-1]
    code = registers.symbol(source) if isinstance(source, Word) else registers.value(registers.single(source), ULONG)
    if way in (("to", "global"), ("global",)):
        return registers.put(target, code)
    if way in (("to", "shared"), ("to", "shared::cta")):
        if not isinstance(code.type, Pointer):
            raise registers.refused('cvta.to.shared takes a pointer, given as "l"')
        return registers.put(target, registers.snippet("__cvta_generic_to_shared(a)", a=code))
    if way in (("shared",), ("shared::cta",)):
        generic = pointer_to_shared(c, code, registers.span)
        return registers.put(target, convert(c, generic, ULONG, registers.span, explicit=True))
    return None
