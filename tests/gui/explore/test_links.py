from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.stage.links import execution_of_line, find_links
from tests.gui.explore.conftest import stage, step_on

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Elements = tuple[tuple[int, NDArray[np.int64]], ...]


def changed_by_user(elements: Elements) -> dict[int, list[int]]:
    """{array number: elements}."""
    return {array: sorted(index.tolist()) for array, index in elements}


def test_a_thread_brings_its_elements_and_its_line() -> None:
    found = stage("matmul_naive", "4", "2,2")
    step = step_on(found, "sum +=", nth=2)  # k = 2
    links = find_links(found, step, 0, Focus.on_thread(3))  # thread (1, 1) of block (0, 0): row 1, column 1
    assert changed_by_user(links.elements) == {0: [1 * 4 + 2], 1: [2 * 4 + 1]}
    assert links.lines == (found.trace.statement(step).span.line,)


def test_an_element_brings_the_threads_that_touch_it() -> None:
    found = stage("matmul_naive", "4", "2,2")
    step = step_on(found, "sum +=", nth=2)
    links = find_links(found, step, 0, Focus.on_element(0, 1 * 4 + 2))  # A[1][2]: both threads of row 1
    assert links.lanes.tolist() == [2, 3]
    assert links.lines == (found.trace.statement(step).span.line,)


def test_an_element_that_nobody_touches_brings_nothing_else() -> None:
    found = stage("matmul_naive", "4", "2,2")
    links = find_links(found, step_on(found, "sum +="), 0, Focus.on_element(0, 15))
    assert links.lanes.tolist() == []
    assert links.lines == ()


def test_a_line_brings_threads_and_elements_of_its_next_execution() -> None:
    found = stage("matmul_tiled", "3", "2,2")
    store = step_on(found, "C[", 3)
    line = found.trace.statement(store).span.line
    links = find_links(found, step_on(found, "sum +=", 3), 3, Focus.on_line(line))
    assert links.lanes.tolist() == [12]  # only thread (0, 0) of block (1, 1) stores
    assert changed_by_user(links.elements) == {2: [8]}
    assert links.lines == (line,)


@pytest.mark.parametrize(("start", "phase"), [("sum +=", 1), ("C[", 1)])
def test_a_line_is_found_behind_when_it_does_not_come_again(start: str, phase: int) -> None:
    found = stage("matmul_tiled", "3", "2,2")
    load = step_on(found, "As[", phase=phase)
    line = found.trace.statement(load).span.line
    assert execution_of_line(found.trace, step_on(found, start, nth=-1), 0, line) == load


@pytest.mark.parametrize("focus", [NOTHING, Focus.on_line(1), Focus.on_thread(9)])
def test_an_element_without_part_in_a_step_highlights_nothing(focus: Focus) -> None:
    found = stage("matmul_tiled", "3", "2,2")
    links = find_links(found, step_on(found, "sum +="), 0, focus)
    assert links.elements == ()
    assert links.lines == ()
