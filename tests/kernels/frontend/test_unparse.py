"""Trees and whole programs are written as text that parses to the same tree."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import CUDA_FOLDER
from kernels.catalog import read_kernel
from kernels.frontend import parse, parse_expression, render, text_of
from kernels.frontend.ast import (
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    Do,
    Expr,
    Index,
    Member,
    Name,
    Number,
    Span,
    Unary,
    Update,
)
from kernels.frontend.types import DOUBLE, FLOAT, INT, LONG, Array, Pointer, Reference, Scalar
from kernels.frontend.unparse.program import spell, write
from tests.cases import Cases
from tests.kernels.frontend.nested_lists import shape
from tests.kernels.hazards.corpus import FOLDER
from tests.kernels.simt.fuzz.programs import Seeded
from tests.sweeps import one_in

if TYPE_CHECKING:
    from kernels.frontend.ast import Program
    from kernels.frontend.types import CType

CASES = Cases(__file__)

HERE: Final = Span(1, 1, 1, 1)


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (-3, INT, "2 - -3"),
        (-(2**31), INT, "2 - INT_MIN"),
        (-(2**63), LONG, "2 - LLONG_MIN"),
        (float("inf"), FLOAT, "2 - INFINITY"),
        (float("-inf"), DOUBLE, "2 - (double)-INFINITY"),
        (float("nan"), FLOAT, "2 - NAN"),
        (1e20, FLOAT, "2 - 1e+20f"),
    ],
)
def test_numbers_are_written_as_operands(value: float, kind: Scalar, text: str) -> None:
    number = Number(HERE, value, kind)
    assert render(Binary(HERE, "-", Number(HERE, 2, INT), number)) == text


@pytest.mark.parametrize("text", CASES("calls_and_values_of_structs"))
def test_calls_and_values_of_structs(text: str) -> None:
    given = (
        "enum class E { A }; struct S { int x; float2 y; __device__ static int g(int a) { return a; } };"
        "template <class T, int N = 1> __device__ T f(T x) { return x; }"
        "template <class T> __device__ T g(T x) { return x; }"
    )
    kernel = parse(f"{given} __global__ void k(S op) {{ {text}; }}", "k.cu").kernels[0]
    (statement,) = kernel.body.body
    assert isinstance(statement, Do)
    assert render(statement.expression) == text


@pytest.mark.parametrize(("text", "expected"), CASES("as_few_parentheses_as_it_needs"))
def test_as_few_parentheses_as_it_needs(text: str, expected: str) -> None:
    assert render(parse_expression(text)) == expected


@pytest.mark.parametrize(("text", "names", "expected"), CASES("names_are_replaced"))
def test_names_are_replaced(text: str, names: dict[str, str], expected: str) -> None:
    assert render(parse_expression(text), names) == expected


def _trees() -> st.SearchStrategy[Expr]:
    leaves = st.one_of(
        st.sampled_from("abcn").map(lambda name: Name(HERE, name)),
        st.integers(0, 99).map(lambda value: Number(HERE, value, INT)),
        st.sampled_from([0.0, 0.5, 2.0**-30, 2.0**70]).map(lambda value: Number(HERE, value, FLOAT)),
    )

    def grow(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
        here = st.just(HERE)
        binary = ["+", "-", "*", "/", "%", "<<", ">>", "<", "<=", "==", "!=", "&", "^", "|", "&&", "||"]
        base = inner.filter(lambda tree: not isinstance(tree, Number | Update))
        place = st.one_of(st.builds(Name, here, st.just("p")), st.builds(Index, here, base, inner))
        return st.one_of(
            st.builds(Binary, here, st.sampled_from(binary), inner, inner),
            st.builds(Unary, here, st.sampled_from(list("-+!~*&")), inner),
            st.builds(Conditional, here, inner, inner, inner),
            st.builds(Assign, here, st.sampled_from(["=", "+=", "<<="]), place, inner),
            st.builds(Update, here, st.sampled_from(["++", "--"]), st.booleans(), place),
            place,
            st.builds(Member, here, place, st.just("x")),
            st.builds(Call, here, st.just("f"), st.lists(inner, max_size=2).map(tuple)),
            st.builds(Cast, here, st.sampled_from([FLOAT, INT, Pointer(FLOAT)]), inner),
        )

    trees = leaves
    for _ in range(3):
        trees = st.one_of(leaves, grow(trees))
    return trees


@settings(max_examples=200, deadline=None)
@given(_trees())
def test_unparsed_text_parses_to_the_same_tree(tree: Expr) -> None:
    assert shape(parse_expression(render(tree))) == shape(tree)


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        (Span(1, 1, 1, 4), "one"),
        (Span(2, 3, 2, 6), "two"),
        (Span(1, 3, 3, 2), "e // first\n  two;\nt"),
        (Span(1, 4, 1, 4), ""),
        (Span(9, 1, 9, 4), ""),
    ],
)
def test_text_of_a_span(span: Span, expected: str) -> None:
    assert text_of("one // first\n  two;\nthree", span) == expected


_LEFT_OUT = ("span", "header", "initial")


def plain(node: Any) -> Any:
    """Return a tree as nested tuples, without places; first values are written as the assignments that they are."""
    if isinstance(node, tuple | list):
        return [plain(child) for child in node]
    if not is_dataclass(node):
        return node
    values = ((f.name, getattr(node, f.name)) for f in fields(node) if f.name not in _LEFT_OUT)
    return (type(node).__name__, [(name, plain(value)) for name, value in values])


def tree(program: Program) -> Any:
    return plain((program.variables, program.functions))


@pytest.mark.parametrize(
    ("kind", "const", "expected"),
    [
        (FLOAT, False, "float x"),
        (FLOAT, True, "const float x"),
        (Pointer(FLOAT), False, "float *x"),
        (Pointer(FLOAT, const=True), False, "const float *x"),
        (Pointer(FLOAT), True, "float *const x"),
        (Pointer(Pointer(FLOAT, const=True)), False, "const float **x"),
        (Pointer(Pointer(FLOAT), const=True), False, "float *const *x"),
        (Array(Array(INT, 3), 2), False, "int x[2][3]"),
        (Array(Pointer(INT), 2), True, "int *const x[2]"),
        (Pointer(Array(INT, 4)), False, "int (*x)[4]"),
        (Reference(Array(INT, 4), const=True), False, "const int (&x)[4]"),
        (Reference(Pointer(INT)), False, "int *&x"),
        (Array(FLOAT, 0), False, "float x[]"),
    ],
)
def test_declarations_are_spelled_around_the_name(kind: CType, const: bool, expected: str) -> None:
    assert spell(kind, "x", const=const) == expected


@pytest.mark.parametrize("kind", [FLOAT, Pointer(FLOAT, const=True), Pointer(Pointer(INT)), Pointer(FLOAT)])
def test_a_type_without_a_name_is_spelled(kind: CType) -> None:
    program = parse(f"__global__ void k(char *p) {{ auto q = ({spell(kind)})p; }}", "k.cu")
    assert f"({spell(kind)})p" in write(program)


@pytest.mark.parametrize("file", one_in(3, sorted((*CUDA_FOLDER.glob("*.cu"), *FOLDER.glob("*.cu"))), lambda f: f.stem))
def test_every_kernel(file: Any) -> None:
    text = file.read_text(encoding="utf-8")
    if file.parent == CUDA_FOLDER:
        kernel = read_kernel(file)
        program = parse(text, file.name, kernel.defines(kernel.size, kernel.block))
    else:
        program = parse(text, file.name)
    if program.templates:
        pytest.skip("what a template holds is read only for its instances")
    if "<cuda/atomic>" in text:
        pytest.skip("objects that are atomic are not written: --on-gpu refuses them")
    assert tree(parse(write(program), file.name)) == tree(program)


@pytest.mark.parametrize("seed", range(30))
def test_random_programs(seed: int) -> None:
    program = parse(Seeded(seed).function(), "k.cu")
    assert tree(parse(write(program), "k.cu")) == tree(program)


@pytest.mark.parametrize("text", CASES("statements"))
def test_statements(text: str) -> None:
    before = CASES.source("statements")
    program = parse(f"{before} __global__ void k(float *a, int n) {{ {text} }}", "k.cu")
    assert tree(parse(write(program), "k.cu")) == tree(program)


def test_members_are_at_aligned_offsets() -> None:
    text = "struct S { int n; __align__(16) float v[4]; alignas(8) short s; char c; };"
    first = parse(f"{text} __global__ void k(S *p) {{ p->n = sizeof(S); }}", "k.cu")
    again = parse(write(first), "k.cu")
    places = [[(f.name, f.offset_bytes) for f in program.structs["S"].fields] for program in (first, again)]
    assert places == [[("n", 0), ("v", 16), ("s", 32), ("c", 34)]] * 2
