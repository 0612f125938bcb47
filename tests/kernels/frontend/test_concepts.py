"""Constraints of templates (concepts and requires clauses), which are skipped."""

from __future__ import annotations

from contextlib import suppress

import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.simt import Unwritten, run
from tests.cases import Cases
from tests.kernels.simt.programs import lanes

CASES = Cases(__file__)


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
