"""Declarations that cannot be parsed: they are left out, and refused only where they are used."""

from __future__ import annotations

import pytest

from kernels.errors import TilescopeError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.simt import Argument, Unwritten, run
from tests.cases import Cases

CASES = Cases(__file__)


def test_an_unsupported_kernel_does_not_affect_the_others() -> None:
    program = parse(CASES.source("several"), "test.cu")
    found = run(program, Launch(Dim3(1), Dim3(4)), {"a": Unwritten("int32", (4,))}, kernel="fine")
    assert found.outputs["a"].tolist() == [1] * 4


@pytest.mark.parametrize(("kernel", "message"), CASES("an_unsupported_construct"))
def test_an_unsupported_construct_is_refused_where_it_is_used(kernel: str | None, message: str) -> None:
    program = parse(CASES.source("several"), "test.cu")
    given: dict[str, Argument] = {"a": Unwritten("int32", (4,))}
    template = {"T": "int"} if kernel == "waits" else {}
    with pytest.raises(TilescopeError, match=message):
        run(program, Launch(Dim3(1), Dim3(4)), given, kernel=kernel, template=template)


def test_lines_with_only_an_unknown_macro_are_skipped() -> None:
    source = CASES.source("lines_with_only_an_unknown_macro")
    program = parse(source, "k.cu")
    arguments: dict[str, Argument] = {"out": Unwritten("int32", (4,)), "s.x": 4}
    assert run(program, Launch(Dim3(1), Dim3(4)), arguments).outputs["out"].tolist() == [8] * 4
