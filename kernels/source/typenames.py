"""The grammar's type names and declarators -> `kernels.source.types`."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kernels.errors import InputError
from kernels.source import types
from kernels.source.constant import evaluate
from kernels.source.tree import KEYWORDS, Reader
from kernels.source.types import VOID, Array, Pointer, Void

if TYPE_CHECKING:
    from tree_sitter import Node

    from kernels.source.constant import Value
    from kernels.source.layout import Preprocessed
    from kernels.source.nodes import Expr
    from kernels.source.types import CType, Scalar

_SPELLINGS: Final[dict[str, Scalar]] = {
    **types.SCALARS,
    "signed char": types.CHAR, "int8_t": types.CHAR, "uint8_t": types.UCHAR, "uchar": types.UCHAR,
    "char8_t": types.UCHAR, "int16_t": types.SHORT, "uint16_t": types.USHORT, "ushort": types.USHORT,
    "signed": types.INT, "int32_t": types.INT,
    "unsigned": types.UINT, "uint32_t": types.UINT, "uint": types.UINT,
    "long": types.LONG, "int64_t": types.LONG, "ptrdiff_t": types.LONG, "ssize_t": types.LONG,
    "intptr_t": types.LONG, "unsigned long": types.ULONG, "ulong": types.ULONG, "uint64_t": types.ULONG,
    "size_t": types.ULONG, "uintptr_t": types.ULONG,
}  # fmt: skip
"""A `long` has 64 bits, as in device code for 64-bit Linux."""

_IGNORED: Final = {
    "__restrict__", "__restrict", "restrict", "inline", "__inline__", "static", "register", "volatile",
    "__forceinline__", "__noinline__", "constexpr", "const", "extern",
}  # fmt: skip
"""Words that change nothing here beyond what `Specifiers` records."""

_SPACES: Final = {"__global__", "__device__", "__host__", "__shared__", "__constant__"}
_SKIPPED: Final = {"alignas_qualifier", "launch_bounds", "attribute_declaration", "attribute_specifier"}
_MAX_LEVELS: Final = 12
_MAX_ELEMENTS: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Specifiers:
    """What stands before the declarators: the type, and the words beside it."""

    node: Node
    type: CType
    words: frozenset[str]

    @property
    def const(self) -> bool:
        """Whether the type is const."""
        return bool(self.words & {"const", "constexpr"})


@dataclass(frozen=True, slots=True)
class Declared:
    """What one declarator declares; `parameters` is the list of a function."""

    node: Node
    name: str
    type: CType
    const: bool
    parameters: Node | None = None


class TypeReader(Reader, ABC):
    """Reads types. The scopes, innermost last, hold what a name is known to be: a type or a constant."""

    def __init__(self, prepared: Preprocessed) -> None:
        super().__init__(prepared)
        self._types: list[dict[str, CType]] = [{}]
        self._constants: list[dict[str, Value | None]] = [{}]  # None: declared, value not known

    @abstractmethod
    def expression(self, node: Node) -> Expr:
        """Read an expression."""

    def open_scope(self) -> None:
        """Begin a block."""
        self._types.append({})
        self._constants.append({})

    def close_scope(self) -> None:
        """End a block: forget its names."""
        self._types.pop()
        self._constants.pop()

    def know(self, name: str, value: Value | None) -> None:
        """Make a variable visible, with its value where that is known now."""
        self._constants[-1][name] = value

    def know_type(self, name: str, kind: CType) -> None:
        """Make a type name visible."""
        self._types[-1][name] = kind

    def known_type(self, name: str) -> CType | None:
        """Return the type that a name stands for, None where it stands for none."""
        for scope, values in zip(reversed(self._types), reversed(self._constants), strict=True):
            if name in scope:
                return scope[name]
            if name in values:
                return None
        return _SPELLINGS.get(name)

    def constant(self, expression: Expr) -> Value | None:
        """Return the value of an expression, None where it is not known before the program runs."""
        known: dict[str, Value] = {}
        for scope in self._constants:
            for name, value in scope.items():
                if value is None:
                    known.pop(name, None)
                else:
                    known[name] = value
        try:
            return evaluate(expression, known)
        except InputError:
            return None

    # specifiers: (qualifier | storage | space | type)+
    def specifiers(self, node: Node) -> Specifiers:
        """Read the part of a declaration that stands before the declarators."""
        words: set[str] = set()
        declarators = set(node.children_by_field_name("declarator"))
        kind = node.child_by_field_name("type")
        if kind is None:
            self.refuse(node, f"syntax error: a type is missing before '{self.text(node)}'")
        for child in node.children:
            if child in declarators or child.type in ("compound_statement", "initializer_list"):
                break
            if child == kind or child.type in _SKIPPED or any(c.type in _SKIPPED for c in child.children):
                continue
            word = self.text(child)
            if word in _SPACES or word in _IGNORED:
                words.add(word)
            elif word not in (";", ","):
                self.unsupported(child, f"'{word}' in a declaration")
        return Specifiers(node, self.type_name(kind), frozenset(words))

    # type_name: primitive | sized | name
    def type_name(self, node: Node) -> CType:
        """Read the name of a type."""
        text = " ".join(self.text(node).split())
        if node.type in ("primitive_type", "type_identifier", "sized_type_specifier"):
            if text == "void":
                return VOID
            found = self.known_type(text) or _SPELLINGS.get(_canonical(text))
            if found is not None:
                return found
            if text in KEYWORDS:
                self.refuse(node, f"syntax error near '{text}'")
            if node.type == "type_identifier":
                self.unsupported(
                    node, f"type '{text}'", "use int, unsigned, float, double or another plain type"
                )
            self.unsupported(node, f"type '{text}'")
        if node.type == "placeholder_type_specifier":
            self.unsupported(node, "auto", "write the type")
        if node.type in ("struct_specifier", "union_specifier", "class_specifier"):
            self.unsupported(node, f"{node.type.partition('_')[0]}", "use plain variables or arrays")
        if node.type == "enum_specifier":
            return types.INT
        self.unsupported(node)

    # type_descriptor: specifiers abstract_declarator?
    def type_descriptor(self, node: Node) -> CType:
        """Read a type that stands alone: in a cast, in sizeof."""
        found = self.specifiers(node)
        declarator = node.child_by_field_name("declarator")
        if declarator is None:
            return found.type
        return self.declarator(declarator, found.type, const=found.const).type

    # declarator: name | '*' declarator | declarator '[' length? ']' | '(' declarator ')'
    #           | declarator parameter_list
    def declarator(
        self, node: Node | None, kind: CType, *, const: bool, length: int | None = None
    ) -> Declared:
        """Apply a declarator to a type. `length` is what `[]` means, where something gives it a meaning."""
        at = node
        levels = 0
        while node is not None:
            at, levels = node, levels + 1
            if levels > _MAX_LEVELS:
                self.refuse(node, f"a declaration with more than {_MAX_LEVELS} of * and []")
            inner = node.child_by_field_name("declarator")
            match node.type:
                case "identifier" | "type_identifier" | "field_identifier":
                    return Declared(node, self.text(node), kind, const)
                case "pointer_declarator" | "abstract_pointer_declarator":
                    kind = Pointer(kind, const)
                    const = any(self.text(child) == "const" for child in node.children)
                    node = inner
                case "array_declarator" | "abstract_array_declarator":
                    kind = self._array(node, kind, length)
                    node = inner
                case "parenthesized_declarator" | "abstract_parenthesized_declarator":
                    node = next(self.named(node), None)
                case "function_declarator":
                    if inner is not None and inner.type != "identifier":
                        self.unsupported(node, "function pointer", "call the function by its name")
                    made = self.declarator(inner, kind, const=const)
                    return replace(made, parameters=self.field(node, "parameters"))
                case "reference_declarator" | "abstract_reference_declarator":
                    self.unsupported(node, "reference", "pass a pointer, or return the value")
                case _:
                    self.unsupported(node)
        assert at is not None
        return Declared(at, "", kind, const)

    def _array(self, node: Node, of: CType, length: int | None) -> Array:
        size = node.child_by_field_name("size")
        if isinstance(of, Void):
            self.refuse(node, "an array of void has no elements")
        inner = node.child_by_field_name("declarator")
        if size is None:
            if length is None or (inner is not None and inner.type == "array_declarator"):
                self.refuse(node, "this array needs a length between [ and ]")
            return Array(of, length)
        count = self.constant(self.expression(size))
        if count is None:
            self.refuse(
                size,
                "the length of an array must be known before the kernel runs: "
                f"'{self.written(size)}' is not; use #define, -D, or a const int with a constant value",
            )
        if isinstance(count, float) or count < 1:
            self.refuse(size, f"the length of an array must be a whole number from 1 up, this is {count}")
        made = Array(of, int(count))
        if math.prod(made.shape) > _MAX_ELEMENTS:
            self.refuse(size, f"array of {math.prod(made.shape):,} elements")
        return made


def _canonical(text: str) -> str:
    """`int unsigned long` -> `unsigned long`: order and the word int do not matter beside another one."""
    words = [word for word in text.split() if word != "int"]
    if words.count("long") == 2:
        words = [word for word in words if word != "long"] + ["long long"]
    signed = sorted((word for word in words if word in ("signed", "unsigned")), reverse=True)
    rest = [word for word in words if word not in ("signed", "unsigned")]
    if signed == ["signed"]:
        signed = []
    return " ".join((*signed, *rest)) or "int"


def named_type(text: str) -> CType | None:
    """Return a built-in type by any of its spellings, None for anything else."""
    return _SPELLINGS.get(text) or _SPELLINGS.get(_canonical(text)) or types.VECTORS.get(text)
