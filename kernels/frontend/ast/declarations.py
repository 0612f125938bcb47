"""Functions, templates, and the program that they make."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from kernels.errors import SourceError
    from kernels.frontend.ast.expressions import Expr
    from kernels.frontend.ast.span import Span
    from kernels.frontend.ast.statements import Block, Variable
    from kernels.frontend.types import Argument, CType, Scalar, Struct


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a function; its type may be a Reference. `pack` marks one that stands for any number."""

    span: Span
    name: str
    type: CType
    default: Expr | None = None
    pack: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    """`__global__` (a kernel) or `__device__`; an operator is named "operator+".

    Functions of one name are overloads. An instance of a template carries its arguments: types and numbers.
    """

    span: Span
    name: str
    kernel: bool
    returns: CType
    parameters: tuple[Parameter, ...]
    body: Block
    template: tuple[Argument, ...] = ()

    @property
    def takes(self) -> tuple[str, ...]:
        """Names of the parameters; the first is `this` where it works on an object."""
        return tuple(parameter.name for parameter in self.parameters)


@dataclass(frozen=True, slots=True)
class TemplateParameter:
    """`typename T` (type None) or `int N`; `default` where one is given.

    `of_types` marks a template of structs, `pack` any number of arguments: `typename... T`. `members` are those that
    the function names of a type.
    """

    name: str
    type: Scalar | None
    default: CType | Expr | None = None
    of_types: bool = False
    pack: bool = False
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """A function template. The types of `signature` name the template's parameters as `Named`.

    The type of a parameter that is a function is a pointer to it. `instantiate` reads the body with the arguments
    put in, one for each parameter, None for its default, and raises SourceError where they do not fit. The same
    arguments give the same function again.
    """

    span: Span
    name: str
    kernel: bool
    parameters: tuple[TemplateParameter, ...]
    signature: tuple[Parameter, ...]
    instantiate: Callable[[tuple[Argument | None, ...]], Function]
    returns: CType

    @property
    def takes(self) -> tuple[str, ...]:
        """Names of the parameters; the first is `this` where it works on an object."""
        return tuple(parameter.name for parameter in self.signature)


@dataclass(frozen=True, slots=True)
class Program:
    """One `.cu` file: its text as written, and what it declares, after the preprocessor.

    `skipped` tells what was left out, by name, with the reason: host variables, for instance. Using one of
    these names in device code is refused with that reason. `included` are the local files that were
    read, name and text, `missing` the names of those that were not found. `unread` are the kernels that cannot
    be read, each with the error: the others of the file run.
    `constants` are arrays that structs declare, by their full names; they grow with the instances, as `members` do.
    `argument` reads a template's argument in the names of the file, `Tile<64, 8>`; it raises SourceError. `having`
    gives the names of the structs that have members of some names.
    `members` grows: instances of templates put the functions there of the structs that they are first to name.
    """

    file: str
    text: str
    defines: tuple[tuple[str, str], ...]
    functions: tuple[Function, ...]
    variables: tuple[Variable, ...]
    argument: Callable[[str], Argument] = field(compare=False, repr=False)
    templates: tuple[Template, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    included: tuple[tuple[str, str], ...] = ()
    missing: tuple[str, ...] = ()
    unread: tuple[tuple[str, SourceError], ...] = ()
    members: list[Function] = field(default_factory=list, compare=False, repr=False)
    statics: Mapping[str, tuple[Scalar, int | float | bool]] = field(default_factory=dict, compare=False, repr=False)
    constants: Mapping[str, Variable] = field(default_factory=dict, compare=False, repr=False)
    structs: Mapping[str, Struct] = field(default_factory=dict, compare=False, repr=False)
    member_templates: list[Template] = field(default_factory=list, compare=False, repr=False)
    having: Callable[[Sequence[str]], Iterable[str]] = field(default=lambda _: (), compare=False, repr=False)

    @property
    def excuse(self) -> str:
        """What may explain a name that nobody knows, to be put behind the message."""
        return f"; {not_found(self.missing)}" if self.missing else ""

    @property
    def kernels(self) -> tuple[Function, ...]:
        """The `__global__` functions, in file order."""
        return tuple(f for f in self.functions if f.kernel)


def not_found(files: Sequence[str]) -> str:
    """Say which included files were not found, and what helps; "" where there are none."""
    if len(files) == 1:
        return f"{files[0]} was not found: name its folder with -I"
    return f"{', '.join(files[:3])} were not found: name their folders with -I" if files else ""
