"""Processor time of a card: scene, facts, causes and next uses of an element or thread that is pointed at.

The first card of an array computes what later ones share. Run as ``python -m tests.bench.value_card``.
"""

from __future__ import annotations

import gc
import statistics
import time
from typing import TYPE_CHECKING, Final

import numpy as np

from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import Focus
from gui.explore.stage.stage import Stage
from gui.explore.values.facts import facts
from gui.explore.values.value_card import value_card
from kernels.analysis import playlist
from kernels.catalog import find_kernel
from kernels.launch import Dim3
from kernels.simt import Options
from kernels.tracing import trace_kernel
from kernels.workload import Size

if TYPE_CHECKING:
    from kernels.analysis import Frame

_POINTED_AT: Final = 100

_LAUNCHES: Final = (
    ("matmul_naive", Size(64, 64, 64), Dim3(8, 8), "lockstep"),
    ("matmul_naive", Size(64, 64, 64), Dim3(8, 8), "shuffle:1"),
    ("matmul_tiled", Size(64, 64, 64), Dim3(8, 8), "lockstep"),
    ("matmul_tiled", Size(64, 64, 64), Dim3(16, 16), "warps"),
    ("matmul_registers_2d", Size(64, 64, 64), Dim3(16, 16), "lockstep"),
    ("mmt_tiled", Size(64, 64, 64), Dim3(8, 8), "lockstep"),
    ("matmul_3xtf32", Size(34, 34, 36), Dim3(96), "lockstep"),
)


def main() -> None:
    """Print the time of the first card of each array, and the median and longest of others at random moments."""
    for name, size, block, schedule in _LAUNCHES:
        kernel = find_kernel(name)
        stage = Stage(
            trace_kernel(kernel, size, block, options=Options(schedule)),
            kernel.workload.panels,
            workload=kernel.workload,
        )
        frames = playlist(stage.trace, "memory", stage.order).frames
        build_scene(stage, frames[0])
        gc.freeze()  # as the application does when it has started
        random = np.random.default_rng(1)
        first: dict[int, float] = {}
        later: dict[int, list[float]] = {}
        for view in stage.views:
            array = view.array
            for number in range(_POINTED_AT):
                frame = frames[int(random.integers(len(frames)))] if number else frames[-1]
                index = int(random.integers(stage.trace.arrays[array].size))
                time_ms = _time_ms(stage, frame, Focus.on_element(array, index))
                if array in first:
                    later.setdefault(array, []).append(time_ms)
                else:
                    first[array] = time_ms
        threads = [
            _time_ms(stage, frame, Focus.on_thread(frame.block * stage.trace.launch.block.count))
            for frame in (frames[int(n)] for n in random.integers(len(frames), size=_POINTED_AT))
        ]
        print(f"{name} {size} in {block.x}×{block.y}, {schedule}:")
        for array, times in later.items():
            print(f"  {stage.trace.arrays[array].name}: first {first[array]:.0f} ms, then {_words(times)}")
        print(f"  threads: {_words(threads)}")


def _time_ms(stage: Stage, frame: Frame, focus: Focus) -> float:
    begun = time.process_time()
    scene = build_scene(stage, frame, focus=focus)
    facts(stage, scene)
    value_card(stage, scene)
    return (time.process_time() - begun) * 1000


def _words(times: list[float]) -> str:
    return f"median {statistics.median(times):.1f} ms, longest {max(times):.1f} ms"


if __name__ == "__main__":
    main()
