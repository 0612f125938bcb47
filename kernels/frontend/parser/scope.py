"""Scopes of the parser, and the entries of their names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from kernels.errors import SourceError
from kernels.frontend import types
from kernels.frontend.constant_expressions import Names
from kernels.frontend.headers import atomics, bfloat16, cooperative_groups, curand, textures, wmma
from kernels.frontend.templates.name_mangling import plain_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kernels.errors import Cause
    from kernels.frontend.ast import Call, Expr
    from kernels.frontend.constant_expressions import Value
    from kernels.frontend.parser.constexpr import Constexpr
    from kernels.frontend.types import CType, Struct


NAMESPACES: Final = {"std", "cuda", "nv", "nvstd", "cooperative_groups", "nvcuda", "wmma", "precision"}
"""Namespaces that are ignored: their names are found without them."""


@dataclass(frozen=True, slots=True)
class VariableEntry:
    """A variable, with its value if that is constant."""

    type: CType
    value: Value | None = None
    literal: bool = False
    """True if uses are replaced by the value: of a template parameter or a static member."""
    alias: str = ""
    """Name of the variable, if it differs; else ""."""
    parts: Mapping[str | int, Value] = field(default_factory=dict, compare=False)
    """Constant values of an array's elements, by index, or a struct's members, by name."""


@dataclass(frozen=True, slots=True)
class PackEntry:
    """A parameter pack."""

    elements: tuple[Entry, ...]
    """Entry of the name for each element."""
    none: Entry
    """Entry of the name for an empty pack."""


@dataclass(frozen=True, slots=True)
class MemberEntry:
    """A field or function of the struct whose member function is being parsed."""

    type: CType | None = None
    """Type of a field."""
    function: bool = False
    static: str = ""
    """Name of the struct for a static function."""


@dataclass(frozen=True, slots=True)
class FunctionTemplate:
    """A name after which `<` opens template arguments."""


@dataclass(frozen=True, slots=True)
class VariableTemplate(FunctionTemplate):
    """A variable template, `template <typename T> constexpr T half = T(0.5);`."""

    first: int = 0
    """Index of its first token."""


@dataclass(eq=False, slots=True)
class DeferredType:
    """A type alias that is parsed on first use.

    `using Next = Tile<N + 1>;` inside of `Tile` would otherwise instantiate `Tile` without end.
    """

    parse: Callable[[], Entry]
    """Parses the alias."""
    entry: Entry | None = None
    """Entry, once parsed."""

    def resolve(self) -> Entry:
        """Return the entry of the name."""
        if self.entry is None:
            self.entry = self.parse()
        return self.entry


@dataclass(frozen=True, slots=True)
class OmittedType:
    """A type that was left out because it cannot be parsed."""

    reason: str
    cause: Cause | None
    """Cause of the error."""

    @classmethod
    def of(cls, error: SourceError) -> OmittedType:
        """Return the entry of a type with an error; if it uses an omitted type, with the error of that one."""
        return cls(error.because if isinstance(error, OmittedTypeError) else str(error), error.cause)


class OmittedTypeError(SourceError):
    """Error at the use of a type that was left out. Its cause is that of the error in the declaration."""

    def __init__(
        self, file: str, line: int, column: int, reason: str, because: str = "", cause: Cause | None = None
    ) -> None:
        super().__init__(file, line, column, reason, cause)
        self.because = because
        """The error in the declaration of the type."""


@dataclass(eq=False, slots=True)
class StructTemplate:
    """A struct template, which is parsed again for each list of arguments."""

    name: str
    first: int
    """Index of its first token; -1 for a template template parameter without an argument."""
    specialisations: dict[object, int] = field(default_factory=dict)
    """First tokens of full specialisations, by arguments."""
    partials: list[tuple[int, int]] = field(default_factory=list)
    """First tokens of partial specialisations, and of their arguments."""
    outside: list[int] = field(default_factory=list)
    """First tokens of member functions that are defined outside of the struct."""
    replaced: dict[object, list[int]] = field(default_factory=dict)
    """First tokens of specialised member functions, by arguments."""
    outer_scopes: list[dict[str, Entry]] = field(default_factory=list)
    """Scopes between the file and the template, if it is a member."""


@dataclass(frozen=True, slots=True)
class AliasTemplate:
    """An alias template, `template <typename T> using name = T *;`."""

    name: str
    first: int
    """Index of its first token."""
    outer_scopes: list[dict[str, Entry]] = field(default_factory=list, compare=False)
    """Scopes between the file and the template."""


@dataclass(frozen=True, slots=True)
class CudaTemplate:
    """A template of CUDA's headers."""

    make: Callable[[Sequence[types.CType | Expr]], types.CType | None]
    """Returns the type for arguments; None if they do not fit."""
    advice: str
    """Advice in the error if they do not fit."""
    name: str = "?"
    """Name by which its instances are matched for deduction; "?" for none."""


TypeTemplate = StructTemplate | AliasTemplate | CudaTemplate
"""Templates whose instances are types."""

Entry = (
    types.CType
    | types.FunctionName
    | VariableEntry
    | MemberEntry
    | FunctionTemplate
    | TypeTemplate
    | OmittedType
    | PackEntry
    | DeferredType
)

_HANDLES: Final = (
    *("cudaStream_t", "cudaEvent_t", "cudaArray_t", "cudaGraph_t", "cudaGraphExec_t", "cudaMemPool_t"),
    *("cublasHandle_t", "cublasLtHandle_t", "cusparseHandle_t", "cusolverDnHandle_t", "curandGenerator_t"),
    *("cudnnHandle_t", "cudnnTensorDescriptor_t", "cudnnFilterDescriptor_t", "cudnnConvolutionDescriptor_t"),
    *("cudnnActivationDescriptor_t", "cudnnPoolingDescriptor_t", "ncclComm_t"),
)
"""Pointers of the host's libraries, which are members of structs that are passed to kernels."""

SPELLINGS: Final[dict[str, Entry]] = {
    **types.SCALARS,
    **types.VECTORS,
    "void": types.VOID,
    "signed char": types.CHAR,
    "int8_t": types.CHAR,
    "uint8_t": types.UCHAR,
    "uchar": types.UCHAR,
    "char8_t": types.UCHAR,
    "int16_t": types.SHORT,
    "uint16_t": types.USHORT,
    "ushort": types.USHORT,
    "signed": types.INT,
    "int32_t": types.INT,
    "unsigned": types.UINT,
    "uint32_t": types.UINT,
    "uint": types.UINT,
    "long": types.LONG,
    "int64_t": types.LONG,
    "ptrdiff_t": types.LONG,
    "ssize_t": types.LONG,
    "intptr_t": types.LONG,
    "clock_t": types.LONG,
    **dict.fromkeys(_HANDLES, types.Pointer(types.VOID)),
    "cudaError_t": types.INT,
    "cufftHandle": types.INT,
    "unsigned long": types.ULONG,
    "ulong": types.ULONG,
    "uint64_t": types.ULONG,
    "size_t": types.ULONG,
    "uintptr_t": types.ULONG,
    "__half": types.HALF,
    "__half2": types.VECTORS["half2"],
    "u_char": types.UCHAR,
    "u_short": types.USHORT,
    "u_int": types.UINT,
    "u_long": types.ULONG,
    "u_int8_t": types.UCHAR,
    "u_int16_t": types.USHORT,
    "u_int32_t": types.UINT,
    "u_int64_t": types.ULONG,
    "intmax_t": types.LONG,
    "uintmax_t": types.ULONG,
    "time_t": types.LONG,
    "uint3": types.VECTORS["uint3"],
    "cudaExtent": types.struct("cudaExtent", [(name, types.ULONG) for name in ("width", "height", "depth")]),
    "cudaPos": types.struct("cudaPos", [(name, types.ULONG) for name in "xyz"]),
    "cudaPitchedPtr": types.struct(
        "cudaPitchedPtr",
        [("ptr", types.Pointer(types.VOID)), *((name, types.ULONG) for name in ("pitch", "xsize", "ysize"))],
    ),
    **cooperative_groups.GROUPS,
    **textures.OBJECTS,
    **atomics.ENUMS,
    **bfloat16.TYPES,
    **curand.TYPES,
    **wmma.TYPES,
    "fragment": CudaTemplate(wmma.fragment, wmma.ADVICE),
    **{
        name: CudaTemplate(make, f"write {name}<int, cuda::thread_scope_device>, of a number")
        for name, make in atomics.TYPES.items()
    },
    "aligned_size_t": CudaTemplate(lambda _: types.ULONG, "write aligned_size_t<16>"),
    cooperative_groups.TILE: CudaTemplate(
        cooperative_groups.tile_type, cooperative_groups.SIZES, cooperative_groups.TILE
    ),
    **{name: CudaTemplate(make, f"write {name}<float, 2>") for name, make in textures.REFERENCES.items()},
    **dict.fromkeys((*cooperative_groups.TEMPLATES, *textures.FUNCTIONS), FunctionTemplate()),
    **{
        name: VariableEntry(types.INT, value, literal=True)
        for name, value in {**textures.CONSTANTS, **atomics.CONSTANTS, **wmma.CONSTANTS}.items()
    },
}
"""A `long` has 64 bits, as in device code for 64-bit Linux."""


class Default(NamedTuple):
    """The default value of a struct member."""

    first: int
    """Index of the first token of the value."""
    levels: list[dict[str, Entry]]
    """Scopes that are visible there."""


CONSTRUCTED: Final = Default(-1, [])
"""Default of a member whose own type has a constructor or default members."""


class Scopes:
    """A stack of scopes, innermost last: `levels[0]` holds the names of C and CUDA, `levels[1]` those of the file."""

    def __init__(self) -> None:
        self.levels: list[dict[str, Entry]] = [SPELLINGS, {}]
        self.element: int | None = None
        """Number of the element that names of packs refer to while a pattern is expanded; else None."""
        self.lengths: set[int] = set()
        """Lengths of the packs that the pattern has named so far."""

    def find(self, name: str) -> Entry | None:
        """Return the entry of a name; of a pack, that of the element that is being expanded."""
        found = None
        for level in reversed(self.levels):
            found = level.get(name)
            if found is not None:
                break
        if isinstance(found, DeferredType):
            return found.resolve()
        if not isinstance(found, PackEntry):
            return found
        self.lengths.add(len(found.elements))
        number = self.element or 0
        return found.elements[number] if number < len(found.elements) else found.none

    def find_whole(self, name: str) -> Entry | None:
        """Return the entry of a name; of a pack, the whole pack."""
        for level in reversed(self.levels):
            found = level.get(name)
            if found is not None:
                return found
        return None

    def open(self) -> None:
        """Begin a block."""
        self.levels.append({})

    def close(self) -> None:
        """End a block: forget its names."""
        self.levels.pop()

    def declare(self, name: str, entry: Entry) -> None:
        """Declare a name in the innermost scope."""
        self.levels[-1][name] = entry

    def declare_variable(self, name: str, kind: CType, value: Value | None = None) -> None:
        """Declare a variable in the innermost scope, with its value if that is known now."""
        self.levels[-1][name] = VariableEntry(kind, value)

    def declare_in_file(self, name: str, entry: Entry) -> None:
        """Declare a name in the scope of the file."""
        self.levels[1][name] = entry


class VisibleConstants(Names):
    """The visible constants by name; "sizeof(x)" is the size of a variable `x`."""

    def __init__(self, scopes: Scopes, functions: Constexpr) -> None:
        self._scopes = scopes
        self._functions = functions

    def call(self, node: Call, values: list[Value]) -> Value:
        """Return the value of a constexpr function."""
        return self._functions.call(node, values)

    def __getitem__(self, name: str) -> Value:
        if name.startswith("sizeof("):
            return self._size(name)
        whole, _, part = name.rstrip("]").replace("[", ".").partition(".")
        found = self._scopes.find(whole)
        if part and isinstance(found, VariableEntry):
            member = self._scopes.find(f"{found.type}::{part}") if isinstance(found.type, types.Struct) else None
            if isinstance(member, VariableEntry) and member.literal and member.value is not None:
                return member.value  # a static member of an object
            return found.parts[int(part) if part.isdecimal() else part]
        found = self._scopes.find(name)
        if isinstance(found, VariableEntry) and found.value is not None:
            return found.value
        raise KeyError(name)

    def _size(self, name: str) -> Value:
        found = self._scopes.find(name[len("sizeof(") : -1].removeprefix("this->"))
        kind = found.type if isinstance(found, VariableEntry | MemberEntry) else None
        if kind is None or isinstance(kind, types.Void | types.Named):
            raise KeyError(name)
        return kind.size_bytes

    def __iter__(self) -> Iterator[str]:
        return iter(())  # only looked up; a list of all would take long

    def __len__(self) -> int:
        return 0


def short(kind: Struct) -> str:
    """Return the name of a struct without template arguments."""
    return plain_name(kind.name)
