"""Trees as nested lists, so that a test is one line of C and one of Python."""

from __future__ import annotations

from typing import Any

from kernels.frontend import ast, parse


def shape(node: Any) -> Any:
    """Write a node as a list (or a plain string or number), spans left out."""
    match node:
        case None:
            return None
        case ast.Name():
            return node.id
        case ast.Number():
            return node.value if node.type.name in ("int", "double") else [node.type.name, node.value]
        case ast.String():
            return ["string", node.value]
        case ast.Unary():
            return [node.op, shape(node.operand)]
        case ast.Binary():
            return [node.op, shape(node.left), shape(node.right)]
        case ast.Conditional():
            return ["?:", shape(node.condition), shape(node.then), shape(node.otherwise)]
        case ast.Assign():
            return [node.op, shape(node.target), shape(node.value)]
        case ast.Update():
            return [f"{node.op}_" if node.prefix else f"_{node.op}", shape(node.target)]
        case ast.Index():
            return ["[]", shape(node.base), shape(node.index)]
        case ast.Member():
            return [".", shape(node.base), node.field]
        case ast.Call():
            given = ", ".join(_given(argument) for argument in node.template)
            return [f"{node.function}{f'<{given}>' if given else ''}()", *map(shape, node.arguments)]
        case ast.Construct():
            return [f"{node.type}{{}}", *map(shape, node.values)]
        case ast.Cast():
            return ["cast", str(node.type), shape(node.operand)]
        case ast.SizeOf():
            return [
                "sizeof",
                shape(node.operand) if isinstance(node.operand, ast.Expr) else str(node.operand),
            ]
        case ast.Variable():
            words = [word for word in (node.space, "const" * node.const, "dynamic" * node.dynamic) if word]
            kind = " ".join(word for word in (*words, str(node.type)) if word != "auto")
            return [kind, node.name, shape(node.value)]
        case ast.Declare():
            return ["declare", *map(shape, node.variables)]
        case ast.Do():
            return shape(node.expression)
        case ast.Block():
            return ["block", *map(shape, node.body)]
        case ast.If():
            return ["if", shape(node.condition), shape(node.then), shape(node.otherwise)]
        case ast.For():
            return ["for", *map(shape, (node.start, node.condition, node.step, node.body))]
        case ast.While():
            return ["do" if node.first else "while", shape(node.condition), shape(node.body)]
        case ast.Switch():
            return ["switch", shape(node.value), *map(shape, node.cases)]
        case ast.Case():
            labels = [*map(shape, node.values), *["default"] * node.default]
            return [labels, *map(shape, node.body)]
        case ast.Assembly():
            return [
                "asm",
                node.template,
                *([[c, shape(e)] for c, e in part] for part in (node.outputs, node.inputs)),
            ]
        case ast.Return():
            return ["return", shape(node.value)]
        case ast.Break() | ast.Continue():
            return type(node).__name__.lower()
        case tuple():
            return [shape(member) for member in node]
    raise AssertionError(f"no shape for {node!r}")


def body(text: str, *, before: str = "") -> list[Any]:
    """Read statements as the body of a kernel."""
    program = parse(f"{before}\n__global__ void k(int n, float *a) {{ {text} }}", "k.cu")
    return [shape(statement) for statement in program.kernels[0].body.body]


def _given(argument: Any) -> str:
    return str(shape(argument) if isinstance(argument, ast.Expr) else argument)


def function(text: str, name: str) -> list[Any]:
    """Read a file and write one of its functions: what it returns, its parameters, its body."""
    found = next(f for f in parse(text, "k.cu").functions if f.name == name)
    return [*signature(found), [shape(statement) for statement in found.body.body]]


def signature(function: ast.Function | ast.Template) -> list[Any]:
    """Write what a function returns and takes."""
    if isinstance(function, ast.Template):
        return [[str(p.type), p.name] for p in function.signature]
    return [str(function.returns), [[str(p.type), p.name] for p in function.parameters]]
