"""Nodes of declarations: functions, templates, and the program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kernels.errors import Cause, SourceError
    from kernels.frontend.ast.expressions import Expr
    from kernels.frontend.ast.span import Span
    from kernels.frontend.ast.statements import Block, Variable
    from kernels.frontend.types import Argument, CType, Scalar, Struct


@dataclass(frozen=True, slots=True)
class Omission:
    """A declaration that was left out. Device code that uses its name is refused with the reason."""

    name: str
    reason: str
    """A noun phrase for a declaration of the host or of another file, else the error."""
    foreign: bool = False
    """True if the declaration is the host's or another file's."""
    cause: Cause | None = None
    """Cause of the error, if there is one."""

    @classmethod
    def of(cls, name: str, error: SourceError) -> Omission:
        """Return the omission of a declaration that cannot be parsed or run."""
        return cls(name, str(error), cause=error.cause)

    @property
    def message(self) -> str:
        """The reason as a sentence about the name."""
        return f"'{self.name}' is {self.reason}" if self.foreign else f"'{self.name}' was left out: {self.reason}"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a function."""

    span: Span
    name: str
    type: CType
    """Type, which may be a Reference."""
    default: Expr | None = None
    pack: bool = False
    """True if it is a function parameter pack, `T... values`."""


@dataclass(frozen=True, slots=True)
class Function:
    """`__global__` (a kernel) or `__device__`; an operator is named "operator+".

    Functions of one name are overloads.
    """

    span: Span
    name: str
    kernel: bool
    returns: CType
    parameters: tuple[Parameter, ...]
    body: Block
    template: tuple[Argument, ...] = ()
    """Template arguments of an instance: types and numbers."""

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the parameters; the first one of a member function is `this`."""
        return tuple(parameter.name for parameter in self.parameters)


@dataclass(frozen=True, slots=True)
class TemplateParameter:
    """`typename T` or `int N`."""

    name: str
    type: Scalar | None
    """Type of a constant; None for `typename T`."""
    default: CType | Expr | None = None
    of_types: bool = False
    """True if it is a struct template."""
    pack: bool = False
    """True if it takes any number of arguments: `typename... T`."""
    members: tuple[str, ...] = ()
    """Members of the type that the function names."""


@dataclass(frozen=True, slots=True)
class Template:
    """A function template, as declared; `Instances.instantiate` parses its body for a list of arguments."""

    span: Span
    name: str
    kernel: bool
    parameters: tuple[TemplateParameter, ...]
    signature: tuple[Parameter, ...]
    """The function's parameters. Their types name the template's parameters as `Named`; a parameter that is
    a function has the type of a pointer to it."""
    number: int
    """Number of templates that were parsed before it, which identifies it; the same text gives the same numbers."""
    returns: CType

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the parameters; the first one of a member function is `this`."""
        return tuple(parameter.name for parameter in self.signature)


@dataclass(frozen=True, slots=True)
class Program:
    """One `.cu` file: its text as written, and what it declares, after the preprocessor. It never changes.

    What instances of its templates declare is in `kernels.frontend.instances.Instances`.
    """

    file: str
    """Name, for messages."""
    text: str
    defines: tuple[tuple[str, str], ...]
    """Macros from outside: name and value."""
    functions: tuple[Function, ...]
    variables: tuple[Variable, ...]
    templates: tuple[Template, ...] = ()
    omissions: tuple[Omission, ...] = ()
    """Declarations that were left out; the last one of a name counts."""
    included: tuple[tuple[str, str], ...] = ()
    """Local files that were parsed: name and text."""
    missing: tuple[str, ...] = ()
    """Names of included files that were not found."""
    kernel_errors: tuple[tuple[str, SourceError], ...] = ()
    """Kernels that cannot be parsed, each with its error. The other kernels of the file run."""
    statics: Mapping[str, tuple[Scalar, int | float | bool]] = field(default_factory=dict)
    """Constants that structs declare, by their full names: type and value."""
    constants: Mapping[str, Variable] = field(default_factory=dict)
    """Constant arrays that structs declare, and static variables of functions, by their full names."""
    structs: Mapping[str, Struct] = field(default_factory=dict)
    """Structs by name: the meaning of a pointer whose struct was declared before it was defined."""

    def omission(self, name: str) -> Omission | None:
        """Return the omitted declaration of a name; None if there is none."""
        return next((omission for omission in reversed(self.omissions) if omission.name == name), None)

    @property
    def missing_files_advice(self) -> str:
        """End of a message about an unknown name: the included files that were not found, which may declare it."""
        return f"; {not_found(self.missing)}" if self.missing else ""

    @property
    def kernels(self) -> tuple[Function, ...]:
        """The `__global__` functions, in file order."""
        return tuple(f for f in self.functions if f.kernel)


UNDECLARED: Final = "neither this file, with what it includes, nor the simulator declares it"
"""End of a message about an unknown name where no included file is missing."""


def not_found(files: Sequence[str]) -> str:
    """Return advice for included files that were not found; "" where there are none."""
    if len(files) == 1:
        return f"{files[0]} was not found: name its folder with -I"
    return f"{', '.join(files[:3])} were not found: name their folders with -I" if files else ""
