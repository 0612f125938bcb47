"""The listing of a source: macros that are code are expanded, lines keep their numbers."""

from __future__ import annotations

import pytest

from kernels.catalog import catalog
from kernels.frontend import parse
from kernels.frontend.ast import Span
from kernels.frontend.lexer.tokens import Text
from kernels.frontend.listing import listing_of
from kernels.frontend.preprocessor.directives import preprocess
from tests.cases import Cases
from tests.sweeps import handful

CASES = Cases(__file__)


@pytest.mark.parametrize(("source", "line"), CASES("names_of_macros_that_are_code"))
def test_names_of_macros_that_are_code_are_expanded(source: str, line: str) -> None:
    shown = listing_of(source, "a.cu").text.split("\n")
    assert shown[-1] == line
    assert shown[:-1] == source.split("\n")[:-1]


def test_a_macro_from_outside_keeps_its_name() -> None:
    assert listing_of("int i = rank();", "a.cu", (("rank()", "threadIdx.x"),)).text == "int i = rank();"


def test_columns_follow_their_text() -> None:
    text = "#define ROW column\nint i = v.ROW + w.ROW + k;"
    found = listing_of(text, "a.cu")
    line = text.split("\n")[1]
    for word in ("int", "v.ROW", "w.ROW", "+ k"):
        at = line.index(word) + 1
        span = Span(2, at, 2, at + len(word))
        assert found.one_line_text(span) == word.replace("ROW", "column")


def test_branches_that_are_left_out_are_known() -> None:
    text = "#ifdef A\nint a;\n/* two\nlines */\n#if 1\nint b;\n#endif\n#else\nint c;\n#endif\n"
    assert listing_of(text, "a.cu").skipped == {2, 3, 4, 5, 6, 7}
    assert listing_of(text, "a.cu", (("A", "1"),)).skipped == {9}


def test_a_source_that_is_refused_is_listed_as_written() -> None:
    assert listing_of("#if\nint i;", "a.cu").text == "#if\nint i;"


SOURCES = [v for kernel in catalog() if kernel.file is not None for v in kernel.variants()]


@pytest.mark.parametrize("kernel", handful(SOURCES))
def test_the_listing_of_every_kernel_is_the_program_that_runs(kernel) -> None:  # type: ignore[no-untyped-def]
    defines = kernel.defines(kernel.size, kernel.block)
    found = listing_of(kernel.text, kernel.file.name, defines)
    assert "Idx.ROW" not in found.text
    assert found.text.count("\n") == kernel.text.count("\n")
    parse(found.text, kernel.file.name, defines)
    tokens = [[piece.text for piece in _pieces(text, defines)] for text in (kernel.text, found.text)]
    assert tokens[0] == tokens[1]


def _pieces(text: str, defines: tuple[tuple[str, str], ...]):  # type: ignore[no-untyped-def]
    from kernels.frontend.constant_expressions import evaluate
    from kernels.frontend.parse import parse_expression

    return preprocess(Text("a.cu", text), defines, lambda c: evaluate(parse_expression(c), {})).pieces
