"""Types of CUDA C."""

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
    size_bytes: int = field(init=False, repr=False)
    """Size in bytes, as `sizeof`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "size_bytes", self.dtype.itemsize)

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        if type(self) is Scalar:  # copies and unpickled types are the same object
            return scalar, (self.name, self.dtype.name)
        return object.__reduce_ex__(self, protocol)

    @property
    def align_bytes(self) -> int:
        """Alignment in bytes, as `alignof`."""
        return self.size_bytes

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class FunctionPointer(Scalar):
    """Pointer to a function, stored as the number of that function; made by `function_pointer`."""

    returns: CType
    parameters: tuple[CType, ...]
    bare: bool = field(default=False, compare=False)
    """True for the type of the function itself, which `typedef int F(int)` declares; the pointer is `F *`."""


@dataclass(frozen=True, slots=True)
class FunctionName:
    """The name of a function as a template argument."""

    name: str
    template: tuple[CType | Expr, ...] = ()
    """Template arguments of `name<…>`."""

    def __str__(self) -> str:
        return f"{self.name}<{', '.join(map(str, self.template))}>" if self.template else self.name


@dataclass(frozen=True, slots=True)
class Void:
    """The type without values."""

    def __str__(self) -> str:
        return "void"


@dataclass(frozen=True, slots=True)
class Pointer:
    """Pointer to `to`."""

    to: CType
    const: bool = False

    @property
    def size_bytes(self) -> int:
        """Size in bytes: 8, because device code is 64-bit."""
        return 8

    @property
    def align_bytes(self) -> int:
        """Alignment in bytes, as `alignof`."""
        return 8

    def __str__(self) -> str:
        return f"{'const ' if self.const else ''}{self.to} *"


@dataclass(frozen=True, slots=True)
class Array:
    """`length` elements of type `of`."""

    of: CType
    length: int
    """Number of elements; 0 for the unsized array of `extern __shared__ float s[]`."""
    open: str = field(default="", compare=False, repr=False)
    """Name of the template parameter that is the length, in a signature whose arguments are deduced; "?" for an
    expression."""

    @property
    def size_bytes(self) -> int:
        """Size in bytes, as `sizeof`."""
        return self.length * size_of(self.of)

    @property
    def align_bytes(self) -> int:
        """Alignment in bytes, as `alignof`."""
        return 1 if isinstance(self.of, Void | Named) else self.of.align_bytes

    @property
    def shape(self) -> tuple[int, ...]:
        """All dimensions, outermost first."""
        return (self.length, *(self.of.shape if isinstance(self.of, Array) else ()))

    @property
    def element(self) -> CType:
        """Type of an element, after indexing every dimension."""
        return self.of.element if isinstance(self.of, Array) else self.of

    def __str__(self) -> str:
        return f"{self.element}{''.join(f'[{n}]' for n in self.shape)}"


UNNAMED: Final = "unnamed"
"""Prefix of the names of unnamed members."""

BOUND: Final = "&"
"""Prefix of the names of members that hold the address of a reference member."""


@dataclass(frozen=True, slots=True)
class Field:
    """One member of a struct."""

    name: str
    type: CType
    offset_bytes: int
    """Offset from the start of the struct."""


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct, or one of CUDA's vector types, with the layout of the compiler."""

    name: str
    fields: tuple[Field, ...]
    size_bytes: int
    align_bytes: int
    base: Struct | None = None
    """The struct that it inherits from; its fields come first."""
    union: bool = False
    """True if all fields share their bytes."""
    arguments: tuple[Argument, ...] = field(default=(), compare=False, repr=False)
    """Template arguments, if it is an instance."""
    closure: bool = field(default=False, compare=False, repr=False)
    """True for the type of a lambda expression: its values are empty."""

    @property
    def constructor(self) -> str:
        """Name of its constructors as functions."""
        return f"{self.name}::{plain_name(self.name)}"

    def derives(self, other: CType) -> bool:
        """Return whether another type is a base of this one."""
        return self.base is not None and (self.base == other or self.base.derives(other))

    def field(self, name: str) -> Field | None:
        """Return the member of that name."""
        return next((field for field in self.fields if field.name == name), None)

    def unnamed_member_with(self, name: str) -> Field | None:
        """Return the unnamed member that has a member of that name."""
        return next((f for f in self.fields if f.name.startswith(UNNAMED) and _holds(f.type, name)), None)

    def __str__(self) -> str:
        return self.name


def _holds(kind: CType, name: str) -> bool:
    return isinstance(kind, Struct) and (kind.field(name) or kind.unnamed_member_with(name)) is not None


@dataclass(frozen=True, slots=True)
class Reference:
    """Reference to `to`."""

    to: CType
    const: bool = False
    rvalue: bool = False
    """True if it is `to &&`, which also binds to a value without an address."""

    @property
    def size_bytes(self) -> int:
        """Size in bytes of the object that it names, as `sizeof`."""
        return size_of(self.to)

    @property
    def align_bytes(self) -> int:
        """Alignment in bytes, as `alignof`."""
        return 1 if isinstance(self.to, Void | Named) else self.to.align_bytes

    def __str__(self) -> str:
        return f"{'const ' if self.const else ''}{self.to} {'&&' if self.rvalue else '&'}"


@dataclass(frozen=True, slots=True)
class Named:
    """An incomplete or dependent type, or `auto`."""

    name: str
    template: str = field(default="", compare=False, repr=False)
    """Name of the template of an instance with open arguments, such as `Row<T, 4>`; "?" for a type that does not
    determine its arguments."""
    arguments: tuple[CType | Expr, ...] = field(default=(), compare=False, repr=False)
    """Arguments of that instance."""
    open: bool = field(default=False, compare=False, repr=False)
    """True if the template is itself a template parameter."""

    def __str__(self) -> str:
        return self.name


CType = Scalar | Void | Pointer | Array | Struct | Reference | Named

Argument = CType | FunctionName | int | float | bool
"""A template argument."""


def parts_of(kind: CType) -> tuple[int, int]:
    """Return (number of types in a type, each array counted once; number of scalars and pointers in it).

    A struct with two members of another struct has at least twice the numbers of that one. In a chain of such structs
    they grow exponentially, which the parser refuses.
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
    """Return the size in bytes, as `sizeof`; 0 for a type without a size."""
    return 0 if isinstance(kind, Void | Named) else kind.size_bytes


def struct(
    name: str,
    members: Sequence[tuple[str, CType]],
    align_bytes: int = 1,
    base: Struct | None = None,
    *,
    union: bool = False,
    arguments: tuple[Argument, ...] = (),
    alignments: Mapping[str, int] | None = None,
) -> Struct:
    """Lay out a struct: each member at the next multiple of its alignment, the size a multiple of the struct's.

    Parameters
    ----------
    name : str
        The struct.
    members : sequence of (name, type)
        Its own members, in order.
    align_bytes : int
        Least alignment of the struct.
    base : Struct, optional
        The struct that it inherits from; its members come first.
    union : bool
        If True, all members start at offset 0.
    arguments : tuple
        Template arguments, if it is an instance.
    alignments : mapping, optional
        Least alignments of members, by name.
    """
    fields, end, align = [], 0, align_bytes
    if base is not None:
        fields, align = list(base.fields), max(align, base.align_bytes)
        end = base.size_bytes if fields else 0
    for member, kind in members:
        own = max((alignments or {}).get(member, 1), 1 if isinstance(kind, Void | Named) else kind.align_bytes)
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
"""Arithmetic types by canonical name; the parser maps spellings such as `unsigned` or `size_t` to these."""

AUTO: Final = Named("auto")
"""Placeholder for the type of a variable declared with `auto`: the type of its value."""


def _vectors() -> dict[str, Struct]:
    """Return CUDA's vector types with their alignments (CUDA C++ Programming Guide, "Built-in Vector Types")."""
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
"""Vector types by name: float4, int2, dim3 and so on; the parser maps `__half2` to half2."""


def promote(kind: Scalar) -> Scalar:
    """Return the type in which C computes with a number: nothing smaller than int ([conv.prom])."""
    return INT if kind.dtype.kind in "biu" and kind.size_bytes < INT.size_bytes else kind


def value_type(kind: CType) -> CType:
    """Return the type of a value: of a reference, the type that it refers to."""
    return kind.to if isinstance(kind, Reference) else kind
