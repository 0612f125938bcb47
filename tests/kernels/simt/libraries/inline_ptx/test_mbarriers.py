"""PTX's barriers in shared memory: producers that copy, consumers that wait, and what goes wrong without waiting."""

from __future__ import annotations

import pytest

from kernels.simt.libraries.inline_ptx.barriers import without_spin
from tests.kernels.simt.corpus.cases import FOLDER, cases, outcome


def test_a_copy_is_written_when_a_thread_has_waited_for_its_phase() -> None:
    (case,) = (
        c for c in cases(FOLDER / "libraries/inline_ptx/mbarriers.cu") if c.kernel == "producers_and_consumers_wait"
    )
    found, _ = outcome(case, "warps")
    order = [
        (g.array.name, g.site.access)
        for step in range(found.steps)
        for g in found.accesses(step)
        if g.array.name in ("in", "s")
    ]
    assert order[:2] == [("in", "read"), ("in", "read")]  # both buffers are requested before one is written
    assert order.count(("s", "write")) == order.count(("s", "read")) == 5


@pytest.mark.parametrize(
    "loop",
    [
        "again: mbarrier.try_wait.parity.b64 p, [%0], %1; @!p bra again;",
        "again:\n mbarrier.try_wait.parity.b64 p, [%0], %1;\n @p bra.uni done;\n bra again;\n done:",
    ],
)
def test_both_forms_of_a_loop_around_a_test_are_one_wait(loop: str) -> None:
    assert without_spin(f".reg .pred p; {loop} ").strip() == ".reg .pred p; mbarrier.try_wait.parity.b64 p, [%0], %1;"
