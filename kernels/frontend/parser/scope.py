"""What names mean while a program is read."""

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

    from kernels.frontend.ast import Call, Expr
    from kernels.frontend.constant_expressions import Value
    from kernels.frontend.parser.constexpr import Constexpr
    from kernels.frontend.types import CType, Struct


NAMESPACES: Final = {"std", "cuda", "nv", "nvstd", "cooperative_groups", "nvcuda", "wmma", "precision"}
"""Namespaces of names that are known without them."""


@dataclass(frozen=True, slots=True)
class VariableEntry:
    """A variable, with its value where that is known now.

    `literal` marks a name that stands for nothing but its value: a template's parameter, a static member.
    `alias` is the variable's own name, where it is another one; `parts` are the values of an array's elements or a
    struct's members, where those are known.
    """

    type: CType
    value: Value | None = None
    literal: bool = False
    alias: str = ""
    parts: Mapping[str | int, Value] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class PackEntry:
    """A parameter pack: what its name means for each element; `none` is what it means where there is none."""

    elements: tuple[Entry, ...]
    none: Entry


@dataclass(frozen=True, slots=True)
class MemberEntry:
    """A field of the struct whose member function is being read, or a function of it.

    `type` is a field's; `static` is the struct's name where a function needs no object.
    """

    type: CType | None = None
    function: bool = False
    static: str = ""


@dataclass(frozen=True, slots=True)
class FunctionTemplate:
    """A name after which `<` opens template arguments."""


@dataclass(frozen=True, slots=True)
class VariableTemplate(FunctionTemplate):
    """A constant with parameters, `template <typename T> constexpr T half = T(0.5);`, read from its first token on."""

    first: int = 0


@dataclass(eq=False, slots=True)
class DeferredType:
    """A name for a type that is read when it is asked for: `using Next = Tile<N + 1>;` inside of `Tile`."""

    read: Callable[[], Entry]
    found: Entry | None = None

    def resolve(self) -> Entry:
        """Return what the name means."""
        if self.found is None:
            self.found = self.read()
        return self.found


@dataclass(frozen=True, slots=True)
class OmittedType:
    """A type that was left out, and why."""

    reason: str

    @staticmethod
    def why(error: SourceError) -> str:
        """Return what makes a declaration unreadable: not that a type was left out, but why that was."""
        return error.because if isinstance(error, OmittedTypeError) else str(error)


class OmittedTypeError(SourceError):
    """A type that was left out is used; `because` is why it was."""

    def __init__(self, file: str, line: int, column: int, reason: str, because: str = "") -> None:
        super().__init__(file, line, column, reason)
        self.because = because


@dataclass(eq=False, slots=True)
class StructTemplate:
    """A struct template: it is read, from its first token on, for each list of arguments.

    `first` is -1 for a parameter that is a template, as long as it is open. `specialisations` are full ones, by their
    arguments; `partials` are their first tokens and those of their arguments. `outside` are the first tokens of
    functions that are defined outside of it, `replaced` those of functions for certain arguments. `around` are the
    scopes that it stands in, where that is a struct.
    """

    name: str
    first: int
    specialisations: dict[object, int] = field(default_factory=dict)
    partials: list[tuple[int, int]] = field(default_factory=list)
    outside: list[int] = field(default_factory=list)
    replaced: dict[object, list[int]] = field(default_factory=dict)
    around: list[dict[str, Entry]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class AliasTemplate:
    """A name for types, `template <typename T> using name = T *;`, read from its first token on."""

    name: str
    first: int
    around: list[dict[str, Entry]] = field(default_factory=list, compare=False)


@dataclass(frozen=True, slots=True)
class CudaTemplate:
    """One of CUDA's own: what gives the type for the arguments, None where they do not fit; and what would.

    One with a `name` tells by its instances what the arguments are.
    """

    make: Callable[[Sequence[types.CType | Expr]], types.CType | None]
    advice: str
    name: str = "?"


TypeTemplate = StructTemplate | AliasTemplate | CudaTemplate
"""What is a type once it is given arguments."""

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
"""Pointers of the host's libraries, which stand beside others in structs that a kernel is given."""

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
    cooperative_groups.COALESCED.name: cooperative_groups.COALESCED,
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
    "block_tile_memory": CudaTemplate(cooperative_groups.block_tile_memory, "write block_tile_memory<1024>"),
    **{name: CudaTemplate(make, f"write {name}<float, 2>") for name, make in textures.REFERENCES.items()},
    **dict.fromkeys((*cooperative_groups.TEMPLATES, *textures.FUNCTIONS), FunctionTemplate()),
    **{
        name: VariableEntry(types.INT, value, literal=True)
        for name, value in {**textures.CONSTANTS, **atomics.CONSTANTS, **wmma.CONSTANTS}.items()
    },
}
"""A `long` has 64 bits, as in device code for 64-bit Linux."""


class Default(NamedTuple):
    """The default value of a struct's member: the token that it begins at, and what is visible there."""

    first: int
    levels: list[dict[str, Entry]]


CONSTRUCTED: Final = Default(-1, [])
"""What a member holds by the constructor, or the members, of its own type."""


class Scopes:
    """The scopes, innermost last; the first holds what C itself knows."""

    def __init__(self) -> None:
        self.levels: list[dict[str, Entry]] = [SPELLINGS, {}]
        self.element: int | None = None
        """For which element of packs the text is being read."""
        self.lengths: set[int] = set()
        """How long the packs are that were named."""

    def find(self, name: str) -> Entry | None:
        """Return what a name means here; of a pack, what it means for the element that is being read."""
        found = self.whole(name)
        if isinstance(found, DeferredType):
            return found.resolve()
        if not isinstance(found, PackEntry):
            return found
        self.lengths.add(len(found.elements))
        number = self.element or 0
        return found.elements[number] if number < len(found.elements) else found.none

    def whole(self, name: str) -> Entry | None:
        """Return what a name means here, be it a pack."""
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
        """Give a name its meaning in the innermost scope."""
        self.levels[-1][name] = entry

    def declare_in_file(self, name: str, entry: Entry) -> None:
        """Give a name its meaning in the whole file."""
        self.levels[1][name] = entry


class VisibleConstants(Names):
    """The constants that are visible, by name; of any variable `x` also "sizeof(x)"."""

    def __init__(self, scopes: Scopes, functions: Constexpr) -> None:
        self._scopes = scopes
        self._functions = functions

    def call(self, node: Call, values: list[Value]) -> Value:
        """Return what a constexpr function gives."""
        return self._functions.call(node, values)

    def __getitem__(self, name: str) -> Value:
        if name.startswith("sizeof("):
            return self._size(name)
        whole, _, part = name.rstrip("]").replace("[", ".").partition(".")
        found = self._scopes.find(whole)
        if part and isinstance(found, VariableEntry):
            member = self._scopes.find(f"{found.type}::{part}") if isinstance(found.type, types.Struct) else None
            if isinstance(member, VariableEntry) and member.literal and member.value is not None:
                return member.value  # a static one, named by an object
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
        return iter(())  # they are looked up; listing them all would take long

    def __len__(self) -> int:
        return 0


def short(kind: Struct) -> str:
    """Name of a struct without its template's arguments."""
    return plain_name(kind.name)
