"""Vector accesses: eight threads of a block copy a tile four elements at once."""

from __future__ import annotations

import numpy as np
import pytest

from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import Focus
from gui.explore.stage.links import find_links
from gui.explore.stage.stage import Stage
from gui.explore.values.facts import facts
from kernels.analysis import Frame
from kernels.arguments import parse_arguments
from kernels.launch import Dim3, Launch
from kernels.tracing import trace_source
from kernels.workload import Panel
from tests.gui.explore.conftest import step_on
from tests.kernels.trace.wide_traces import vector_copy


@pytest.fixture(scope="module")
def copying() -> Stage:
    return Stage(vector_copy(), (Panel("A", "left"), Panel("C", "result")))


def test_every_element_of_an_access_lights_up(copying: Stage) -> None:
    scene = build_scene(copying, Frame(1, step_on(copying, "s[i] =")))
    a, c, s = scene.cells
    assert np.argwhere(a.read).tolist() == [[row, column] for row in range(4, 8) for column in range(8)]
    assert not c.wrote.any()
    assert s.wrote.all()
    assert s.values.tolist() == [list(range(32, 64))]


def test_every_element_has_its_arrow(copying: Stage) -> None:
    scene = build_scene(copying, Frame(1, step_on(copying, "s[i] =")))
    (flow,) = scene.flows
    assert flow.lanes.tolist() == [8 + n // 4 for n in range(32)]
    assert flow.source.tolist() == [[4 + n // 8, n % 8] for n in range(32)]
    assert flow.target.tolist() == [[0, n] for n in range(32)]
    assert not flow.zero.any()


def test_elements_in_shared_memory_are_marked_at_their_origin(copying: Stage) -> None:
    scene = build_scene(copying, Frame(0, step_on(copying, "C[")))
    assert np.argwhere(scene.cells[0].in_shared)[:, 0].tolist() == [row for row in range(4) for _ in range(8)]


def test_a_thread_brings_four_elements_and_each_of_them_the_thread(copying: Stage) -> None:
    step = step_on(copying, "s[i] =")
    elements = dict(find_links(copying, step, 0, Focus.on_thread(2)).elements)
    assert elements[copying.trace.array_number("A")].tolist() == [8, 9, 10, 11]
    for element in (8, 11):
        links = find_links(copying, step, 0, Focus.on_element(copying.trace.array_number("A"), element))
        assert links.lanes.tolist() == [2]


def test_facts_name_the_first_and_the_last_element(copying: Stage) -> None:
    step = step_on(copying, "s[i] =")
    lines = dict(facts(copying, build_scene(copying, Frame(0, step), focus=Focus.on_thread(2))).lines)
    assert lines["reads"] == "A[1][0] to A[1][3]: element 8, byte address A + 32"
    array = copying.trace.array_number("s")
    assert [copying.causes.uses(array, index, 0, 0).accesses for index in range(32)] == [2] * 32


def test_of_several_registers_written_at_once_none_is_the_result() -> None:
    text = """__global__ void k(const float4 *A, float4 *C)
    {
        float4 v = A[threadIdx.x];
        v.w += 1;
        C[threadIdx.x] = v;
    }"""
    arguments = parse_arguments(("A=f32[8,4]:iota", "C=f32[8,4]:uninit"))
    trace = trace_source(text, "k.cu", None, Launch(Dim3(1), Dim3(8)), arguments)
    assert Stage(trace, (Panel("A", "left"), Panel("C", "result"))).accumulator is None
