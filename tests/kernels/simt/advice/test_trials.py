"""Trials of cures: how many runs they take, what they are told with, and when there is no advice."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from kernels import cancellation
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.simt import Options, Unwritten, engine, run
from kernels.trace.cures import Cure, CureKind, Edit, apply_edits, as_plain, from_plain
from kernels.trace.file import load, save
from tests.kernels.simt import programs

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.simt import Argument
    from kernels.trace import Trace

trace: Final = partial(programs.trace, advise=True)

REVERSE = """__global__ void k(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    out[t] = s[63 - t];
}
"""
CLEAN = REVERSE.replace("out[t]", "__syncthreads(); out[t]")


def reverse(source: str, **options: Any) -> Trace:
    return trace(
        source,
        {"in": np.arange(64, dtype=np.int32), "out": Unwritten("int32", (64,))},
        block=(64,),
        **options,
    )


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the texts of every program that is run."""
    texts: list[str] = []
    attempt = engine._attempt

    def counted(request: Any, *rest: Any) -> Any:
        outcome = attempt(request, *rest)
        texts.append(request.instances.program.text)
        return outcome

    monkeypatch.setattr(engine, "_attempt", counted)
    return texts


def test_a_run_without_a_race_is_made_once(runs: list[str]) -> None:
    assert reverse(CLEAN).hazards == ()
    assert len(runs) == 1


def test_a_plain_mistake_takes_one_trial(runs: list[str]) -> None:
    (hazard,) = reverse(REVERSE).hazards
    assert hazard.cure is not None
    assert runs == [REVERSE, apply_edits(REVERSE, hazard.cure.edits)]


def test_without_advice_nothing_is_tried_and_every_pair_is_told(runs: list[str]) -> None:
    source = "__global__ void k(int *x) { x[0] += 1; }"
    told = trace(source, {"x": np.zeros(1, np.int32)}, advise=False).hazards
    assert [(h.cure, h.others) for h in told] == [(None, ()), (None, ())]
    assert len(runs) == 1
    (one,) = trace(source, {"x": np.zeros(1, np.int32)}).hazards
    assert [pair.accesses for pair in one.pairs] == [h.accesses for h in told]


def test_a_cancelled_run_is_not_advised_on(runs: list[str]) -> None:
    (hazard,) = reverse(REVERSE, cancelled=lambda: bool(runs)).hazards
    assert hazard.cure is None
    assert hazard.message.endswith("with no __syncthreads() between the two")
    assert len(runs) == 1


def test_a_cancelled_trial_leaves_no_advice(runs: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cancellation, "CHECK_EVERY", 1)
    answers = iter([False])
    source = REVERSE.replace("out[t] = s[63 - t];", "out[t] = s[63 - t];\n    s[t ^ 33] = 1;")
    hazards = reverse(source, cancelled=lambda: bool(runs) and next(answers, True)).hazards
    assert hazards
    assert all(h.cure is None and "put" not in h.message for h in hazards)
    assert len(runs) == 1


def test_a_run_that_did_not_end_gets_no_cure(runs: list[str]) -> None:
    source = REVERSE.replace("}\n", "    while (in[0] == 0)\n        ;\n}\n")
    found = {h.kind: h for h in reverse(source, max_steps=500).hazards}
    assert set(found) == {"data-race", "budget-exceeded"}
    assert found["data-race"].cure is None
    assert found["data-race"].message.endswith("with no __syncthreads() between the two")
    assert set(runs) == {source}


def test_trials_are_bounded_in_number(runs: list[str]) -> None:
    """Forty races between blocks, each with a cure for itself: a race that is not tried has no advice."""
    lines = "\n".join(f"x[{n}] = y[{n}] + {n} * blockIdx.x;\ny[{n}] = x[{n}] + 1;" for n in range(20))
    found = trace(
        f"__global__ void k(int *x, int *y) {{\n{lines}\n}}",
        {"x": np.zeros(40, np.int32), "y": np.zeros(40, np.int32)},
        grid=(2,),
        block=(1,),
    )
    assert 0 < sum(h.cure is not None for h in found.hazards) <= 24
    assert any(h.cure is None for h in found.hazards)
    assert len(runs) <= 1 + 24


def test_many_pairs_with_one_cause_are_one_report() -> None:
    """Six loads of a tile without a barrier after them: each of the six reads races with each load of its array."""
    loads = "\n".join(f"s[{n}][t] = in[t] + {n};" for n in range(6))
    reads = " + ".join(f"s[{n}][63 - t]" for n in range(6))
    source = f"__global__ void k(const int *in, int *out) {{\n__shared__ int s[6][64];\nint t = threadIdx.x;\n{loads}\n"
    (hazard,) = reverse(f"{source}out[t] = {reads};\n}}").hazards
    assert len(hazard.others) == 5
    assert hazard.message.endswith(
        "put __syncthreads() between line 9 and line 10 (and 5 more pairs of accesses with this cause)"
    )


def test_two_causes_are_two_reports() -> None:
    source = REVERSE.replace("}\n", "    s[t] = in[t] + 1;\n    __syncthreads();\n    out[t] += s[t ^ 33];\n}\n")
    first, second = reverse(source).hazards
    assert "between line 5 and line 6" in first.message
    assert "between line 6 and line 7" in second.message
    assert not first.others
    assert not second.others


@pytest.mark.parametrize("schedule", ["lockstep", "warps", "reversed", "shuffle:3"])
@pytest.mark.parametrize("record", [True, False])
def test_the_races_are_those_that_are_found_without_advice(schedule: str, *, record: bool) -> None:
    source = """__global__ void k(const int *in, int *out) {
__shared__ int s[64];
int t = threadIdx.x;
s[t] = in[t];
for (int d = 32; d > 0; d /= 2)
    if (t < d)
        s[t] += s[t + d];
out[t] = s[0];
}"""
    advised = reverse(source, schedule=schedule, record=record).hazards
    plain = reverse(source, schedule=schedule, record=record, advise=False).hazards
    pairs = [pair for hazard in advised for pair in hazard.pairs]
    assert {p.accesses for p in pairs} == {h.accesses for h in plain}
    assert sum(p.count for p in pairs) == sum(h.count for h in plain)


def test_an_included_file_is_edited_where_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "turn.cuh").write_text(
        "__device__ void turn(int *s, int t)\n{\n    int v = s[63 - t];\n    s[t] = v;\n}\n", encoding="utf-8"
    )
    source = '#include "turn.cuh"\n' + CLEAN.replace(
        "__syncthreads();", "__syncthreads(); turn(s, t); __syncthreads();"
    )
    arguments: dict[str, Argument] = {"in": np.arange(64, dtype=np.int32), "out": Unwritten("int32", (64,))}
    (hazard,) = run(parse(source, "k.cu", folder=tmp_path), Launch(Dim3(1), Dim3(64)), arguments).hazards
    assert hazard.message.endswith("put __syncthreads() between line 3 of turn.cuh and line 4 of turn.cuh")
    assert hazard.cure is not None
    assert [edit.file for edit in hazard.cure.edits] == ["turn.cuh"]


def test_a_saved_trace_has_the_cure_and_the_other_pairs(tmp_path: Path) -> None:
    found = trace("__global__ void k(int *x) { x[0] += 1; }", {"x": np.zeros(1, np.int32)})
    save(found, tmp_path / "k.trace")
    (hazard,) = load(tmp_path / "k.trace").hazards
    assert hazard == found.hazards[0]
    assert (hazard.cure is not None, len(hazard.others)) == (True, 1)


def test_a_cure_is_the_same_after_json() -> None:
    (hazard,) = reverse(REVERSE).hazards
    assert hazard.cure is not None
    assert from_plain(as_plain(hazard.cure)) == hazard.cure
    assert from_plain(as_plain(Cure(CureKind.SECOND_ARRAY))) == Cure(CureKind.SECOND_ARRAY)


EDITS = [
    ([Edit(1, 3, 1, 3, "-")], "ab-c\ndef"),
    ([Edit(1, 1, 1, 1, "("), Edit(2, 4, 2, 4, ")")], "(abc\ndef)"),
    ([Edit(1, 2, 2, 2, "X")], "aXef"),
    ([Edit(2, 1, 2, 4, ""), Edit(1, 1, 1, 1, "1"), Edit(1, 1, 1, 1, "2")], "12abc\n"),
]


@pytest.mark.parametrize(("edits", "expected"), EDITS)
def test_edits_of_a_text(edits: list[Edit], expected: str) -> None:
    assert apply_edits("abc\ndef", edits) == expected


@pytest.mark.parametrize("edits", [[Edit(3, 1, 3, 1, "x")], [Edit(1, 1, 1, 3, "x"), Edit(1, 2, 1, 4, "y")]])
def test_edits_that_do_not_fit_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(ValueError, match=r"overlap|no line 3"):
        apply_edits("abc\ndef", edits)


def test_options_say_whether_cures_are_tried() -> None:
    assert Options().advise


def test_two_instances_of_a_template_in_one_statement_get_the_facts_alone() -> None:
    """All threads reach both calls: it would be false to say that some do not."""
    source = """template <int D> __device__ int turn(int *s, int t) {
    s[t] = s[t ^ D] + 1;
    return s[t];
}
__global__ void k(int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    out[t] = turn<33>(s, t) + turn<65>(s, t);
}"""
    (hazard,) = trace(source, {"out": Unwritten("int32", (128,))}, block=(128,)).hazards
    assert hazard.cure is None
    assert hazard.message.endswith("line 2, with no __syncthreads() between the two")


UNTRIED = [
    "C[t + 64 * blockIdx.x] = 1;\nint v = C[(t + 64) % 128];",
    "C[0] = t;",
    "atomicAdd(&C[0], 1);\n__syncthreads();\nint v = C[0];",
    "if (t < 40) {\nC[t + 64 * blockIdx.x] = 1;\nint v = C[(t + 64) % 128];\n}",
    "if (t >= 40) return;\nC[t + 64 * blockIdx.x] = 1;\nint v = C[(t + 64) % 128];",
    "if (t < 40) {\ns[t] = 1;\nint v = s[39 - t];\n}",
]
"""Races whose advice named alternatives that no trial covers, or threads that no run counted."""


@pytest.mark.parametrize("body", UNTRIED)
def test_advice_has_no_untried_alternative(body: str) -> None:
    source = f"__global__ void k(int *C) {{\n__shared__ int s[64];\nint t = threadIdx.x;\n{body}\n}}"
    for hazard in trace(source, {"C": np.zeros(128, np.int32)}, grid=(2,), block=(64,)).hazards:
        assert hazard.cure is not None
        assert " or, " not in hazard.message
        assert ", or " not in hazard.message
        assert "not all threads" not in hazard.message
        assert "another array" not in hazard.message


NO_CURE = [
    "if (f[0] == 0) {\nf[0] = 1;\nx[t + 64 * blockIdx.x] = 1;\n}",
    "for (int i = 0; i < 3; ++i) {\nif (i == t)\nx[0] = 5;\natomicAdd(&x[0], 1);\n}",
]
"""Separate atomics would end the races, but two threads would pass the test, and additions would be lost."""


@pytest.mark.parametrize("body", NO_CURE)
@pytest.mark.parametrize("blocks", [1, 2])
def test_separate_atomics_are_no_cure_of_a_test_that_sets_or_of_a_sum(body: str, blocks: int) -> None:
    source = f"__global__ void k(int *x, float *f) {{\nint t = threadIdx.x;\n{body}\n}}"
    arrays = {"x": np.zeros(128, np.int32), "f": np.zeros(1, np.float32)}
    hazards = trace(source, arrays, grid=(blocks,), block=(64,)).hazards
    assert hazards
    assert CureKind.ATOMIC not in {h.cure.kind for h in hazards if h.cure}
