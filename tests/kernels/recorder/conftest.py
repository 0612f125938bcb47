"""Fixtures of the recorder's tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kernels.recorder.host_jobs import JOBS
from tests.kernels.recorder.host_runner import record_all

if TYPE_CHECKING:
    from kernels.recorder.recording import Recording


@pytest.fixture(scope="session")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Recording]:
    """Record all jobs in one program, which takes a C++ compiler several seconds."""
    return record_all(JOBS, tmp_path_factory.mktemp("host"))
