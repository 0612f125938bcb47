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
    from kernels.frontend.preprocessor.macros import Piece
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
        """Return whether a type begins at a token, with its name or a specifier."""

    def declares(self) -> bool:
        """Return whether a declaration begins here, not an expression such as `float(x)` or `S::f()`."""

    def skip_namespaces(self) -> None:
        """Skip `::` and the names of namespaces."""

    def skip_attribute(self) -> bool:
        """Skip `[[…]]`, `__attribute__((…))` and the like."""

    def is_variable(self, name: str) -> bool:
        """Return whether a name is that of a variable."""

    def is_template(self, name: str) -> bool:
        """Return whether `<` after a name opens template arguments."""


class TypeSpecifiers(Protocol):
    """Parses types."""

    def constant(self, expression: Expr) -> Value | None:
        """Return the value of a constant expression; None if it is not known."""

    def refuse_omitted(self, index: int, name: str, entry: OmittedType) -> NoReturn:
        """Refuse a type that was left out."""

    def specifiers(self) -> Specifiers:
        """Parse the part of a declaration that is before the declarators."""

    def alignment(self) -> int:
        """Parse `alignas(…)`, in bytes."""

    def named_type(self) -> CType:
        """Parse the name of a type other than combinations such as `unsigned long`."""

    def past_type(self) -> int:
        """Return the token after the type's name that begins here, `S<T>::name`; this token if none begins."""

    def name_of(self, kind: CType, index: int) -> str:
        """Return the prefix of a type's members: a struct's name; of an enum, the name at the token."""


class Declarators(Protocol):
    """Parses declarators."""

    def type_id(self) -> CType:
        """Parse a type without a name: in a cast, in sizeof, as a template argument."""

    def declarator(self, kind: CType, *, const: bool) -> Declarator:
        """Parse a declarator, with or without a name, and apply it to a type."""

    def function_type(self, declarator: Declarator, *, bare: bool = False) -> FunctionPointer:
        """Return the type of pointers to a declared function; with `bare`, of the function itself."""

    def operator_name(self) -> str:
        """Parse the symbol after the word operator."""

    def lists_parameters(self) -> bool:
        """Return whether `(` opens the parameters of a function, not the value of a variable."""


class Packs(Protocol):
    """Expands parameter packs."""

    def expand(self, parse: Callable[[], Result], *, keep_ellipsis: bool = False) -> list[Result]:
        """Parse one part of a list; before `...`, once for each element of the packs that it names."""

    def parse_each(self, count: int, first: int, parse: Callable[[], Result]) -> list[Result]:
        """Parse a pattern once for each of `count` elements."""

    def parse_first(self, parse: Callable[[], Result]) -> tuple[Result, set[int]]:
        """Parse a pattern for the first element; return the result and the lengths of the packs that it names."""

    def open_expansion(self, pattern: CType | Expr) -> CType | Expr:
        """Return a pattern, or the expansion `pattern...` of a pack that has no argument yet."""

    def sizeof_pack(self, first: int) -> Expr:
        """Parse `sizeof...(pack)`, from the `...` on."""

    def is_fold(self, opening: int) -> bool:
        """Return whether parentheses hold `(pack + ...)` or its like."""

    def fold(self, parse: Callable[[], Expr]) -> Expr:
        """Parse a fold; `parse` parses an operand."""


class PrimaryExpressions(Protocol):
    """Parses primary expressions other than numbers, variables and parentheses."""

    def cast_type(self) -> CType | None:
        """Parse `(type)`; None, at the same token, for a value such as `(float(x))`."""

    def primary(self) -> Expr:
        """Parse a primary expression other than a number, a variable and parentheses."""

    def span_of_string(self) -> ast.Span:
        """Skip neighbouring string literals and return their span."""

    def string(self, first: int) -> str:
        """Resolve the string literals from a token up to this one, joined."""

    def reinterpret(self, span: ast.Span, kind: Reference, value: Expr) -> Expr:
        """Return the lvalue of a cast to `T &`: `*(T *)&x`."""


class Expressions(Protocol):
    """Parses expressions."""

    def expression(self) -> Expr:
        """Parse an expression."""

    def assignment(self) -> Expr:
        """Parse an expression without a comma operator at its top."""

    def operand(self) -> Expr:
        """Parse the operand of a prefix operator."""

    def member_template_arguments(self, name: str) -> tuple[CType | Expr, ...]:
        """Parse the template arguments of a member template; () if none follow."""

    def variable(self, span: ast.Span, name: str, entry: VariableEntry) -> Expr:
        """Return the use of a variable; a literal is its value."""

    def inside(self, parse: Callable[[], Expr]) -> Expr:
        """Parse inside brackets, where `>` compares."""

    def close(self, opening: int) -> None:
        """Skip the bracket that closes another one."""

    def arguments(self) -> tuple[Expr, ...]:
        """Parse the arguments of a call, or the values of a struct."""


class IdExpressions(Protocol):
    """Parses expressions that begin with a name."""

    def refuse_keyword(self, text: str) -> Expr:
        """Refuse a keyword that begins no expression; `operator+(a, b)` is a call."""

    def id_expression(self) -> Expr:
        """Parse an expression that begins with a name: a variable, a call, a construction."""

    def convert(self, span: ast.Span, kind: CType, values: tuple[Expr, ...], first: int) -> Expr:
        """Return the node of `type(values)`."""


class Initialisers(Protocol):
    """Parses initialisers."""

    def initialiser(self, kind: CType) -> tuple[Expr | tuple[Expr, ...] | None, CType]:
        """Parse an initialiser; return it and the type of the variable, whose length may be that of the value."""

    def copies_braces(self, kind: CType) -> bool:
        """Return whether `({ … })` is here, unless it is a constructor's argument."""

    def braces_in_parentheses(self, kind: CType) -> Expr:
        """Parse `({ … })`, which is copied."""

    def braces(self, kind: CType) -> Expr:
        """Parse `{ … }` as a value of a type; AUTO if the context determines it."""

    def default_initialisation(self, kind: CType) -> Expr | tuple[Expr, ...] | None:
        """Return the value of a variable without an initialiser, from default members and constructor."""

    def construct(self, span: ast.Span, kind: Struct, values: tuple[Expr, ...]) -> Expr:
        """Return a struct made of values; without a constructor, further members take their defaults."""

    def default(self, kind: CType, default: Default) -> Expr:
        """Parse the default value of a member, in the scopes of its declaration."""


class Declarations(Protocol):
    """Parses declarations."""

    def declaration(self) -> tuple[ast.Variable, ...]:
        """Parse the variables that a declaration declares; a prototype declares none."""

    def local_declaration(self) -> tuple[ast.Variable, ...]:
        """Parse a declaration in a function; variables with static storage are moved to those of the file."""

    def variable(self, specifiers: Specifiers) -> ast.Variable | None:
        """Parse one declarator and its value; None for a function's prototype."""

    def parts_of(self, kind: CType, value: Expr | tuple[Expr, ...] | None) -> dict[str | int, int | float | bool]:
        """Return the values of a constant's elements or members that are numbers."""

    def after_parameters(self) -> None:
        """Skip what may follow the parameters of a function."""

    def enum(self) -> CType:
        """Parse an enum: each enumerator becomes a const variable of its type."""

    def type_definition(self) -> tuple[ast.Variable, ...]:
        """Parse `typedef` or `using`: the name is known from here on. Return the enumerators inside."""

    def parameters(self) -> tuple[ast.Parameter, ...]:
        """Parse the parameters of a function; an array arrives as a pointer."""

    def open_enum(self) -> None:
        """Parse `using enum E;`, if it is here: make the enumerators visible without their enum."""

    def define_static_member(self, full: str) -> None:
        """Parse the value of a static member outside of its struct: `__device__ int S::n = 5;`."""

    def fold(self, variable: ast.Variable) -> ast.Variable:
        """Return a variable with numbers in place of expressions that call functions."""

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
    """Parses range-for and conditions that declare names, rewritten as plain statements."""

    def names_in_condition(self, opening: int) -> bool:
        """Return whether the parentheses of an if, while or switch hold a declaration or an init-statement."""

    def if_with_names(self, first: int) -> Statement:
        """Parse an if whose condition declares names: they are visible in both of its arms."""

    def switch_with_names(self) -> Statement:
        """Parse a switch, which may declare names in its condition: they are visible in its cases."""

    def while_with_names(self, first: int) -> Statement:
        """Parse a while that declares a name, which is declared and tested in each iteration."""

    def is_range(self, opening: int) -> bool:
        """Return whether the parentheses of a for hold `declaration : range`."""

    def range_for(self, first: int, opening: int) -> Statement:
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
        """Parse a function; return None for a prototype."""

    def plain_constructor(self, owner: Struct) -> Function:
        """Return the constructor of a union; without it, braces would initialise the first member only."""


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
        """Parse the member functions after all members; those that cannot be parsed are left out."""


class TemplateParameters(Protocol):
    """Parses the parameters of templates."""

    def bind(
        self, owner: str, arguments: Sequence[Argument | None] | None
    ) -> tuple[list[ast.TemplateParameter], list[Argument]]:
        """Parse template parameters and bind them to their arguments; without arguments, leave them open."""

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
        """Record a struct template or a specialisation of one; `owner` is the struct that it is a member of."""

    def argument(self, pieces: list[Piece]) -> Argument:
        """Parse a template argument that is not part of the file, in the scope of the file."""

    def values_of(self, arguments: Sequence[CType | ast.Expr]) -> list[Argument]:
        """Evaluate template arguments to types, functions and numbers."""

    def instance(self, template: TypeTemplate, first: int) -> CType:
        """Parse the arguments of a template and return the instance, a type."""

    def type_elsewhere(self, first: int, name: str, levels: list[dict[str, Entry]]) -> Entry:
        """Parse the definition of a type alias at a token, in the scopes that are visible there."""

    def instance_of(self, template: StructTemplate, values: list[Argument]) -> CType:
        """Return the instance of a struct template."""

    def constant_instance(
        self, first: int, name: str, template: VariableTemplate, arguments: tuple[CType | ast.Expr, ...]
    ) -> ast.Expr:
        """Return the value of an instance of a variable template."""


class FunctionTemplates(Protocol):
    """Parses templates, and instances of function templates."""

    def instantiate(self, template: ast.Template, arguments: tuple[Argument | None, ...]) -> ast.Function:
        """Return the instance of a template of this file; the same arguments give the same function again."""

    def expression_type(self, expression: Expr) -> CType | None:
        """Return the type of an expression; None if the declarations do not determine it."""

    def all_functions(self) -> tuple[ast.Function, ...]:
        """Return the functions that are parsed so far."""

    def template(self) -> None:
        """Parse a template, from its first word."""

    def member_template(self, owner: Struct, first: int) -> None:
        """Parse a function template in a struct."""

    def keep_prototypes(self) -> None:
        """Add the templates that have only specialisations; a kernel without any is left out."""


class Grammar(Protocol):
    """The parts of the parser that other parts call."""

    lookahead: LookAhead
    types: TypeSpecifiers
    declarators: Declarators
    packs: Packs
    primaries: PrimaryExpressions
    expressions: Expressions
    names: IdExpressions
    initialisers: Initialisers
    declarations: Declarations
    statements: Statements
    ranges: RangeStatements
    functions: Functions
    structs: Structs
    members: Members
    template_arguments: TemplateParameters
    struct_templates: StructTemplates
    function_templates: FunctionTemplates
