"""Declarators: the `*p`, `a[4]`, `&r` and `f(…)` that give names their types."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kernels.frontend.parser.cursor import KEYWORDS
from kernels.frontend.parser.expression_types import BUILT_IN
from kernels.frontend.parser.scope import Known
from kernels.frontend.templates.packs import PackReader
from kernels.frontend.types import AUTO, Array, FunctionPointer, Pointer, Reference, Void, function_pointer

if TYPE_CHECKING:
    from kernels.frontend.types import CType

_MAX_LEVELS: Final = 12
_MAX_ELEMENTS: Final = 2**31 - 1
_OPERATORS: Final = {
    "+", "-", "*", "/", "%", "^", "&", "|", "~", "!", "=", "<", ">", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=",
    "<<", ">>", "<<=", ">>=", "==", "!=", "<=", ">=", "&&", "||", "++", "--", ",",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Declared:
    """What one declarator declares: its name (at token `index`) and type.

    `parameters` is the index of the `(` of a function's parameters. `unsized` marks an array whose first
    length its values give.
    """

    index: int
    name: str
    type: CType
    const: bool
    parameters: int | None = None
    unsized: bool = False


class DeclaratorReader(PackReader):
    """Reads declarators. `parameters_at` is a `(` that is known to open a function's parameters."""

    parameters_at = -1

    # type_id: specifiers declarator
    def type_id(self) -> CType:
        """Read a type that stands alone: in a cast, in sizeof, as a template's argument."""
        found = self.specifiers()
        if self.texts[self.at] in ("*", "&", "&&", "[", "("):
            declared = self.declarator(found.type, const=found.const)
            if declared.name:
                self.unsupported(declared.index, "a name in a type")
            if declared.parameters is not None:
                return self.function_type(declared, bare=True)
            return declared.type
        return found.type

    # declarator: ('*' | '&') qualifier* declarator | name suffix* | '(' declarator ')' suffix*
    def declarator(self, kind: CType, *, const: bool) -> Declared:
        """Apply a declarator to a type; without a name, too."""
        levels = 0
        while (text := self.texts[self.at]) in ("*", "&", "&&"):
            levels += 1
            if levels > _MAX_LEVELS:
                self.refuse(self.at, f"a declaration with more than {_MAX_LEVELS} of * and []")
            if isinstance(kind, Reference) and text == "*":
                self.refuse(self.at, "a pointer to a reference")
            if isinstance(kind, Reference):  # they collapse: & && is &
                kind = Reference(kind.to, kind.const, kind.rvalue and text == "&&")
                self.at += 1
                continue
            if isinstance(kind, FunctionPointer) and kind.bare:
                kind = replace(kind, bare=False)
            else:
                kind = Pointer(kind, const) if text == "*" else Reference(kind, const, text == "&&")
            self.at += 1
            const = False
            while self.texts[self.at] in ("const", "volatile", "__restrict__", "__restrict", "restrict"):
                const |= self.texts[self.at] == "const"
                self.at += 1
        self.skip_attribute()
        self.take("...")  # of a pack, for one of its elements
        if self.texts[self.at] == "(" and self._groups():
            return self._grouped(kind, const=const)
        index = self.at
        name = self._declared_name()
        return self._suffixes(Declared(index, name, kind, const))

    def _groups(self) -> bool:
        following = self.at + 1
        return self.texts[following] in ("*", "&", "&&", "(") or (
            self.kinds[following] == "name" and not self.starts_type(following)
        )

    def _grouped(self, kind: CType, *, const: bool) -> Declared:
        """Read `(*p)[4]` and `(*f)(int)`: what follows the parentheses applies first."""
        opened = self.at
        self.at = self.closes[opened] + 1
        around = self._suffixes(Declared(opened, "", kind, const))
        kind = around.type
        if around.parameters is not None:
            kind, const = self.function_type(around, bare=True), False
        end, self.at = self.at, opened + 1
        self.deeper()
        made = self.declarator(kind, const=const)
        self.depth -= 1
        if self.at != self.closes[opened]:
            self.near()
        self.at = end
        return made

    def function_type(self, declared: Declared, *, bare: bool = False) -> FunctionPointer:
        """Return the type of pointers to a function that is declared, or of the function itself."""
        assert declared.parameters is not None
        end, self.at = self.at, declared.parameters
        self.scopes.open()
        parameters = self.parameters()
        self.scopes.close()
        self.at = end
        return function_pointer(declared.type, [parameter.type for parameter in parameters], bare=bare)

    # declared_name: (name '::')* (name | 'operator' symbol)
    def _declared_name(self) -> str:
        parts: list[str] = []
        while self.kinds[self.at] == "name":
            text = self.texts[self.at]
            if text == "operator":
                self.at += 1
                parts.append(self.operator_name())
                break
            if text in KEYWORDS:
                break
            self.at += 1
            parts.append(text)
            if self.texts[self.at : self.at + 2] == ["::", "*"]:
                self.unsupported(self.at - 1, "pointer to a member", "pass a number that a switch tells")
            if self.texts[self.at] == "<":
                after = self.past_angles(self.at)
                member = len(parts) > 1 and self.texts[after] == "("
                if self.is_template(text) or member or self.texts[after] == "::":
                    self.at = after  # of a specialisation, or of the struct that a function belongs to
            if self.texts[self.at] != "::":
                break
            self.at += 1
        return "::".join([*(part for part in parts[:-1] if part not in self.namespaces), *parts[-1:]])

    def operator_name(self) -> str:
        """Read what follows the word operator."""
        text = self.texts[self.at]
        if text in ("(", "[") and self.closes[self.at] == self.at + 1:
            self.at += 2
            return "operator()" if text == "(" else "operator[]"
        if text not in _OPERATORS:
            self.unsupported(self.at - 1, "conversion operator", "write a function with a name")
        self.at += 1
        return f"operator{text}"

    # suffix: '[' length? ']' | '(' parameters ')'
    def _suffixes(self, made: Declared) -> Declared:
        lengths: list[tuple[int, int | None]] = []
        while self.texts[self.at] == "[" and self.texts[self.at + 1] != "[":
            if len(lengths) == _MAX_LEVELS:
                self.refuse(self.at, f"a declaration with more than {_MAX_LEVELS} of * and []")
            lengths.append((self.at + 1, self._length(made)))
        kind = made.type
        for index, length in reversed(lengths):
            if isinstance(kind, Void | Reference) or kind is AUTO:
                self.refuse(made.index, f"an array of {kind} has no elements")
            kind = Array(kind, length or 0, self._open_name(index) if self.signature else "")
            if math.prod(kind.shape) > _MAX_ELEMENTS:
                count = math.prod(kind.shape)
                self.refuse(
                    index, f"array of {count:,} elements" if count < 1e18 else "array of too many elements"
                )
        while self.skip_attribute():
            pass
        if lengths:
            return replace(made, type=kind, unsized=lengths[0][1] is None)
        if self.texts[self.at] == "(" and self._lists_parameters():
            opened = self.at
            self.at = self.closes[opened] + 1
            return replace(made, parameters=opened)
        return made

    def _open_name(self, index: int) -> str:
        """Return the name that is the length of an array where arguments are deduced; "?" for what is more."""
        found = self.scopes.find(self.texts[index])
        if isinstance(found, Known) and found.value is None and self.texts[index + 1] == "]":
            return self.texts[index]
        at, self.at = self.at, index
        known = self.texts[index] == "]" or self.constant(self.assignment()) is not None
        self.at = at
        return "" if known else "?"

    def _length(self, made: Declared) -> int | None:
        """Read `[length]`; None for `[]`, which only the first may be."""
        opened = self.at
        self.at += 1
        if self.take("]"):
            if self.texts[opened - 1] == "]":
                self.refuse(made.index, "this array needs a length between [ and ]")
            return None
        first = self.at
        count = self.constant(self.assignment())
        if self.texts[self.at] != "]":
            self.near()
        if count is None and self.signature:
            count = 1
        if count is None:
            advice = self.excused("use #define, -D, or a const int with a constant value")
            shown = self.shown(first, self.at - 1)
            missing = self._declared_nowhere(first, self.at)
            why = f", because {missing} is declared nowhere" if missing not in ("", shown) else ""
            self.refuse(
                first,
                f"the length of an array must be known before the kernel runs: '{shown}' is not{why}; {advice}",
            )
        if isinstance(count, float) or count < (not self.owners):
            self.refuse(first, f"the length of an array must be a whole number from 1 up, this is {count}")
        self.at += 1
        return int(count)

    def _declared_nowhere(self, first: int, end: int) -> str:
        """Return a name that these tokens need, or the constants that they name, and that nothing declares; or ""."""
        for at in range(first, end):
            name = self.texts[at]
            if self.kinds[at] != "name" or name in BUILT_IN or self.texts[at - 1] in (".", "->", "::"):
                continue
            found = self.scopes.find(name)
            if found is None and self.texts[at + 1] not in ("(", "::"):
                return name
            if isinstance(found, Known) and found.value is None:
                given = (at for at in range(first - 1, 0, -1) if self.texts[at : at + 2] == [name, "="])
                begin = next(given, first) + 2
                ends = (at for at in range(begin, first) if self.texts[at] in (",", ";"))
                if missing := self._declared_nowhere(begin, next(ends, begin)):
                    return missing
        return ""

    def _lists_parameters(self) -> bool:
        """Whether `(` opens the parameters of a function, not the value of a variable."""
        at = self.at
        if at == self.parameters_at or self.texts[at + 1] in (")", "..."):
            return True
        self.at += 1
        found = self.starts_type(self.at) and self.declares()
        self.at = at
        return found
