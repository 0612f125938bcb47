"""Trees as nested lists, so that a test is one line of C and one of Python."""

from __future__ import annotations

from typing import Any

from kernels.source import nodes, parse


def shape(node: Any) -> Any:
    """Write a node as a list (or a plain string or number), spans left out."""
    match node:
        case None:
            return None
        case nodes.Name():
            return node.id
        case nodes.Number():
            return node.value if node.type.name in ("int", "double") else [node.type.name, node.value]
        case nodes.String():
            return ["string", node.value]
        case nodes.Unary():
            return [node.op, shape(node.operand)]
        case nodes.Binary():
            return [node.op, shape(node.left), shape(node.right)]
        case nodes.Conditional():
            return ["?:", shape(node.condition), shape(node.then), shape(node.otherwise)]
        case nodes.Assign():
            return [node.op, shape(node.target), shape(node.value)]
        case nodes.Update():
            return [f"{node.op}_" if node.prefix else f"_{node.op}", shape(node.target)]
        case nodes.Index():
            return ["[]", shape(node.base), shape(node.index)]
        case nodes.Member():
            return [".", shape(node.base), node.field]
        case nodes.Call():
            return [f"{node.function}()", *map(shape, node.arguments)]
        case nodes.Cast():
            return ["cast", str(node.type), shape(node.operand)]
        case nodes.SizeOf():
            return [
                "sizeof",
                shape(node.operand) if isinstance(node.operand, nodes.Expr) else str(node.operand),
            ]
        case nodes.Variable():
            words = [word for word in (node.space, "const" * node.const, "dynamic" * node.dynamic) if word]
            kind = " ".join(word for word in (*words, str(node.type)) if word != "auto")
            return [kind, node.name, shape(node.value)]
        case nodes.Declare():
            return ["declare", *map(shape, node.variables)]
        case nodes.Do():
            return shape(node.expression)
        case nodes.Block():
            return ["block", *map(shape, node.body)]
        case nodes.If():
            return ["if", shape(node.condition), shape(node.then), shape(node.otherwise)]
        case nodes.For():
            return ["for", *map(shape, (node.start, node.condition, node.step, node.body))]
        case nodes.While():
            return ["do" if node.first else "while", shape(node.condition), shape(node.body)]
        case nodes.Return():
            return ["return", shape(node.value)]
        case nodes.Break() | nodes.Continue():
            return type(node).__name__.lower()
        case tuple():
            return [shape(member) for member in node]
    raise AssertionError(f"no shape for {node!r}")


def body(text: str, *, before: str = "") -> list[Any]:
    """Read statements as the body of a kernel."""
    program = parse(f"{before}\n__global__ void k(int n, float *a) {{ {text} }}", "k.cu")
    return [shape(statement) for statement in program.kernels[0].body.body]
