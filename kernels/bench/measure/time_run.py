"""Take the times of a run; with a library routine to compare it with, in turns: A B A B."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Final, Protocol, Self

from kernels.bench.measure.stopping import StopRule, joint_reason
from kernels.gpu.telemetry import Telemetry

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from kernels.bench.measure.stopping import Stop
    from kernels.gpu.telemetry import NvmlReader, Reading
    from kernels.workload import Arrays

    Parts = Mapping[str, float]

_TURN: Final = 5
"""Samples of one turn. Before them one more is taken and not used: the other run has filled the caches."""

_LONG_SAMPLE_MS: Final = 10.0
"""A sample that takes longer is a turn by itself: what the caches hold at its start makes no difference."""


class Run(Protocol):
    """A kernel, baseline or library routine that is ready to run at one point."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...

    @property
    def launches_per_sample(self) -> int:
        """Launches whose mean is one sample."""
        ...

    @property
    def captured(self) -> bool:
        """Whether those launches are a CUDA graph."""
        ...

    def outputs(self) -> Arrays:
        """Run once with poisoned outputs and return them."""
        ...

    def sample_ms(self) -> Mapping[str, float]:
        """Milliseconds of one launch, part by part: `kernel`, and the transfers where they are timed."""
        ...


@dataclass(frozen=True, slots=True)
class Timed:
    """Times of a run, and of the library routine that it took turns with."""

    parts: Sequence[Parts]
    """A mapping from parts to milliseconds for each sample."""
    library_parts: Sequence[Parts]
    stopped: Stop
    reading: Reading
    """State of the GPU meanwhile."""


def time_run(run: Run, library: Run | None, rule: StopRule, reader: NvmlReader | None) -> Timed:
    """Take samples until there are enough; a comparison takes twice the budget, and both series have to be precise.

    The first sample contains the warming up, so that the GPU is read from the second one on.
    """
    if library is not None:
        return _take_turns(run, library, StopRule(2 * rule.budget_s, rule.min_samples, rule.half_width), reader)
    start = perf_counter()
    parts = [run.sample_ms()]
    times_ms = list(total_ms(parts))
    with Telemetry(reader) as telemetry:
        while not (stopped := rule.reason(times_ms, perf_counter() - start)):
            parts.append(run.sample_ms())
            times_ms.append(sum(parts[-1].values()))
    return Timed(parts, (), stopped, telemetry.summary())


def _take_turns(run: Run, library: Run, rule: StopRule, reader: NvmlReader | None) -> Timed:
    start = perf_counter()
    series = ([run.sample_ms()], [library.sample_ms()])
    stopped: Stop = ""
    with Telemetry(reader) as telemetry:
        while not stopped:
            spent_s = perf_counter() - start
            first, second = (rule.reason(total_ms(parts), spent_s) for parts in series)
            stopped = joint_reason(first, second)
            if not stopped:
                for source, parts in zip((run, library), series, strict=True):
                    parts.extend(_turn(source, parts[-1]))
    return Timed(*series, stopped, telemetry.summary())


def _turn(run: Run, latest: Parts) -> list[Parts]:
    """Return the samples of one turn."""
    if sum(latest.values()) * run.launches_per_sample >= _LONG_SAMPLE_MS:
        return [run.sample_ms()]
    run.sample_ms()
    return [run.sample_ms() for _ in range(_TURN)]


def total_ms(parts: Sequence[Parts]) -> tuple[float, ...]:
    """Return the sum of the parts of each sample."""
    return tuple(sum(part.values()) for part in parts)
