"""Declarators: `*p`, `a[4]`, `&r` and `f(…)`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.errors import UnknownArrayLength
from kernels.frontend.parser.cursor import KEYWORDS
from kernels.frontend.parser.declaration_parts import Declarator
from kernels.frontend.parser.expression_types import BUILT_IN
from kernels.frontend.parser.lookahead import ATTRIBUTE_STARTS
from kernels.frontend.parser.part import Part
from kernels.frontend.parser.scope import VariableEntry
from kernels.frontend.types import AUTO, Array, FunctionPointer, Pointer, Reference, Void, function_pointer

if TYPE_CHECKING:
    from kernels.frontend.types import CType

_MAX_LEVELS: Final = 12

_MAX_ELEMENTS: Final = 2**31 - 1

_OPERATORS: Final = {
    *("+", "-", "*", "/", "%", "^", "&", "|", "~", "!", "=", "<", ">", "+=", "-=", "*=", "/=", "%=", "^=", "&="),
    *("|=", "<<", ">>", "<<=", ">>=", "==", "!=", "<=", ">=", "&&", "||", "++", "--", ","),
}


class Declarators(Part):
    """Parses declarators."""

    # type_id: specifiers declarator
    def type_id(self) -> CType:
        """Parse a type without a name: in a cast, in sizeof, as a template argument."""
        specifiers = self.grammar.types.specifiers()
        if self.texts[self.tokens.at] in ("*", "&", "&&", "[", "("):
            declarator = self.declarator(specifiers.type, const=specifiers.const)
            if declarator.name:
                self.tokens.unsupported(declarator.index, "a name in a type")
            if declarator.parameters is not None:
                return self.function_type(declarator, bare=True)
            return declarator.type
        return specifiers.type

    # declarator: ('*' | '&') qualifier* declarator | name suffix* | '(' declarator ')' suffix*
    def declarator(self, kind: CType, *, const: bool) -> Declarator:
        """Parse a declarator, with or without a name, and apply it to a type."""
        levels = 0
        while (text := self.texts[self.tokens.at]) in ("*", "&", "&&"):
            levels += 1
            if levels > _MAX_LEVELS:
                self.tokens.refuse(self.tokens.at, f"a declaration with more than {_MAX_LEVELS} of * and []")
            if isinstance(kind, Reference) and text == "*":
                self.tokens.refuse(self.tokens.at, "a pointer to a reference")
            if isinstance(kind, Reference):  # references collapse: `& &&` is `&`
                kind = Reference(kind.to, kind.const, kind.rvalue and text == "&&")
                self.tokens.at += 1
                continue
            if isinstance(kind, FunctionPointer) and kind.bare:
                kind = replace(kind, bare=False)
            else:
                kind = Pointer(kind, const) if text == "*" else Reference(kind, const, text == "&&")
            self.tokens.at += 1
            const = False
            while self.texts[self.tokens.at] in ("const", "volatile", "__restrict__", "__restrict", "restrict"):
                const |= self.texts[self.tokens.at] == "const"
                self.tokens.at += 1
        if self.texts[self.tokens.at] in ATTRIBUTE_STARTS:
            self.grammar.lookahead.skip_attribute()
        if self.texts[self.tokens.at] == "...":  # a pack, of which one element is parsed
            self.tokens.at += 1
        if self.texts[self.tokens.at] == "(" and self._groups():
            return self._grouped(kind, const=const)
        index = self.tokens.at
        name = self._declared_name()
        return self._suffixes(Declarator(index, name, kind, const))

    def _groups(self) -> bool:
        following = self.tokens.at + 1
        return self.texts[following] in ("*", "&", "&&", "(") or (
            self.kinds[following] == "name" and not self.grammar.lookahead.starts_type(following)
        )

    def _grouped(self, kind: CType, *, const: bool) -> Declarator:
        """Parse `(*p)[4]` and `(*f)(int)`: what follows the parentheses applies first."""
        opening = self.tokens.at
        self.tokens.at = self.closes[opening] + 1
        around = self._suffixes(Declarator(opening, "", kind, const))
        kind = around.type
        if around.parameters is not None:
            kind, const = self.function_type(around, bare=True), False
        end, self.tokens.at = self.tokens.at, opening + 1
        self.tokens.enter_level()
        result = self.declarator(kind, const=const)
        self.tokens.depth -= 1
        if self.tokens.at != self.closes[opening]:
            self.tokens.refuse_token()
        self.tokens.at = end
        return result

    def function_type(self, declarator: Declarator, *, bare: bool = False) -> FunctionPointer:
        """Return the type of pointers to a declared function; with `bare`, of the function itself."""
        assert declarator.parameters is not None
        # The parameters were skipped by the declarator: parse them now, and come back.
        end, self.tokens.at = self.tokens.at, declarator.parameters
        self.state.scopes.open()
        parameters = self.grammar.declarations.parameters()
        self.state.scopes.close()
        self.tokens.at = end
        return function_pointer(declarator.type, [parameter.type for parameter in parameters], bare=bare)

    # declared_name: (name '::')* (name | 'operator' symbol)
    def _declared_name(self) -> str:
        parts: list[str] = []
        while self.kinds[self.tokens.at] == "name":
            text = self.texts[self.tokens.at]
            if text == "operator":
                self.tokens.at += 1
                parts.append(self.operator_name())
                break
            if text in KEYWORDS:
                break
            self.tokens.at += 1
            parts.append(text)
            if self.texts[self.tokens.at : self.tokens.at + 2] == ["::", "*"]:
                self.tokens.unsupported(self.tokens.at - 1, "pointer to a member", "pass an index and use a switch")
            if self.texts[self.tokens.at] == "<":
                after = self.tokens.past_angles(self.tokens.at)
                member = len(parts) > 1 and self.texts[after] == "("
                if self.grammar.lookahead.is_template(text) or member or self.texts[after] == "::":
                    self.tokens.at = after  # arguments of a specialisation, or of the struct of a member function
            if self.texts[self.tokens.at] != "::":
                break
            self.tokens.at += 1
        return "::".join([*(part for part in parts[:-1] if part not in self.state.namespaces), *parts[-1:]])

    def operator_name(self) -> str:
        """Parse the symbol after the word operator."""
        text = self.texts[self.tokens.at]
        if text in ("(", "[") and self.closes[self.tokens.at] == self.tokens.at + 1:
            self.tokens.at += 2
            return "operator()" if text == "(" else "operator[]"
        if text not in _OPERATORS:
            self.tokens.unsupported(self.tokens.at - 1, "conversion operator", "write a function with a name")
        self.tokens.at += 1
        return f"operator{text}"

    # suffix: '[' length? ']' | '(' parameters ')'
    def _suffixes(self, result: Declarator) -> Declarator:
        lengths: list[tuple[int, int | None]] = []
        while self.texts[self.tokens.at] == "[" and self.texts[self.tokens.at + 1] != "[":
            if len(lengths) == _MAX_LEVELS:
                self.tokens.refuse(self.tokens.at, f"a declaration with more than {_MAX_LEVELS} of * and []")
            lengths.append((self.tokens.at + 1, self._length(result)))
        kind = result.type
        for index, length in reversed(lengths):
            if isinstance(kind, Void | Reference) or kind == AUTO:
                self.tokens.refuse(result.index, f"an array of {kind} has no elements")
            # From the last length to the first: `int a[2][3]` is an array of 2 arrays of 3.
            kind = Array(kind, length or 0, self._open_name(index) if self.state.signature else "")
            if math.prod(kind.shape) > _MAX_ELEMENTS:
                count = math.prod(kind.shape)
                self.tokens.refuse(
                    index, f"array of {count:,} elements" if count < 1e18 else "array of too many elements"
                )
        while self.texts[self.tokens.at] in ATTRIBUTE_STARTS and self.grammar.lookahead.skip_attribute():
            pass
        if lengths:
            return replace(result, type=kind, unsized=lengths[0][1] is None)
        if self.texts[self.tokens.at] == "(" and self.lists_parameters():
            opening = self.tokens.at
            self.tokens.at = self.closes[opening] + 1
            return replace(result, parameters=opening)
        return result

    def _open_name(self, index: int) -> str:
        """Return the template parameter that is an array's length; "?" for an expression, "" for a number."""
        found = self.state.scopes.find(self.texts[index])
        if isinstance(found, VariableEntry) and found.value is None and self.texts[index + 1] == "]":
            return self.texts[index]
        at, self.tokens.at = self.tokens.at, index
        known = (
            self.texts[index] == "]" or self.grammar.types.constant(self.grammar.expressions.assignment()) is not None
        )
        self.tokens.at = at
        return "" if known else "?"

    def _length(self, result: Declarator) -> int | None:
        """Parse `[length]`; None for `[]`, which only the first may be."""
        opening = self.tokens.advance()
        if self.tokens.take("]"):
            if self.texts[opening - 1] == "]":
                self.tokens.refuse(result.index, "this array needs a length between [ and ]")
            return None
        first = self.tokens.at
        count = self.grammar.types.constant(self.grammar.expressions.assignment())
        if self.texts[self.tokens.at] != "]":
            self.tokens.refuse_token()
        # In a signature with open parameters any length is accepted; `_open_name` notes the name for deduction.
        if count is None and self.state.signature:
            count = 1
        if count is None:
            advice = self.tokens.or_missing_files("use #define, -D, or a const int with a constant value")
            shown = self.tokens.excerpt(first, self.tokens.at - 1)
            missing = self._declared_nowhere(first, self.tokens.at)
            why = f", because {missing} is declared nowhere" if missing not in ("", shown) else ""
            self.tokens.refuse(
                first,
                f"the length of an array must be known before the kernel runs: '{shown}' is not{why}; {advice}",
                UnknownArrayLength((*([missing] if missing else []), *self._names(first, self.tokens.at))),
            )
        if isinstance(count, float) or count < (not self.state.owners):
            self.tokens.refuse(first, f"the length of an array must be a whole number from 1 up, this is {count}")
        self.tokens.at += 1
        return int(count)

    def _names(self, first: int, end: int) -> list[str]:
        return [self.tokens.texts[at] for at in range(first, end) if self.tokens.kinds[at] == "name"]

    def _declared_nowhere(self, first: int, end: int) -> str:
        """Return an undeclared name that these tokens use, directly or through constants; "" for none."""
        for at in range(first, end):
            name = self.texts[at]
            if self.kinds[at] != "name" or name in BUILT_IN or self.texts[at - 1] in (".", "->", "::"):
                continue
            found = self.state.scopes.find(name)
            if found is None and self.texts[at + 1] not in ("(", "::"):
                return name
            if isinstance(found, VariableEntry) and found.value is None:
                definitions = (at for at in range(first - 1, 0, -1) if self.texts[at : at + 2] == [name, "="])
                begin = next(definitions, first) + 2
                ends = (at for at in range(begin, first) if self.texts[at] in (",", ";"))
                if missing := self._declared_nowhere(begin, next(ends, begin)):
                    return missing
        return ""

    def lists_parameters(self) -> bool:
        """Return whether `(` opens the parameters of a function, not the value of a variable."""
        at = self.tokens.at
        if at == self.state.parameters_at or self.texts[at + 1] in (")", "..."):
            return True
        self.tokens.at += 1
        found = self.grammar.lookahead.starts_type(self.tokens.at) and self.grammar.lookahead.declares()
        self.tokens.at = at
        return found
