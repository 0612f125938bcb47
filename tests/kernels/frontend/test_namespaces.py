"""Namespaces: equal names in several, aliases, using, and CUDA's library names as ordinary identifiers."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from tests.cases import Cases
from tests.kernels.simt.programs import lanes, trace

CASES = Cases(__file__)


def test_library_names_can_be_ordinary_identifiers() -> None:
    source = CASES.source("library_names_can_be_ordinary")
    found = trace(source, {"out": np.zeros(8, np.int32), "texture": 1, "matrix_a": 4, "precision": 7})
    assert set(found.outputs["out"].tolist()) == {7 + 4 + 1 + 1 + 6 + 1 + 1}


@pytest.mark.parametrize(("before", "body", "expected"), CASES("namespaces_that_declare_the_same"))
def test_namespaces_that_declare_the_same_names(before: str, body: str, expected: list[int]) -> None:
    assert lanes(body, before=before) == expected


@pytest.mark.parametrize("end", ["using }", "namespace }", "namespace {", "namespace a { using"])
def test_unfinished_namespaces_are_refused(end: str) -> None:
    with pytest.raises(SourceError):
        parse(f"namespace a {{ int x; }} namespace b {{ int x; }} __global__ void k() {{ }} {end}", "k.cu")
