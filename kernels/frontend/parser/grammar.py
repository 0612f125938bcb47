"""Protocols of the parts of the parser: the productions that other parts may call.

The grammar is recursive: an expression holds a lambda, which holds statements, which hold expressions. The parts are
created by `kernels.frontend.parser.parser.Parser` and see each other through these protocols only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kernels.frontend import ast, types
    from kernels.frontend.ast import Expr, Function, Statement
    from kernels.frontend.constant_expressions import Value
    from kernels.frontend.parser.declaration_parts import Declarator, Draft, Specifiers
    from kernels.frontend.parser.scope import (
        Default,
        Entry,
        OmittedType,
        StructTemplate,
        TypeTemplate,
        VariableEntry,
        VariableTemplate,
    )
    from kernels.frontend.preprocessor.declaration_outline import Outline
    from kernels.frontend.types import (
        Argument,
        CType,
        FunctionName,
        FunctionPointer,
        Reference,
        Struct,
    )

Result = TypeVar("Result")


class LookAhead(Protocol):
    """Decides from visible names and the next tokens, without parsing them."""

    def starts_type(self, index: int) -> bool:
        """Return whether a type's name, or a word that is before one, begins at a token."""

    def declares(self) -> bool:
        """Return whether a declaration begins here, not an expression such as `float(x)` or `S::f()`."""

    def skip_namespaces(self) -> None:
        """Skip `::` and the names of namespaces."""

    def skip_attribute(self) -> bool:
        """Skip `[[…]]`, `__attribute__((…))` and the like."""

    def is_variable(self, name: str) -> bool:
        """Return whether a name is a variable's."""

    def is_template(self, name: str) -> bool:
        """Return whether `<` after a name opens template arguments."""


class TypeSpecifiers(Protocol):
    """Parses types."""

    def constant(self, expression: Expr) -> Value | None:
        """Value of an expression of constants, None where it is not known."""

    def refuse_omitted(self, index: int, name: str, entry: OmittedType) -> NoReturn:
        """Refuse a type that was left out."""

    def specifiers(self) -> Specifiers:
        """Parse the part of a declaration that is before the declarators."""

    def alignment(self) -> int:
        """Parse `alignas(…)`, in bytes."""

    def named_type(self) -> CType:
        """Parse the name of a type that is no row of arithmetic words."""

    def past_type(self) -> int:
        """Return the token after the name of a type that is here, `S<T>::name`; this one where none does."""

    def name_of(self, kind: CType, index: int) -> str:
        """Return the name under which a type's members are known; an enum's is that at the token."""


class Declarators(Protocol):
    """Parses declarators."""

    def type_id(self) -> CType:
        """Parse a type that stands alone: in a cast, in sizeof, as a template's argument."""

    def declarator(self, kind: CType, *, const: bool) -> Declarator:
        """Apply a declarator to a type; without a name, too."""

    def function_type(self, declared: Declarator, *, bare: bool = False) -> FunctionPointer:
        """Return the type of pointers to a function that is declared, or of the function itself."""

    def operator_name(self) -> str:
        """Parse what follows the word operator."""

    def lists_parameters(self) -> bool:
        """Return whether `(` opens the parameters of a function, not the value of a variable."""


class Packs(Protocol):
    """Expands parameter packs."""

    def expanded(self, read: Callable[[], Result], *, leave: bool = False) -> list[Result]:
        """Parse one part of a list: where `...` follows, once for each element of the packs that it names."""

    def each(self, count: int, first: int, read: Callable[[], Result]) -> list[Result]:
        """Parse a part of the text for this many elements."""

    def trial(self, read: Callable[[], Result]) -> tuple[Result, set[int]]:
        """Parse for the first element, and say how long the packs are that were named."""

    def open_expansion(self, pattern: CType | Expr) -> CType | Expr:
        """Return a pattern, or what `pattern...` is where its pack is open."""

    def sizeof_pack(self, first: int) -> Expr:
        """Parse how many elements a pack has, from the `...` on."""

    def is_fold(self, opened: int) -> bool:
        """Return whether parentheses hold `(pack + ...)` or its like."""

    def fold(self, read: Callable[[], Expr]) -> Expr:
        """Parse a fold; `read` reads an operand."""


class PrimaryExpressions(Protocol):
    """Parses primary expressions other than numbers, variables and parentheses."""

    def cast_type(self) -> CType | None:
        """Parse `(type)`; None, at the same token, for a value such as `(float(x))`."""

    def primary(self) -> Expr:
        """Parse a primary expression other than a number, a variable and parentheses."""

    def span_of_string(self) -> ast.Span:
        """Skip neighbouring string literals and give their span."""

    def string(self, first: int) -> str:
        """Resolve the string literals from a token up to this one, joined."""

    def reinterpreted_place(self, span: ast.Span, kind: Reference, value: Expr) -> Expr:
        """Make the place that a cast to `T &` names: `*(T *)&x`."""


class Expressions(Protocol):
    """Parses expressions."""

    def expression(self) -> Expr:
        """Parse an expression."""

    def assignment(self) -> Expr:
        """Parse an expression without commas at its top."""

    def operand(self) -> Expr:
        """Parse what a prefix operator applies to."""

    def member_template_arguments(self, name: str) -> tuple[CType | Expr, ...]:
        """Parse the arguments of a template inside of a struct, where any are given."""

    def variable(self, span: ast.Span, name: str, entry: VariableEntry) -> Expr:
        """Return the use of a variable; a literal is its value."""

    def inside(self, read: Callable[[], Expr]) -> Expr:
        """Parse inside brackets, where `>` compares."""

    def close(self, opened: int) -> None:
        """Skip the bracket that closes another one."""

    def arguments(self) -> tuple[Expr, ...]:
        """Parse the arguments of a call, or the values of a struct."""


class IdExpressions(Protocol):
    """Parses expressions that begin with a name."""

    def refuse_keyword(self, text: str) -> Expr:
        """Refuse a keyword that begins no expression; `operator+(a, b)` is a call."""

    def id_expression(self) -> Expr:
        """Parse an expression that begins with a name: a variable, a call, a construction."""

    def converted(self, span: ast.Span, kind: CType, values: tuple[Expr, ...], first: int) -> Expr:
        """Make `type(values)`."""


class Initialisers(Protocol):
    """Parses initialisers."""

    def initialiser(self, kind: CType) -> tuple[Expr | tuple[Expr, ...] | None, CType]:
        """Parse an initialiser; return it and the type of the variable, whose length may be that of the value."""

    def copies_braces(self, kind: CType) -> bool:
        """Return whether `({ … })` is here and is no constructor's argument."""

    def braces_in_parentheses(self, kind: CType) -> Expr:
        """Parse `({ … })`, which is copied."""

    def braces(self, kind: CType) -> Expr:
        """Parse `{ … }` as a value of a type; AUTO where the place decides it."""

    def default_initialisation(self, kind: CType) -> Expr | tuple[Expr, ...] | None:
        """Return the value of a variable without an initialiser, by default members and constructor."""

    def construct(self, span: ast.Span, kind: Struct, values: tuple[Expr, ...]) -> Expr:
        """Make a struct of values; members that have a default take it where no constructor decides."""

    def default(self, kind: CType, default: Default) -> Expr:
        """Parse the default value of a member, in the names that are visible where it stands."""


class Declarations(Protocol):
    """Parses declarations."""

    def declaration(self) -> tuple[ast.Variable, ...]:
        """Parse the variables that a declaration declares; a prototype declares none."""

    def local_declaration(self) -> tuple[ast.Variable, ...]:
        """Parse a declaration in a function; variables with static storage are moved to those of the file."""

    def variable(self, found: Specifiers) -> ast.Variable | None:
        """Parse one declarator and its value; None for a function's prototype."""

    def parts_of(self, kind: CType, value: Expr | tuple[Expr, ...] | None) -> dict[str | int, int | float | bool]:
        """Return the values of a constant's elements or members, as far as numbers are given for them."""

    def after_parameters(self) -> None:
        """Skip what may follow the parameters of a function."""

    def enum(self) -> CType:
        """Parse an enum: each enumerator becomes a const variable of its type."""

    def type_definition(self) -> tuple[ast.Variable, ...]:
        """Parse `typedef` or `using`: the name is known from here on. Return the enumerators inside."""

    def parameters(self) -> tuple[ast.Parameter, ...]:
        """Parse the parameters of a function; an array arrives as a pointer."""

    def open_enum(self) -> None:
        """Make the enumerators of `using enum E;`, if that is here, known without their enum."""

    def define_static_member(self, full: str) -> None:
        """Parse the value of a static member outside of its struct: `__device__ int S::n = 5;`."""

    def move_to_file(self, full: str, variable: ast.Variable) -> VariableEntry:
        """Move a variable to those of the file, under the name `S_name` for `S::name`."""


class Statements(Protocol):
    """Parses statements."""

    def statement(self) -> Statement:
        """Parse a statement."""

    def body(self) -> Statement:
        """Parse the statement of an if or a loop: a declaration there is visible only there."""

    def function_body(self, returns: CType) -> ast.Block:
        """Parse the body of a function that returns this."""

    def condition(self) -> ast.Expr:
        """Parse a condition in its parentheses."""

    def switch(self, first: int, value: ast.Expr) -> Statement:
        """Parse the block of a switch. Its cases are statements of that block."""

    def static_assert(self) -> Statement:
        """Check a static_assert."""


class RangeStatements(Protocol):
    """Parses statements that are short for longer ones, and returns those."""

    def names_in_condition(self, opened: int) -> bool:
        """Return whether the parentheses of an if, while or switch declare something, or hold a statement first."""

    def if_with_names(self, first: int) -> Statement:
        """Parse an if whose condition declares names: they are visible in both of its arms."""

    def switch_with_names(self) -> Statement:
        """Parse a switch, which may declare names in its condition: they are visible in its cases."""

    def while_with_names(self, first: int) -> Statement:
        """Parse a while that declares a name: it is declared anew, and tested, in each round."""

    def is_range(self, opened: int) -> bool:
        """Return whether the parentheses of a for hold `declaration : range`."""

    def range_for(self, first: int, opened: int) -> Statement:
        """Parse the rest of a for over a range, from its declaration on."""


class Functions(Protocol):
    """Parses functions."""

    def has_constructed_value(self, kind: CType) -> bool:
        """Return whether a default-initialised variable of this type has a value, by its constructor."""

    def is_member(self, kind: CType, name: str) -> bool:
        """Return whether a struct has a function of this name that works on an object."""

    def function(
        self, owner: Struct | None = None, arguments: tuple[CType | FunctionName | Value, ...] = ()
    ) -> ast.Function | None:
        """Parse a function; None for a prototype."""

    def plain_constructor(self, owner: Struct) -> Function:
        """Return the constructor of a union, of which braces would give the first member alone."""


class Structs(Protocol):
    """Parses structs."""

    def elaborated(self) -> CType:
        """Parse `struct S`, `enum E`, and their definitions."""

    def struct(self, instance: str = "", arguments: tuple[Argument, ...] = ()) -> CType:
        """Parse a struct; `instance` is the name of a template's instance, which has these arguments."""


class Members(Protocol):
    """Parses the members of structs."""

    def member_of(self, draft: Draft) -> None:
        """Parse one member."""

    def functions_of(self, owner: types.Struct, draft: Draft) -> None:
        """Parse the functions, now that all members are known; what cannot be parsed is left out."""


class TemplateParameters(Protocol):
    """Parses the parameters of templates."""

    def bind(
        self, owner: str, arguments: Sequence[Argument | None] | None
    ) -> tuple[list[ast.TemplateParameter], list[Argument]]:
        """Parse a template's parameters and give each name its argument; without arguments, leave them open."""

    def bind_parameter(self, parameter: ast.TemplateParameter, argument: Argument) -> None:
        """Bind a template parameter to its argument."""

    def template_arguments(self) -> tuple[CType | Expr, ...]:
        """Parse template arguments; constants arrive as numbers."""

    def argument_in_angles(self) -> CType | Expr:
        """Parse one template argument: a type, the name of a template, or a constant."""

    def close_angle(self) -> None:
        """Skip the `>` that closes template arguments, which may be half of a `>>`."""


class StructTemplates(Protocol):
    """Parses instances of templates of types."""

    def count_instance(self, first: int, name: str) -> None:
        """Count an instance of a template that is parsed; refuse one too many."""

    def struct_template(self, first: int, head: int, outline: Outline, owner: Draft | None = None) -> None:
        """Note a template of structs, or a specialisation of one; `owner` is the struct that it is a member of."""

    def values_of(self, arguments: Sequence[CType | ast.Expr]) -> list[Argument]:
        """Return template arguments as what they are: types, functions and numbers."""

    def instance(self, template: TypeTemplate, first: int) -> CType:
        """Parse the arguments of a template of types and give the type."""

    def type_elsewhere(self, first: int, name: str, levels: list[dict[str, Entry]]) -> Entry:
        """Parse the definition of a type's name at a token, in the scopes that are visible there."""

    def instance_of(self, template: StructTemplate, values: list[Argument]) -> CType:
        """Give the instance of a template of structs."""

    def constant_instance(
        self, first: int, name: str, template: VariableTemplate, arguments: tuple[CType | ast.Expr, ...]
    ) -> ast.Expr:
        """Give the value of a constant with parameters."""


class FunctionTemplates(Protocol):
    """Parses templates, and instances of function templates."""

    def expression_type(self, expression: Expr) -> CType | None:
        """Return the type of an expression, as far as the text determines them."""

    def all_functions(self) -> tuple[ast.Function, ...]:
        """Return the functions that are parsed so far."""

    def template(self) -> None:
        """Parse a template, from its first word."""

    def member_template(self, owner: Struct, first: int) -> None:
        """Parse a function template in a struct."""

    def keep_prototypes(self) -> None:
        """Take in the templates that have specialisations alone; a kernel without any is another file's."""


class Grammar(Protocol):
    """All parts."""

    @property
    def lookahead(self) -> LookAhead:
        """Lookahead."""
        ...

    @property
    def types(self) -> TypeSpecifiers:
        """Types."""
        ...

    @property
    def declarators(self) -> Declarators:
        """Declarators."""
        ...

    @property
    def packs(self) -> Packs:
        """Packs."""
        ...

    @property
    def primaries(self) -> PrimaryExpressions:
        """Primaries."""
        ...

    @property
    def expressions(self) -> Expressions:
        """Expressions."""
        ...

    @property
    def names(self) -> IdExpressions:
        """Names."""
        ...

    @property
    def initialisers(self) -> Initialisers:
        """Initialisers."""
        ...

    @property
    def declarations(self) -> Declarations:
        """Declarations."""
        ...

    @property
    def statements(self) -> Statements:
        """Statements."""
        ...

    @property
    def ranges(self) -> RangeStatements:
        """Ranges."""
        ...

    @property
    def functions(self) -> Functions:
        """Functions."""
        ...

    @property
    def structs(self) -> Structs:
        """Structs."""
        ...

    @property
    def members(self) -> Members:
        """Members."""
        ...

    @property
    def template_arguments(self) -> TemplateParameters:
        """Template arguments."""
        ...

    @property
    def struct_templates(self) -> StructTemplates:
        """Struct templates."""
        ...

    @property
    def function_templates(self) -> FunctionTemplates:
        """Function templates."""
        ...
