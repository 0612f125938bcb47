"""Fixtures of the recorder's tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kernels.recorder.host_jobs import JOBS
from tests.kernels.recorder.host_runner import record_all

if TYPE_CHECKING:
    from kernels.recorder.recording import Recording


@pytest.fixture(scope="session")
def recordings(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Recording]:
    """Record every construct and the jobs of the tests that run in one program: it takes a compiler several seconds."""
    tests = [item for item in request.session.items if isinstance(item, pytest.Function)]
    names = {test.callspec.params.get("name") for test in tests if hasattr(test, "callspec")}
    jobs = {name: job for name, job in JOBS.items() if name in names or name.startswith("construct_")}
    return record_all(jobs, tmp_path_factory.mktemp("host"))
