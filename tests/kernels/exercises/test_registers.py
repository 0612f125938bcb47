"""The gate on registers, which needs NVRTC but no GPU."""

import pytest

from kernels.exercises import find_exercise, judge
from kernels.exercises.gates import registers
from kernels.occupancy.resources import can_compile
from tests.kernels.exercises.answers import solution

needs_nvrtc = pytest.mark.skipif(not can_compile(), reason="NVRTC is not installed")

_FOUR = (("RESULTS", "4"), ("TILE_WIDTH", "16"))


@needs_nvrtc
def test_the_right_answer_passes_the_gate_on_registers() -> None:
    judgement = judge(find_exercise("register_tile"), solution("register_tile"))
    assert judgement.passed
    assert judgement.gates[-1].gate.kind == "registers"
    assert judgement.gates[-1].passed is True


@needs_nvrtc
def test_a_text_that_may_read_a_file_is_not_compiled() -> None:
    text = solution("register_tile")
    assert registers(text, "register_tile", _FOUR) is not None
    for line in ('#include "/etc/hosts"', "#inc\\\nlude </etc/hosts>", "%:include </etc/hosts>", '#embed "/etc/hosts"'):
        assert registers(f"{line}\n{text}", "register_tile", _FOUR) is None
