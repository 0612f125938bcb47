from __future__ import annotations

import pytest

from kernels.analysis.inline_ptx import instruction_names
from tests.cases import Cases

CASES = Cases(__file__)


@pytest.mark.parametrize(("template", "names"), CASES("instructions_are_named_once", tuples=True))
def test_instructions_are_named_once_without_labels_guards_and_declarations(
    template: str, names: tuple[str, ...]
) -> None:
    assert instruction_names(template) == names
