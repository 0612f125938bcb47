from __future__ import annotations

import pytest

from kernels.analysis import playlist
from kernels.analysis.order.divergence import next_execution
from tests.kernels.analysis.traces import catalogue


@pytest.mark.parametrize("detail", ["memory", "statement"])
def test_every_execution_of_a_line_is_met_in_order_and_the_first_again(detail: str) -> None:
    trace = catalogue("matmul_tiled")
    frames = playlist(trace, "memory" if detail == "memory" else "statement")
    line = next(s.span.line for s in trace.statements if s.text.startswith("sum +="))
    positions = [
        position for position, frame in enumerate(frames.frames) if trace.statement(frame.step).span.line == line
    ]
    assert len(positions) > 3
    met = [next_execution(trace, frames, -1, line)]
    for _ in positions:
        met.append(next_execution(trace, frames, met[-1] or 0, line))
    assert met == [*positions, positions[0]]


def test_a_line_without_frames_has_no_execution() -> None:
    trace = catalogue("matmul_tiled")
    line = next(s.span.line for s in trace.statements if s.text.startswith("int tx"))
    assert next_execution(trace, playlist(trace, "memory"), 0, line) is None
    assert next_execution(trace, playlist(trace, "statement"), 0, line) is not None
    assert next_execution(trace, playlist(trace, "statement"), 0, 1) is None
