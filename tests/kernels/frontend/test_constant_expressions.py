"""Constant expressions, constexpr functions, and constraints of templates."""

from __future__ import annotations

from contextlib import suppress

import pytest

from kernels.errors import InputError, SourceError
from kernels.frontend import evaluate, parse, parse_expression
from kernels.launch import Dim3, Launch
from kernels.simt import Unwritten, run
from tests.cases import Cases
from tests.kernels.frontend.nested_lists import body
from tests.kernels.simt.programs import lanes

CASES = Cases(__file__)

NAMES = {"n": 10, "zero": 0, "x": 2.5, "yes": True, "threadIdx.x": 3}


@pytest.mark.parametrize(("text", "value"), CASES("value"))
def test_value(text: str, value: float) -> None:
    found = evaluate(parse_expression(text), NAMES)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(("text", "message"), CASES("expressions_without_a_constant"))
def test_expressions_without_a_constant_value(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        evaluate(parse_expression(text), NAMES)
    assert message in str(caught.value)


def test_without_any_names() -> None:
    with pytest.raises(InputError, match=r"^'n' has no value here$"):
        evaluate(parse_expression("n"), {})


GIVEN = CASES.source("given")


@pytest.mark.parametrize(("call", "value"), CASES("a_call_is_a_constant"))
def test_a_call_is_a_constant(call: str, value: int) -> None:
    assert body(f"float b[{call}];", before=GIVEN) == [["declare", [f"float[{value}]", "b", None]]]


@pytest.mark.parametrize("call", CASES("a_call_without_a_value"))
def test_a_call_without_a_value(call: str) -> None:
    with pytest.raises(SourceError, match="the length of an array must be known before the kernel runs"):
        body(f"float b[{call}];", before=GIVEN)


def test_template_arguments_and_constants_may_be_calls() -> None:
    program = parse(f"{GIVEN} const int W = ceil_div(10, 3); __constant__ int t[W]; static_assert(W == 4);", "k.cu")
    assert [str(v.type) for v in program.variables] == ["int", "int[4]"]
    assert body("n = log2<half_of(8)>();", before=GIVEN) == [["=", "n", ["log2<4>()"]]]


@pytest.mark.parametrize(("function", "call"), CASES("clauses_and_concepts"))
def test_clauses_and_concepts(function: str, call: str) -> None:
    assert lanes(f"r = {call};", before=CASES.source("concepts") + function) == [t + 1 for t in range(8)]


def test_a_kernel_with_a_clause() -> None:
    source = (
        CASES.source("concepts")
        + "template <typename T, int N> __global__ void k(T *out) requires Number<T> && Small<N> { *out = N; }"
    )
    found = run(
        parse(source, "k.cu"),
        Launch(Dim3(1), Dim3(1)),
        {"out": Unwritten("float32", (1,))},
        template={"T": "float", "N": "5"},
    )
    assert found.outputs["out"].tolist() == [5]


@pytest.mark.parametrize("text", CASES("incomplete_constraints"))
def test_incomplete_constraints_are_parsed_to_their_end(text: str) -> None:
    with suppress(SourceError):
        parse(CASES.source("concepts") + text, "k.cu")
