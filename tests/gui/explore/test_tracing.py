"""What runs that are shown leave in memory."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gui.explore.scene.build import build_scene
from gui.explore.scene.story import story_of_recording
from gui.selection.recording import Recording
from kernels.catalog import find_kernel
from kernels.tracing import trace_kernel

if TYPE_CHECKING:
    from gui.explore.scene.story import Story


def story_of(kernel_id: str) -> Story:
    kernel = find_kernel(kernel_id)
    trace = trace_kernel(kernel, kernel.size, kernel.block)
    return story_of_recording(Recording(Path(trace.file), trace, kernel), lambda: False)


@pytest.mark.parametrize("kernel_id", ["matmul_tiled", "kmeans_assign", "matmul_split_k", "lesson_missing_barrier"])
def test_a_story_is_freed_without_a_collection(kernel_id: str) -> None:
    """Else one that was left out of collections would stay in memory for good."""
    story = story_of(kernel_id)
    build_scene(story.stage, story.statements.frames[-1])
    trace, frames = weakref.ref(story.stage.trace), weakref.ref(story.statements)
    gc.disable()
    try:
        del story
        assert trace() is None
        assert frames() is None
    finally:
        gc.enable()
