"""Interim front end: just enough for the catalogue's files."""

from __future__ import annotations

import re
from functools import cache

from kernels.errors import InputError, SourceError
from kernels.source import nodes as n
from kernels.source import types as t

PREC = {
    ",": 0,
    "||": 2,
    "&&": 3,
    "|": 4,
    "^": 5,
    "&": 6,
    "==": 7,
    "!=": 7,
    "<": 8,
    ">": 8,
    "<=": 8,
    ">=": 8,
    "<<": 9,
    ">>": 9,
    "+": 10,
    "-": 10,
    "*": 11,
    "/": 11,
    "%": 11,
}


@cache
def _parser():
    import warnings

    import tree_sitter
    import tree_sitter_cuda

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))


class P:
    def __init__(self, text, file, defines):
        self.file, self.text, self.defs = file, text, dict(defines)
        self.b = text.encode()
        self.tree = _parser().parse(self.b)
        self.functions, self.variables = [], []

    def span(self, x):
        a, b = x.start_point, x.end_point
        return n.Span(a[0] + 1, a[1] + 1, b[0] + 1, b[1] + 1)

    def err(self, x, why):
        s = self.span(x)
        return SourceError(self.file, s.line, s.column, why)

    def tx(self, x):
        return x.text.decode()

    def program(self):
        self.items(self.tree.root_node)
        return n.Program(
            self.file, self.text, tuple(self.defs.items()), tuple(self.functions), tuple(self.variables)
        )

    def items(self, node):
        for x in node.named_children:
            k = x.type
            if k in ("comment", "preproc_include", "preproc_call"):
                continue
            if k == "preproc_ifdef":
                want = x.children[0].type == "#ifdef"
                name = self.tx(x.child_by_field_name("name"))
                if (name in self.defs) == want:
                    self.items(x)
            elif k == "identifier" and node.type == "preproc_ifdef":
                continue
            elif k == "preproc_def":
                self.defs[self.tx(x.child_by_field_name("name"))] = self.tx(
                    x.child_by_field_name("value")
                ).strip()
            elif k == "linkage_specification":
                body = x.child_by_field_name("body")
                if body.type == "function_definition":
                    self.function(body)
                else:
                    self.items(body)
            elif k == "function_definition":
                self.function(x)
            else:
                raise self.err(x, f"not supported: {k}")

    def base_type(self, node):
        words = [
            self.tx(c)
            for c in node.children
            if c.type in ("primitive_type", "sized_type_specifier", "type_identifier")
        ]
        return {"void": t.VOID, "unsigned": t.UINT, "size_t": t.ULONG}.get(words[0]) or t.SCALARS[words[0]]

    def function(self, x):
        d = x.child_by_field_name("declarator")
        ps = []
        for p in d.child_by_field_name("parameters").named_children:
            ty, de = self.base_type(p), p.child_by_field_name("declarator")
            if de.type == "pointer_declarator":
                const = any(self.tx(c) == "const" for c in p.children)
                ps.append(n.Parameter(self.span(p), self.tx(de.named_children[-1]), t.Pointer(ty, const)))
            else:
                ps.append(n.Parameter(self.span(p), self.tx(de), ty))
        kernel = any(c.type == "__global__" for c in x.children)
        self.functions.append(
            n.Function(
                self.span(x),
                self.tx(d.child_by_field_name("declarator")),
                kernel,
                self.base_type(x),
                tuple(ps),
                self.block(x.child_by_field_name("body")),
            )
        )

    def block(self, x):
        return n.Block(self.span(x), tuple(self.stmt(c) for c in x.named_children if c.type != "comment"))

    def stmt(self, x):
        k, s, f = x.type, self.span(x), x.child_by_field_name
        if k == "compound_statement":
            return self.block(x)
        if k == "declaration":
            return self.declaration(x)
        if k == "expression_statement":
            return n.Do(s, self.expr(x.named_children[0]))
        if k == "if_statement":
            c = f("condition")
            h = n.Span(s.line, s.column, self.span(c).end_line, self.span(c).end_column)
            alt = f("alternative")
            return n.If(
                s,
                h,
                self.expr(c.child_by_field_name("value")),
                self.stmt(f("consequence")),
                None if alt is None else self.stmt(alt.named_children[0]),
            )
        if k == "for_statement":
            body = f("body")
            close = next(c for c in x.children if c.type == ")")
            h = n.Span(s.line, s.column, self.span(close).end_line, self.span(close).end_column)
            i = f("initializer")
            st = (
                None
                if i is None
                else self.stmt(i)
                if i.type == "declaration"
                else n.Do(self.span(i), self.expr(i))
            )
            return n.For(
                s,
                h,
                st,
                self.expr(f("condition")) if f("condition") else None,
                self.expr(f("update")) if f("update") else None,
                self.stmt(body),
            )
        if k == "while_statement":
            c = f("condition")
            h = n.Span(s.line, s.column, self.span(c).end_line, self.span(c).end_column)
            return n.While(s, h, self.expr(c.child_by_field_name("value")), self.stmt(f("body")))
        if k == "return_statement":
            return n.Return(s, self.expr(x.named_children[0]) if x.named_children else None)
        if k == "break_statement":
            return n.Break(s)
        if k == "continue_statement":
            return n.Continue(s)
        raise self.err(x, f"not supported: {k}")

    def declaration(self, x):
        space = "shared" if any(self.tx(c) == "__shared__" for c in x.children) else "auto"
        ty, vs = self.base_type(x), []
        for d in x.children_by_field_name("declarator"):
            val = None
            sp = self.span(d)
            if d.type == "init_declarator":
                val = self.expr(d.child_by_field_name("value"))
                d = d.child_by_field_name("declarator")
            dims = []
            while d.type == "array_declarator":
                dims.append(int(evaluate(self.expr(d.child_by_field_name("size")), {})))
                d = d.child_by_field_name("declarator")
            vt = ty
            for m in dims:
                vt = t.Array(vt, m)
            vs.append(n.Variable(sp, self.tx(d), vt, space, value=val))
        return n.Declare(self.span(x), tuple(vs))

    def expr(self, x):
        k, s, f = x.type, self.span(x), x.child_by_field_name
        if k == "parenthesized_expression":
            return self.expr(x.named_children[0])
        if k == "identifier":
            name = self.tx(x)
            if name in self.defs:
                return n.Number(s, int(self.defs[name]), t.INT)
            return n.Name(s, name)
        if k == "number_literal":
            w = self.tx(x)
            if re.search(r"[.]|[eE](?!.*x)", w) and not w.startswith("0x"):
                return n.Number(s, float(w.rstrip("fF")), t.FLOAT if w[-1] in "fF" else t.DOUBLE)
            return n.Number(s, int(w.rstrip("uUlL"), 0), t.INT)
        if k == "string_literal":
            return n.String(s, bytes(self.tx(x)[1:-1], "utf-8").decode("unicode_escape"))
        if k == "binary_expression":
            return n.Binary(s, self.tx(f("operator")), self.expr(f("left")), self.expr(f("right")))
        if k in ("unary_expression", "pointer_expression"):
            return n.Unary(s, self.tx(f("operator")), self.expr(f("argument")))
        if k == "conditional_expression":
            return n.Conditional(
                s, self.expr(f("condition")), self.expr(f("consequence")), self.expr(f("alternative"))
            )
        if k == "assignment_expression":
            return n.Assign(s, self.tx(f("operator")), self.expr(f("left")), self.expr(f("right")))
        if k == "update_expression":
            return n.Update(
                s, self.tx(f("operator")), x.children[0].type in ("++", "--"), self.expr(f("argument"))
            )
        if k == "subscript_expression":
            return n.Index(s, self.expr(f("argument")), self.expr(f("indices").named_children[0]))
        if k == "field_expression":
            return n.Member(s, self.expr(f("argument")), self.tx(f("field")))
        if k == "call_expression":
            return n.Call(
                s, self.tx(f("function")), tuple(self.expr(c) for c in f("arguments").named_children)
            )
        raise self.err(x, f"not supported: {k}")


def parse(text, file, defines=()):
    return P(text, file, defines).program()


@cache
def parse_expression(text):
    p = parse("__device__ void f() { (" + text + "); }", text)
    return p.functions[0].body.body[0].expression


def _name(e):
    if isinstance(e, n.Name):
        return e.id
    if isinstance(e, n.Member):
        return f"{_name(e.base)}.{e.field}"
    raise InputError("not a scalar expression")


def evaluate(e, names):
    if isinstance(e, n.Number):
        return e.value
    if isinstance(e, n.Name | n.Member):
        try:
            return names[_name(e)]
        except KeyError:
            raise InputError(f"unknown name {_name(e)}") from None
    if isinstance(e, n.Conditional):
        return evaluate(e.then if evaluate(e.condition, names) else e.otherwise, names)
    if isinstance(e, n.Unary):
        v = evaluate(e.operand, names)
        return {"-": lambda: -v, "+": lambda: v, "!": lambda: int(not v), "~": lambda: ~v}[e.op]()
    if isinstance(e, n.Binary):
        a = evaluate(e.left, names)
        if e.op == "&&":
            return int(bool(a) and bool(evaluate(e.right, names)))
        if e.op == "||":
            return int(bool(a) or bool(evaluate(e.right, names)))
        b = evaluate(e.right, names)
        if e.op in "/%" and isinstance(a, int) and isinstance(b, int):
            q = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return q if e.op == "/" else a - b * q
        import operator as o

        return {
            "+": o.add,
            "-": o.sub,
            "*": o.mul,
            "/": o.truediv,
            "<": o.lt,
            ">": o.gt,
            "<=": o.le,
            ">=": o.ge,
            "==": o.eq,
            "!=": o.ne,
            "&": o.and_,
            "|": o.or_,
            "^": o.xor,
            "<<": o.lshift,
            ">>": o.rshift,
        }[e.op](a, b)
    raise InputError("not a scalar expression")


def render(e, names=None, level=0):
    names = names or {}
    if isinstance(e, n.Number):
        return str(e.value)
    if isinstance(e, n.Name | n.Member):
        return names.get(_name(e), _name(e))
    if isinstance(e, n.Binary):
        q = PREC[e.op]
        text = f"{render(e.left, names, q)} {e.op} {render(e.right, names, q + 1)}"
        return f"({text})" if q < level else text
    if isinstance(e, n.Index):
        return f"{render(e.base, names, 20)}[{render(e.index, names)}]"
    if isinstance(e, n.Unary):
        return e.op + render(e.operand, names, 15)
    if isinstance(e, n.Call):
        return f"{e.function}({', '.join(render(a, names) for a in e.arguments)})"
    if isinstance(e, n.Conditional):
        return f"({render(e.condition, names)} ? {render(e.then, names)} : {render(e.otherwise, names)})"
    raise InputError("cannot be shown")


def text_of(text, span):
    lines = text.splitlines()[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return "\n".join(lines)
