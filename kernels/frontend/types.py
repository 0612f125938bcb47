"""CUDA C's types, as far as they are executed."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final, SupportsIndex

import numpy as np

from kernels.frontend.templates.name_mangling import plain_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kernels.frontend.ast import Expr


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """An arithmetic type, carried by one NumPy dtype that has its size, sign and rounding.

    There is one object for each type, made by `scalar`, so that types compare by identity.
    """

    name: str
    dtype: np.dtype[np.generic]

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        if type(self) is Scalar:  # a copy, or what is unpickled, is the same object
            return scalar, (self.name, self.dtype.name)
        return object.__reduce_ex__(self, protocol)

    @property
    def size_bytes(self) -> int:
        """What sizeof gives."""
        return self.dtype.itemsize

    @property
    def align_bytes(self) -> int:
        """What alignof gives."""
        return self.dtype.itemsize

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class FunctionPointer(Scalar):
    """Pointer to a function, held as a number that says which; made by `function_pointer`.

    `bare` marks the type of the function itself, as `typedef int F(int)` names it: `F *` is the pointer then.
    """

    returns: CType
    parameters: tuple[CType, ...]
    bare: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class FunctionName:
    """A function as a template's argument: its name, and what `name<…>` gives."""

    name: str
    template: tuple[CType | Expr, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}<{', '.join(map(str, self.template))}>" if self.template else self.name


@dataclass(frozen=True, slots=True)
class Void:
    """No value."""

    def __str__(self) -> str:
        return "void"


@dataclass(frozen=True, slots=True)
class Pointer:
    """Address of `to`."""

    to: CType
    const: bool = False

    @property
    def size_bytes(self) -> int:
        """What sizeof gives: 8, for device code is 64-bit."""
        return 8

    @property
    def align_bytes(self) -> int:
        """What alignof gives."""
        return 8

    def __str__(self) -> str:
        return f"{'const ' if self.const else ''}{self.to} *"


@dataclass(frozen=True, slots=True)
class Array:
    """`length` members of `of`; length 0 is the unsized array of `extern __shared__ float s[]`.

    `open` names the template's parameter that is the length, where its arguments are deduced.
    """

    of: CType
    length: int
    open: str = field(default="", compare=False, repr=False)

    @property
    def size_bytes(self) -> int:
        """What sizeof gives."""
        return self.length * size_of(self.of)

    @property
    def align_bytes(self) -> int:
        """What alignof gives."""
        return 1 if isinstance(self.of, Void | Named) else self.of.align_bytes

    @property
    def shape(self) -> tuple[int, ...]:
        """All dimensions, outermost first."""
        return (self.length, *(self.of.shape if isinstance(self.of, Array) else ()))

    @property
    def element(self) -> CType:
        """What is left when every dimension is indexed."""
        return self.of.element if isinstance(self.of, Array) else self.of

    def __str__(self) -> str:
        return f"{self.element}{''.join(f'[{n}]' for n in self.shape)}"


UNNAMED: Final = "unnamed"
"""How the names begin under which members without one are kept."""

BOUND: Final = "&"
"""How the names begin under which the addresses are kept that members which are references stand for."""


@dataclass(frozen=True, slots=True)
class Field:
    """One member of a struct, `offset_bytes` from its begin."""

    name: str
    type: CType
    offset_bytes: int


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct, or one of CUDA's vector types, laid out as the compiler lays it out.

    `base` is the struct that it inherits from; its fields are the first ones. Those of a `union` share their bytes.
    `arguments` are those of the template that it is an instance of.
    """

    name: str
    fields: tuple[Field, ...]
    size_bytes: int
    align_bytes: int
    base: Struct | None = None
    union: bool = False
    arguments: tuple[Argument, ...] = field(default=(), compare=False, repr=False)

    @property
    def constructor(self) -> str:
        """The name that its constructors are known by as functions."""
        return f"{self.name}::{plain_name(self.name)}"

    def derives(self, other: CType) -> bool:
        """Whether another type is a base of this one."""
        return self.base is not None and (self.base == other or self.base.derives(other))

    def field(self, name: str) -> Field | None:
        """Return the member of that name."""
        return next((field for field in self.fields if field.name == name), None)

    def around(self, name: str) -> Field | None:
        """Return the member without a name that holds one of that name."""
        return next((f for f in self.fields if f.name.startswith(UNNAMED) and _holds(f.type, name)), None)

    def __str__(self) -> str:
        return self.name


def _holds(kind: CType, name: str) -> bool:
    return isinstance(kind, Struct) and (kind.field(name) or kind.around(name)) is not None


@dataclass(frozen=True, slots=True)
class Reference:
    """`to &`: another name for something; `rvalue` marks `to &&`, which also names what has no place."""

    to: CType
    const: bool = False
    rvalue: bool = False

    @property
    def size_bytes(self) -> int:
        """What sizeof gives: the size of what it names."""
        return size_of(self.to)

    @property
    def align_bytes(self) -> int:
        """What alignof gives."""
        return 1 if isinstance(self.to, Void | Named) else self.to.align_bytes

    def __str__(self) -> str:
        return f"{'const ' if self.const else ''}{self.to} {'&&' if self.rvalue else '&'}"


@dataclass(frozen=True, slots=True)
class Named:
    """A type that is not known yet, or `auto`; an instance with its parts, `open` where its template is a parameter."""

    name: str
    template: str = field(default="", compare=False, repr=False)
    arguments: tuple[CType | Expr, ...] = field(default=(), compare=False, repr=False)
    open: bool = field(default=False, compare=False, repr=False)

    def __str__(self) -> str:
        return self.name


CType = Scalar | Void | Pointer | Array | Struct | Reference | Named

Argument = CType | FunctionName | int | float | bool
"""What a template is given."""


def parts_of(kind: CType) -> tuple[int, int]:
    """Return how many types a type is made of, each array once, and how many numbers and pointers it holds.

    Both at least double where a struct has two members of another, one level after the next.
    """
    match kind:
        case Struct():
            inner = [parts_of(field.type) for field in kind.fields]
            return 1 + sum(types for types, _ in inner), sum(numbers for _, numbers in inner)
        case Array():
            types, numbers = parts_of(kind.of)
            return 1 + types, kind.length * numbers
        case Pointer() | Reference():
            return 1 + parts_of(kind.to)[0], 1
    return 1, 1


def size_of(kind: CType) -> int:
    """Return what sizeof gives, 0 for what has no size."""
    return 0 if isinstance(kind, Void | Named) else kind.size_bytes


def struct(
    name: str,
    members: Sequence[tuple[str, CType]],
    align_bytes: int = 1,
    base: Struct | None = None,
    *,
    union: bool = False,
    arguments: tuple[Argument, ...] = (),
    aligned: Mapping[str, int] | None = None,
) -> Struct:
    """Lay a struct out: each member at the next multiple of its alignment, the size a multiple of the whole's.

    `align_bytes` is the least alignment of the whole, `aligned` that of members; those of `base` come first.
    """
    fields, end, align = [], 0, align_bytes
    if base is not None:
        fields, align = list(base.fields), max(align, base.align_bytes)
        end = base.size_bytes if fields else 0
    for member, kind in members:
        own = max((aligned or {}).get(member, 1), 1 if isinstance(kind, Void | Named) else kind.align_bytes)
        start = 0 if union else -(-end // own) * own
        fields.append(Field(member, kind, start))
        end, align = max(end, start + size_of(kind)), max(align, own)
    size = max(-(-end // align) * align, 1)
    return Struct(name, tuple(fields), size, align, base, union, arguments)


@cache
def scalar(name: str, dtype: str) -> Scalar:
    """Return the arithmetic type of a name: the same object each time."""
    return Scalar(name, np.dtype(dtype))


def function_pointer(returns: CType, parameters: Sequence[CType], *, bare: bool = False) -> FunctionPointer:
    """Return the type of pointers to such functions."""
    name = f"{returns} (*)({', '.join(map(str, parameters))})"
    return FunctionPointer(name, np.dtype("int64"), returns, tuple(parameters), bare)


VOID: Final = Void()
BOOL: Final = scalar("bool", "bool")
CHAR: Final = scalar("char", "int8")
UCHAR: Final = scalar("unsigned char", "uint8")
SHORT: Final = scalar("short", "int16")
USHORT: Final = scalar("unsigned short", "uint16")
INT: Final = scalar("int", "int32")
UINT: Final = scalar("unsigned int", "uint32")
LONG: Final = scalar("long long", "int64")
ULONG: Final = scalar("unsigned long long", "uint64")
HALF: Final = scalar("half", "float16")
FLOAT: Final = scalar("float", "float32")
DOUBLE: Final = scalar("double", "float64")

SCALARS: Final = {t.name: t for t in (BOOL, CHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, HALF, FLOAT, DOUBLE)}
"""By canonical name; the parser maps spellings such as `unsigned` or `size_t` onto these."""

AUTO: Final = Named("auto")
"""The type of a variable that takes it from its value."""


def _vectors() -> dict[str, Struct]:
    """CUDA's vector types with their alignments (CUDA C++ Programming Guide, "Built-in Vector Types")."""
    names = {
        "char": CHAR,
        "uchar": UCHAR,
        "short": SHORT,
        "ushort": USHORT,
        "int": INT,
        "uint": UINT,
        "long": LONG,
        "ulong": ULONG,
        "longlong": LONG,
        "ulonglong": ULONG,
        "float": FLOAT,
        "double": DOUBLE,
    }
    result = {}
    for name, kind in names.items():
        for count in (1, 2, 3, 4):
            aligned = min(16, count * kind.size_bytes) if count in (2, 4) else kind.size_bytes
            members = [(axis, kind) for axis in "xyzw"[:count]]
            result[f"{name}{count}"] = struct(f"{name}{count}", members, aligned)
    result["dim3"] = struct("dim3", [("x", UINT), ("y", UINT), ("z", UINT)])
    result["half2"] = struct("half2", [("x", HALF), ("y", HALF)], 4)
    return result


VECTORS: Final = _vectors()
"""By name: float4, int2, dim3 and so on; `__half2` is known to the parser as half2."""
