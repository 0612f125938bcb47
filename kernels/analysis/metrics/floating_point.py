"""Floating-point operations of each statement, counted from the source.

An addition, subtraction, multiplication or division of floating-point numbers is one operation, a fused
multiply-add two, as in Nsight Compute's roofline (`smsp__sass_thread_inst_executed_op_fadd_pred_on`, `…_fmul_…`,
and twice `…_ffma_…`). A compiler fuses `sum + a * b`, which is two either way. Statements of called functions are
steps, and are counted where they are. What the source does not determine is not counted: the number is then unknown.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

from kernels.analysis.syntax.source import parts_at, source_of
from kernels.analysis.syntax.walk import qualified_name
from kernels.frontend.ast import (
    Assembly,
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    Construct,
    Declare,
    Index,
    Lambda,
    Member,
    Name,
    Number,
    SizeOf,
    String,
    Unary,
    Update,
)
from kernels.frontend.ast.traversal import children
from kernels.frontend.types import Array, FunctionPointer, Pointer, Reference, Scalar, Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernels.analysis.syntax.source import Source
    from kernels.frontend.types import CType
    from kernels.trace import Trace

UNKNOWN: Final = -1
"""Number of operations of a statement whose source does not determine it."""

Kind = Literal["float", "other", "unknown"]
"""Kind of a value: a floating-point number; an integer, truth value or pointer; or not determined."""

_BUILT_IN: Final = ("threadIdx.", "blockIdx.", "blockDim.", "gridDim.", "warpSize")

_ROUNDINGS: Final = ("rn", "rz", "ru", "rd")

_OPERATIONS: Final[Mapping[str, int]] = {
    "fmaf": 2,
    "fma": 2,
    **{f"__f{prefix}_{rounding}": 2 for prefix in ("maf", "ma") for rounding in _ROUNDINGS},
    **{
        f"__{kind}{name}_{rounding}": 1
        for kind in "fd"
        for name in ("add", "sub", "mul", "div")
        for rounding in _ROUNDINGS
    },
}
"""Floating-point operations of CUDA's functions that make them."""

_NONE: Final = frozenset(
    (
        *("printf", "assert", "min", "max", "abs", "fminf", "fmaxf", "fabsf", "fabs"),
        *("__syncthreads", "__syncwarp", "__threadfence", "__threadfence_block", "__trap"),
        *("__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync"),
        *("__ballot_sync", "__any_sync", "__all_sync", "__activemask", "__popc", "__ffs", "__clz"),
        *("__ldg", "__cvta_generic_to_shared", "__float2int_rn", "__int2float_rn", "__int_as_float", "__float_as_int"),
        *("__pipeline_memcpy_async", "__pipeline_commit", "__pipeline_wait_prior"),
        *(f"make_{kind}{n}" for kind in ("float", "int", "double", "uint") for n in range(1, 5)),
    )
)
"""CUDA's functions without floating-point operations."""

_FLOAT_SUFFIX: Final = re.compile(r"\.(f|bf|tf|e\dm)\d")
"""Type of a PTX instruction on floating-point numbers: .f32, .bf16, .tf32, .e4m3."""

_FLOAT_RESULTS: Final = frozenset(("fminf", "fmaxf", "fabsf", "fabs", "__int2float_rn", "__int_as_float"))
_ARITHMETIC: Final = frozenset(("+", "-", "*", "/"))
_COMPARISONS: Final = frozenset(("<", "<=", ">", ">=", "==", "!=", "&&", "||"))


def float_operations(trace: Trace) -> tuple[int, ...]:
    """Return for each of `trace.statements` the operations of one thread that executes it, or UNKNOWN."""
    source = source_of(trace)
    return tuple(_operations_of(trace, number, source) for number in range(len(trace.statements)))


def _operations_of(trace: Trace, number: int, source: Source) -> int:
    statement = trace.statements[number]
    if statement.kind in ("barrier", "warp-barrier", "group-barrier", "fence", "jump"):
        return 0
    place = source.places.get(statement.span)
    if place is None:
        return UNKNOWN
    parts = parts_at(trace, number)
    if statement.kind == "loop" and len(parts) > 1:
        # The first execution of the head of a `for` makes the start, the others the step.
        counted = [_Counter(place.visible, source).count(part) for part in parts]
        return 0 if not any(counted) else UNKNOWN
    total = [_Counter(place.visible, source).count(part) for part in parts]
    return UNKNOWN if UNKNOWN in total else sum(total)


class _Counter:
    """Counts the operations of the expressions of one statement."""

    def __init__(self, visible: Mapping[str, object], source: Source) -> None:
        self.visible = visible
        self.source = source

    def count(self, node: object) -> int:
        """Return the operations of a tree, or UNKNOWN."""
        own = self._own(node)
        if own == UNKNOWN:
            return UNKNOWN
        if isinstance(node, Conditional):
            ways = [self.count(node.then), self.count(node.otherwise)]
            return self._sum(own, self.count(node.condition), ways[0] if ways[0] == ways[1] else UNKNOWN)
        if isinstance(node, Binary) and node.op in ("&&", "||"):
            # The right operand is evaluated by some lanes only.
            right = self.count(node.right)
            return self._sum(own, self.count(node.left), right if right == 0 else UNKNOWN)
        if isinstance(node, SizeOf | Lambda):
            return 0
        if isinstance(node, Declare):
            return self._sum(*(self.count(v) for variable in node.variables for v in _initial(variable.value)))
        return self._sum(own, *(self.count(child) for child in children(node)))

    @staticmethod
    def _sum(*counts: int) -> int:
        return UNKNOWN if UNKNOWN in counts else sum(counts)

    def _own(self, node: object) -> int:
        """Return the operations of one node, without its children."""
        match node:
            case Binary() if node.op in _ARITHMETIC:
                return self._one_if_float(self.kind(node))
            case Assign() if node.op != "=" and node.op[:-1] in _ARITHMETIC:
                kinds = self.kind(node.target), self.kind(node.value)
                return self._one_if_float(_combined(*kinds))
            case Update():
                return self._one_if_float(self.kind(node.target))
            case Call():
                return self._of_call(node)
            case Assembly():
                return UNKNOWN if _FLOAT_SUFFIX.search(node.template) else 0
        return 0

    @staticmethod
    def _one_if_float(kind: Kind) -> int:
        return {"float": 1, "other": 0, "unknown": UNKNOWN}[kind]

    def _of_call(self, call: Call) -> int:
        if call.function in _OPERATIONS:
            return _OPERATIONS[call.function]
        if call.function in ("atomicAdd", "atomicSub") and len(call.arguments) > 1:
            return self._one_if_float(self.kind(call.arguments[1]))
        functions = {function.name for function in self.source.program.functions}
        known = call.function in _NONE or call.function in functions
        return 0 if known or call.function in _template_names(self.source) else UNKNOWN

    def kind(self, node: object) -> Kind:
        """Return the kind of an expression's value."""
        match node:
            case Number():
                return _kind_of_type(node.type)
            case Cast() | Construct():
                return _kind_of_type(node.type)
            case Name() | Member() | Index() | Unary(op="*"):
                return _kind_of_type(self._type(node)) if not _is_built_in(node) else "other"
            case Unary(op="-" | "+"):
                return self.kind(node.operand)
            case Unary() | SizeOf() | String():
                return "other"
            case Binary():
                if node.op in _COMPARISONS:
                    return "other"
                if node.op == ",":
                    return self.kind(node.right)
                return _combined(self.kind(node.left), self.kind(node.right))
            case Conditional():
                return _combined(self.kind(node.then), self.kind(node.otherwise))
            case Assign() | Update():
                return self.kind(node.target)
            case Call():
                return self._kind_of_call(node)
        return "unknown"

    def _kind_of_call(self, call: Call) -> Kind:
        if call.function in _OPERATIONS or call.function in _FLOAT_RESULTS:
            return "float"
        if call.function in ("min", "max", "abs"):
            kinds: list[Kind] = [self.kind(argument) for argument in call.arguments]
            return kinds[0] if len(set(kinds)) == 1 else "unknown"
        found = {f.returns for f in self.source.program.functions if f.name == call.function}
        return _kind_of_type(found.pop()) if len(found) == 1 else "unknown"

    def _type(self, node: object) -> CType | None:
        """Return the type of a name, an element or a member."""
        match node:
            case Name():
                declared = self.visible.get(node.id)
                if declared is None:
                    declared = next((v for v in self.source.program.variables if v.name == node.id), None)
                return _target(getattr(declared, "type", None))
            case Index():
                return _element(self._type(node.base))
            case Unary(op="*"):
                return _element(self._type(node.operand))
            case Member():
                base = self._type(node.base)
                fields = base.fields if isinstance(base, Struct) else ()
                return next((_target(field.type) for field in fields if field.name == node.field), None)
            case Cast():
                return _target(node.type)
            case Binary(op="+" | "-"):  # a pointer and an integer
                return self._type(node.left)
            case Unary(op="&"):
                inner = self._type(node.operand)
                return None if inner is None else Pointer(inner)
        return None


def _initial(value: object) -> tuple[object, ...]:
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


def _is_built_in(node: object) -> bool:
    name = qualified_name(node) if isinstance(node, Name | Member) else ""
    return name.startswith(_BUILT_IN)


def _target(kind: CType | None) -> CType | None:
    return kind.to if isinstance(kind, Reference) else kind


def _element(kind: CType | None) -> CType | None:
    if isinstance(kind, Pointer):
        return _target(kind.to)
    return _target(kind.of) if isinstance(kind, Array) else None


def _kind_of_type(kind: CType | None) -> Kind:
    kind = _target(kind)
    if isinstance(kind, Pointer | Array | FunctionPointer):
        return "other"
    if isinstance(kind, Scalar):
        return "float" if kind.dtype.kind == "f" else "other" if kind.dtype.kind in "iub" else "unknown"
    return "unknown"


def _combined(left: Kind, right: Kind) -> Kind:
    if "float" in (left, right):
        return "float" if "unknown" not in (left, right) else "unknown"
    return "unknown" if "unknown" in (left, right) else "other"


@lru_cache(maxsize=16)
def _template_names(source: Source) -> frozenset[str]:
    return frozenset(template.name for template in source.program.templates)
