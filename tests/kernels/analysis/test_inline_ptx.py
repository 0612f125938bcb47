from __future__ import annotations

import pytest

from kernels.analysis.syntax.inline_ptx import instruction_names


@pytest.mark.parametrize(
    ("template", "names"),
    [
        ("mma.sync.aligned.m16n8k8 {%0, %1}, {%2}, {%3}, {%0, %1};", ("mma.sync.aligned.m16n8k8",)),
        (
            "{\n.reg .pred over;\nagain:\nmbarrier.test_wait.parity.shared.b64 over, [%0], %1;\n@!over bra again;\n}",
            ("mbarrier.test_wait.parity.shared.b64", "bra"),
        ),
        ("add.u32 %0, %1, 1; // twice\n add.u32 %0, %0, 1", ("add.u32",)),
        ("fence.proxy.async.shared::cta;", ("fence.proxy.async.shared::cta",)),
        ("", ()),
    ],
)
def test_instructions_are_named_once_without_labels_guards_and_declarations(
    template: str, names: tuple[str, ...]
) -> None:
    assert instruction_names(template) == names
