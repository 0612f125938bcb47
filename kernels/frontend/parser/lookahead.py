"""Look-ahead: whether a type, a declaration or an expression begins at a token."""

from __future__ import annotations

from typing import Final

from kernels.frontend.headers.standard import NAMES as STANDARD
from kernels.frontend.parser.cursor import KEYWORDS
from kernels.frontend.parser.part import Part
from kernels.frontend.parser.scope import FunctionTemplate, OmittedType, TypeTemplate, VariableEntry
from kernels.frontend.types import CType

NUMERIC: Final = {"bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double"}

SPACES: Final = {"__global__", "__device__", "__host__", "__shared__", "__constant__", "__managed__"}

IGNORED: Final = {
    *("__restrict__", "__restrict", "restrict", "inline", "__inline__", "__inline", "static", "register"),
    *("volatile", "__volatile__", "__forceinline__", "__noinline__", "constexpr", "const", "extern", "mutable"),
    *("explicit", "__grid_constant__", "typename", "__extension__", "friend"),
}
"""Specifiers without an effect beyond `Specifiers.words`."""

WITH_LIST: Final = {
    "__launch_bounds__",
    "__attribute__",
    "__declspec",
    "__cluster_dims__",
    "__maxnreg__",
    "__block_size__",
}
"""Attributes before a declarator whose parentheses are skipped."""

ATTRIBUTE_STARTS: Final = WITH_LIST | {"["}
"""First tokens of attributes; `skip_attribute` decides."""

ELABORATED: Final = {"struct", "class", "union", "enum"}

OPERATORS: Final = {"and", "or", "xor", "bitand", "bitor", "and_eq", "or_eq", "xor_eq", "not_eq"}

QUALIFIERS: Final = SPACES | IGNORED | WITH_LIST | {"alignas"}

DECLTYPE: Final = {"decltype", "typeof", "__typeof__"}

TYPE_WORDS: Final = NUMERIC | QUALIFIERS | ELABORATED | DECLTYPE | {"void", "auto", "thread_local"}


class LookAhead(Part):
    """Decides from visible names and the next tokens, without parsing them."""

    def starts_type(self, index: int) -> bool:
        """Return whether a type begins at a token, with its name or a specifier."""
        if self.kinds[index] != "name":
            following = index + 1
            is_name = self.kinds[following] == "name" and self.texts[following] not in TYPE_WORDS
            return self.texts[index] == "::" and is_name and self.starts_type(following)
        text = self.texts[index]
        if text in TYPE_WORDS:
            return True
        while self.texts[index + 1] == "::" and self._is_namespace(index):
            index += 2
            text = self.texts[index]
        found = self.state.scopes.find(text)
        return isinstance(found, CType | OmittedType) or (
            isinstance(found, TypeTemplate) and self.texts[index + 1] == "<"
        )

    # C++ parses what can be a declaration as one ("the most vexing parse"). With a type Tile and a variable x
    #   Tile t(x);      declares t      Tile(x);       is here a value, as in `Tile(x).sum();`
    #   Tile (*p)[4];   declares p      float(x) * 2;  is an expression
    #   Tile * p;       declares p      x * p;         is an expression
    # so a parenthesis after a type begins a declarator only if `*` or `&` follows it, and after it no member access.
    def declares(self) -> bool:
        """Return whether a declaration begins here, not an expression such as `float(x)` or `S::f()`."""
        at = self.tokens.at
        if not self.starts_type(at):
            return self._unknown_type(at)
        text = self.texts[at]
        if text in DECLTYPE:
            at = self.closes.get(at + 1, at)
        typename = text == "typename"
        if text in ELABORATED or (text in QUALIFIERS and not typename):
            return True
        if text in TYPE_WORDS and not typename:
            following = self.texts[at + 1]
            return following != "{" and (following != "(" or self.texts[at + 2] in ("*", "&"))
        end, is_type = (self._past_typename(at), True) if typename else self._past_name(at)
        if not is_type and ">" in self.texts[at:end] and self.texts[end - 2] == "::":
            after = self.grammar.types.past_type()
            is_type, end = after >= end, max(after, end)
        following, then = self.texts[end], self.texts[end + 1]
        if not is_type:
            return self.kinds[end] == "name" and following not in OPERATORS
        if following != "(":
            return following != "{"
        return then in ("*", "&") and self.texts[self.closes[end] + 1] not in (
            ".",
            "->",
            "++",
            "--",
        )

    def _past_typename(self, at: int) -> int:
        """Return the token after `typename T::template A<int>::type`."""
        texts = self.texts
        while True:
            at += 2 if texts[at + 1] in ("template", "::") else 1
            at = self.tokens.past_angles(at + 1) if texts[at + 1] == "<" else at + 1
            if texts[at] != "::":
                return at

    def _past_name(self, at: int) -> tuple[int, bool]:
        """Return the token after a type's name, and whether it is a type: `S::T` is one, `S::f` is none."""
        texts = self.texts
        at += texts[at] == "::"
        while texts[at + 1] == "::" and self._is_namespace(at):
            at += 2
        owner, is_type = texts[at], True
        at += 1
        if texts[at] == "<":
            owner, at = "", self.tokens.past_angles(at)
        while texts[at] == "::" and is_type:
            owner = f"{owner}::{texts[at + 1]}"
            found = self.state.scopes.find(owner)
            is_type = isinstance(found, CType | TypeTemplate)
            at += 2
            if isinstance(found, TypeTemplate) and texts[at] == "<":
                at = self.tokens.past_angles(at)
        return at, is_type

    def _unknown_type(self, at: int) -> bool:
        """Return whether an undeclared name is used as a type: `Foo x`, `Foo *p =`."""
        texts, kinds = self.texts, self.kinds
        while texts[at + 1] == "::":
            at += 2
        if kinds[at] != "name" or texts[at] in KEYWORDS or texts[at] in ("not", "compl"):
            return False
        if self.state.scopes.find(texts[at]) is not None:
            return False
        following = at + 1
        if texts[following] == "<":
            following = self.tokens.past_angles(following)
        if kinds[following] == "name":
            return texts[following] not in OPERATORS
        if texts[following] in ("*", "&") and kinds[following + 1] == "name":
            return texts[following + 2] in ("=", ";", ",")
        return False

    def _is_namespace(self, at: int) -> bool:
        """Return whether a name is a namespace's; of thrust, only names that equal standard ones are supported."""
        if self.texts[at] == "thrust":
            return self.texts[at + 2] in STANDARD or self.texts[at + 2] in ("min", "max")
        return self.texts[at] in self.state.namespaces

    def skip_namespaces(self) -> None:
        """Skip `::` and the names of namespaces."""
        if self.texts[self.tokens.at] == "::":
            self.tokens.at += 1
        while self.texts[self.tokens.at + 1] == "::" and self._is_namespace(self.tokens.at):
            if isinstance(self.state.scopes.find(self.texts[self.tokens.at]), CType):
                break
            self.tokens.at += 2

    def skip_attribute(self) -> bool:
        """Skip `[[…]]`, `__attribute__((…))` and the like."""
        text = self.texts[self.tokens.at]
        if text in WITH_LIST and self.texts[self.tokens.at + 1] == "(":
            self.tokens.at = self.closes[self.tokens.at + 1] + 1
            return True
        if text == "[" and self.texts[self.tokens.at + 1] == "[":
            self.tokens.at = self.closes[self.tokens.at] + 1
            return True
        return False

    def is_variable(self, name: str) -> bool:
        """Return whether a name is that of a variable."""
        return isinstance(self.state.scopes.find(name), VariableEntry)

    def is_template(self, name: str) -> bool:
        """Return whether `<` after a name opens template arguments."""
        return isinstance(self.state.scopes.find(name), FunctionTemplate)
