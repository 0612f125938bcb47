"""Tokens -> functions: kernels, device functions, members of structs, constructors."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from kernels.errors import SourceError
from kernels.frontend import ast
from kernels.frontend.parser.constructors import ConstructorReader, short
from kernels.frontend.parser.declarators import Declared
from kernels.frontend.parser.lookahead import DECLTYPE, QUALIFIERS
from kernels.frontend.parser.scope import OfThis
from kernels.frontend.preprocessor.declaration_outline import survey
from kernels.frontend.types import AUTO, VOID, Array, CType, FunctionName, Pointer, Reference, Struct

if TYPE_CHECKING:
    from kernels.frontend.ast import Statement
    from kernels.frontend.constant_expressions import Value
    from kernels.frontend.lexer.tokens import Text
    from kernels.frontend.parser.scope import Entry
    from kernels.frontend.preprocessor.declaration_outline import Survey
    from kernels.frontend.preprocessor.macros import Piece
    from kernels.frontend.types import CType


class FunctionReader(ConstructorReader):
    """Reads functions. `functions` holds what was read."""

    def __init__(self, source: Text, pieces: list[Piece]) -> None:
        super().__init__(source, pieces)
        self.functions: list[ast.Function] = []
        self.head = -1
        """Where the head of a template's function begins that is being read, else -1."""
        self.members: dict[str, dict[str, Entry]] = {}
        """By struct: what the names of its members mean inside of its functions."""
        self._defined: dict[tuple[str, tuple[CType, ...]], bool] = {}
        """Functions by name and parameters, and whether an enum is among these: here that is its number."""
        self._defaults: dict[tuple[str, tuple[CType, ...]], tuple[ast.Parameter, ...]] = {}

    def all_functions(self) -> tuple[ast.Function, ...]:
        """Return the functions that are read so far."""
        return tuple(self.functions)

    def makes_itself(self, kind: CType) -> bool:
        """Whether a variable of this type has a value that is given none: by a constructor that does something."""
        element = kind.element if isinstance(kind, Array) else kind
        if not isinstance(element, Struct) or element.union:
            return False
        if element.name not in self.constructors:
            return element.name in self.defaults
        read = [
            f for f in self.all_functions() if f.name == element.constructor and _takes_nothing(f.parameters)
        ]
        if read:
            return any(f.body.body for f in read)
        return any(
            name == element.constructor and _takes_nothing(parameters)
            for (name, _), parameters in self._defaults.items()
        )

    def is_member(self, kind: CType, name: str) -> bool:
        """Whether a struct has a function of this name that works on an object."""
        entry = self.members.get(kind.name, {}).get(name) if isinstance(kind, Struct) else None
        return isinstance(entry, OfThis) and entry.function and not entry.static

    # function: specifiers declarator '(' parameters ')' … (block | ';')
    def function(
        self, owner: Struct | None = None, arguments: tuple[CType | FunctionName | Value, ...] = ()
    ) -> ast.Function | None:
        """Read a function; None for a prototype.

        Parameters
        ----------
        owner : Struct | None
            The struct that it stands in.
        arguments : tuple
            What the template is given that it comes from.
        """
        first = self.at
        scopes = len(self.scopes.levels)
        outline = survey(self, first)
        outside = owner or self._owner(outline)
        if outside is not None:
            self.scopes.levels.append(self.members[outside.name])
        self.scopes.open()
        if outside is not None:
            self.know("this", outside)
        declared, words = self._head(outline, outside)
        name = declared.name.rpartition("::")[2]
        parameters, const, moved = self._parameters(declared)
        returns = self._returns(declared)
        if first == self.head:
            self.head = -1
        if outside is not None:
            entry = self.members[outside.name].get(name)
            name = f"{outside.name}::{name}"
            again = self.texts[outline.index - 1] == "::"  # where `static` is not said a second time
            if "static" not in words and not (again and isinstance(entry, OfThis) and entry.static):
                span = self.between(declared.index, declared.index)
                this = ast.Parameter(span, "this", Reference(outside, const, moved))
                parameters = (this, *parameters)
        parameters = self._with_defaults(name, parameters)
        made = None
        if not self.take(";"):
            kernel = "__global__" in words
            if kernel and returns != VOID:
                self.refuse(first, f"kernel {name} must return void")
            if not arguments:
                self._refuse_second(declared, name, parameters)
            constructor = outside is not None and outline.name == short(outside)
            body = self._define(name, outside, returns, constructor=constructor)
            made = ast.Function(self.span(first), name, kernel, returns, parameters, body, arguments)
            if "constexpr" in words and not arguments:
                self.constexpr.know(made)
        del self.scopes.levels[scopes:]
        return made

    def _owner(self, outline: Survey) -> Struct | None:
        """Return the struct of `Struct::member`."""
        index = outline.index
        if self.texts[index - 1] != "::" or self.texts[index - 2] in self.namespaces:
            return None
        found = self.scopes.find(self.texts[index - 2])
        if not isinstance(found, Struct):
            self.unsupported(
                index - 2, f"member of {self.texts[index - 2]}", "define it inside of its struct"
            )
        return found

    def _head(self, outline: Survey, owner: Struct | None) -> tuple[Declared, frozenset[str]]:
        """Read specifiers and declarator; a constructor has no type."""
        first, index = self.at, outline.index
        if owner is not None and outline.name == short(owner) and outline.function == index + 1:
            begin = self._begin_of_owner(first, index)
            words = [text for text in self.texts[first:begin] if text in QUALIFIERS]
            if len(words) == begin - first:
                self.at = self.closes[outline.function] + 1
                return Declared(
                    index, outline.name, VOID, const=False, parameters=outline.function
                ), frozenset(words)
        if owner is not None and self.texts[index] == "operator" and self.starts_type(index + 1):
            return self._conversion(outline)
        found = self.specifiers()
        if outline.function is not None:
            self.parameters_at = outline.function
        declared = self.declarator(
            found.type, const="const" in found.words
        )  # constexpr is said of the function
        if declared.parameters is None:
            self.near()
        return declared, found.words

    def _begin_of_owner(self, first: int, index: int) -> int:
        """Return where `S::` or `S<T>::` begins before a function's name; the name where there is none."""
        for at in range(first, index):
            after = self.past_angles(at + 1) if self.texts[at + 1] == "<" else at + 1
            if self.texts[after] == "::" and after == index - 1:
                return at
        return index

    def _conversion(self, outline: Survey) -> tuple[Declared, frozenset[str]]:
        """Read `operator type`, which makes a struct that type."""
        words = frozenset(text for text in self.texts[self.at : outline.index] if text in QUALIFIERS)
        self.at = outline.index + 1
        found = self.specifiers()
        kind, const = found.type, found.const
        while self.take("*"):
            kind, const = Pointer(kind, const), self.take("const")
        if self.at != outline.function:
            self.near()
        return Declared(
            outline.index, f"operator {kind}", kind, const=False, parameters=outline.function
        ), words

    def _parameters(self, declared: Declared) -> tuple[tuple[ast.Parameter, ...], bool, bool]:
        """Read the parameters, and whether the function leaves its struct alone, or is for values only (`&&`)."""
        assert declared.parameters is not None
        self.at = declared.parameters
        parameters = self.parameters()
        const = self.texts[self.at] == "const"
        moved = self.texts[self.at + const] == "&&"
        self.after_parameters()
        return parameters, const, moved

    def _returns(self, declared: Declared) -> CType:
        if not self.take("->"):
            return declared.type
        first, after = self.at, self.closes.get(self.at + 1, self.at) + 1
        if self.texts[first] not in DECLTYPE:
            return self.type_id()
        with suppress(SourceError):
            return self.type_id()
        self.at = after  # what the arguments tell, its returns tell as well
        return AUTO

    def _with_defaults(self, name: str, parameters: tuple[ast.Parameter, ...]) -> tuple[ast.Parameter, ...]:
        """Put in the default arguments that an earlier declaration gives."""
        key = name, tuple(parameter.type for parameter in parameters)
        earlier = self._defaults.get(key, parameters)
        merged = tuple(
            replace(own, default=old.default) if own.default is None else own
            for own, old in zip(parameters, earlier, strict=True)
        )
        self._defaults[key] = merged
        return merged

    def _refuse_second(self, declared: Declared, name: str, parameters: tuple[ast.Parameter, ...]) -> None:
        key = name, tuple(parameter.type for parameter in parameters)
        assert declared.parameters is not None
        words = self.texts[declared.parameters : self.closes[declared.parameters]]
        enum = not self.enums.isdisjoint(words)
        if key in self._defined:
            if enum or self._defined[key]:  # C++ tells them apart: the first is not meant instead
                self.functions[:] = [f for f in self.functions if f.name != name]
            self.unsupported(
                declared.index, f"second function '{name}'", "give each its own name or parameters"
            )
        self._defined[key] = enum

    def _define(self, name: str, owner: Struct | None, returns: CType, *, constructor: bool) -> ast.Block:
        before: list[Statement] = []
        if constructor and owner is not None:
            before = self.first_values(owner)
        if self.take("="):  # default
            first = self.at
            self.at += 1
            self.require(";")
            return ast.Block(self.span(first), tuple(before))
        if self.texts[self.at] == "try":
            self.unsupported(self.at, "try")
        self.inside_of = name
        body = self.function_body(returns)
        return ast.Block(body.span, (*before, *body.body)) if before else body


def _takes_nothing(parameters: tuple[ast.Parameter, ...]) -> bool:
    """Whether a constructor can be called without values."""
    return all(parameter.default is not None for parameter in parameters[1:])
