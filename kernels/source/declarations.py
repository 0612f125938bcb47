"""The grammar's declarations -> our nodes: variables, enumerators, typedefs, parameters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kernels.source import nodes
from kernels.source.expressions import ExpressionReader
from kernels.source.typenames import Declared
from kernels.source.types import INT, Array, Pointer, Scalar, Void

if TYPE_CHECKING:
    from tree_sitter import Node

    from kernels.source.nodes import Expr, Space
    from kernels.source.typenames import Specifiers
    from kernels.source.types import CType


class DeclarationReader(ExpressionReader):
    """Reads declarations."""

    # declaration: specifiers init_declarator (',' init_declarator)* ';'
    def declaration(self, node: Node) -> tuple[nodes.Variable, ...]:
        """Read the variables that a declaration declares; a prototype declares none."""
        if node.type == "enum_specifier":
            return self.enumerators(node)
        found = self.specifiers(node)
        kind = self.field(node, "type")
        before = self.enumerators(kind) if kind.type == "enum_specifier" else ()
        declarators = node.children_by_field_name("declarator")
        made = (self._variable(found, declarator) for declarator in declarators)
        return (*before, *(variable for variable in made if variable is not None))

    # init_declarator: declarator ('=' initialiser | '(' expression ')' | '{' … '}')?
    def _variable(self, found: Specifiers, node: Node) -> nodes.Variable | None:
        value_node = node.child_by_field_name("value") if node.type == "init_declarator" else None
        inner = self.field(node, "declarator") if node.type == "init_declarator" else node
        dynamic = {"extern", "__shared__"} <= found.words
        length = 0 if dynamic else self._listed(value_node)
        declared = self.declarator(inner, found.type, const=found.const, length=length)
        if declared.parameters is not None:
            return None
        self._check(declared, found, dynamic=dynamic)
        value = self._initialiser(value_node, declared.type) if value_node is not None else None
        known = None
        if (
            declared.const
            and isinstance(declared.type, Scalar)
            and value is not None
            and not isinstance(value, tuple)
        ):
            known = self.constant(nodes.Cast(value.span, declared.type, value))
        self.know(declared.name, known)
        return nodes.Variable(
            self.span(node), declared.name, declared.type, _space(found.words), declared.const, dynamic, value
        )

    def _check(self, declared: Declared, found: Specifiers, *, dynamic: bool) -> None:
        if not declared.name:
            self.refuse(declared.node, "syntax error: this declaration has no name")
        if isinstance(declared.type, Void):
            self.refuse(
                declared.node, f"'{declared.name}' cannot be void; did you mean void *{declared.name}?"
            )
        if dynamic and not (isinstance(declared.type, Array) and declared.type.length == 0):
            self.refuse(
                declared.node,
                f"extern __shared__ '{declared.name}' is an array without a length: {declared.name}[]",
            )
        if "extern" in found.words and not dynamic:
            self.unsupported(found.node, f"extern variable '{declared.name}'", "define it in this file")

    def _listed(self, value: Node | None) -> int | None:
        """Return how many elements an initialiser lists: the length of `[]`."""
        if value is None:
            return None
        return sum(1 for _ in self.named(value)) or None if value.type == "initializer_list" else None

    # initialiser: expression | '(' expression ')' | '{' (initialiser (',' initialiser)*)? '}'
    def _initialiser(self, node: Node, kind: CType) -> Expr | tuple[Expr, ...]:
        if node.type not in ("initializer_list", "argument_list"):
            if isinstance(kind, Array):
                self.refuse(node, "an array is initialised with { … }")
            return self.expression(node)
        if isinstance(kind, Array):
            if node.type != "initializer_list":
                self.refuse(node, "an array is initialised with { … }")
            return tuple(self._elements(node, kind))
        inside = list(self.named(node))
        if len(inside) > 1:
            self.refuse(node, f"{len(inside)} values for one {kind}")
        if not inside:
            return nodes.Number(self.span(node), 0, kind if isinstance(kind, Scalar) else INT)
        value = self._initialiser(inside[0], kind)
        assert not isinstance(value, tuple)
        return value

    def _elements(self, node: Node, kind: Array) -> list[Expr]:
        """Flatten nested lists, inner ones filled up with zeros; what is missing at the end stays so."""
        values: list[Expr] = []
        count = math.prod(kind.shape)
        part = count // kind.length
        for child in self.named(node):
            if child.type == "initializer_list" and isinstance(kind.of, Array):
                with self.deeper(child):
                    inner = self._elements(child, kind.of)
                zero = nodes.Number(self.span(child), 0, INT)
                values += [zero] * (-len(values) % part) + inner + [zero] * (part - len(inner))
            elif child.type == "initializer_pair":
                self.unsupported(child, "designated initialiser", "list the values in order")
            else:
                values.append(self.expression(child))
            if len(values) > count:
                self.refuse(child, f"too many values for {kind}")
        return values

    # enum_specifier: 'enum' name? '{' (name ('=' constant)?) , … '}'
    def enumerators(self, node: Node) -> tuple[nodes.Variable, ...]:
        """Read an enum: each enumerator becomes a const int."""
        if any(child.type in ("class", "struct") for child in node.children):
            self.unsupported(node, "enum class", "a plain enum")
        name = node.child_by_field_name("name")
        if name is not None:
            self.know_type(self.text(name), INT)
        body = node.child_by_field_name("body")
        made: list[nodes.Variable] = []
        following = 0
        for child in self.named(body) if body is not None else ():
            given = child.child_by_field_name("value")
            if given is not None:
                value = self.constant(self.expression(given))
                if value is None or isinstance(value, float):
                    self.refuse(
                        given, "an enumerator needs a whole number that is known before the kernel runs"
                    )
                following = int(value)
            own, span = self.text(self.field(child, "name")), self.span(child)
            self.know(own, following)
            number = nodes.Number(span, abs(following), INT)
            made.append(
                nodes.Variable(
                    span,
                    own,
                    INT,
                    const=True,
                    value=nodes.Unary(span, "-", number) if following < 0 else number,
                )
            )
            following += 1
        return tuple(made)

    # type_definition: 'typedef' specifiers declarator+ ';'   alias_declaration: 'using' name '=' type ';'
    def type_definition(self, node: Node) -> None:
        """Read `typedef` or `using`: the name is known from here on."""
        if node.type == "alias_declaration":
            self.know_type(
                self.text(self.field(node, "name")), self.type_descriptor(self.field(node, "type"))
            )
            return
        kind = self.type_name(self.field(node, "type"))
        const = any(self.text(child) == "const" for child in node.children)
        for declarator in node.children_by_field_name("declarator"):
            declared = self.declarator(declarator, kind, const=const)
            if declared.parameters is not None:
                self.unsupported(node, "function type")
            self.know_type(declared.name, declared.type)

    # parameter_list: '(' (parameter (',' parameter)*)? ')'
    def parameters(self, node: Node) -> tuple[nodes.Parameter, ...]:
        """Read the parameters of a function; an array arrives as a pointer."""
        children = [child for child in node.children if child.type not in ("(", ")", ",")]
        if len(children) == 1 and self.text(children[0]) == "void":
            return ()
        return tuple(self._parameter(child) for child in children)

    # parameter: specifiers declarator
    def _parameter(self, node: Node) -> nodes.Parameter:
        if node.type == "optional_parameter_declaration":
            self.unsupported(node, "default argument", "pass every argument")
        if node.type != "parameter_declaration":
            self.unsupported(node, f"parameter '{self.text(node)}'")
        found = self.specifiers(node)
        declarator = node.child_by_field_name("declarator")
        if declarator is None:
            declared = Declared(node, "", found.type, found.const)
        else:
            declared = self.declarator(declarator, found.type, const=found.const, length=0)
        if declared.parameters is not None:
            self.unsupported(node, "function pointer")
        kind = declared.type
        if isinstance(kind, Void):
            self.refuse(node, "a parameter cannot be void")
        if isinstance(kind, Array):
            kind = Pointer(kind.of, declared.const)
        self.know(declared.name, None)
        return nodes.Parameter(self.span(node), declared.name, kind)


def _space(words: frozenset[str]) -> Space:
    for word, space in (("__shared__", "shared"), ("__constant__", "constant"), ("__device__", "global")):
        if word in words:
            return space  # type: ignore[return-value]
    return "auto"
