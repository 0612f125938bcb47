"""A recorded run from this GPU: verified, with its clocks and versions, and small."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.bench import ship
from kernels.bench.store.recorded import recorded_runs

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.gpu


def test_a_recorded_run_says_where_it_was_measured(tmp_path: Path) -> None:
    assert ship.main(["matmul_tiled", "cublas_sgemm", "--folder", str(tmp_path), "--seconds", "8"]) == 0
    (run,) = recorded_runs(tmp_path)
    rows = list(run.rows())
    timed = [row.sample for row in rows if row.sample.times_ms]
    assert {sample.point.entry.kernel for sample in timed} == {"matmul_tiled", "cublas_sgemm"}
    assert all(sample.verified and sample.conditions and sample.conditions.sm_clock_mhz for sample in timed)
    assert all(row.environment and row.environment.driver for row in rows)
    assert (run.environment.gpu_uuid, run.environment.host) == ("", "")
    assert set(run.header.sources) == {"matmul_tiled"}
    assert run.path.stat().st_size < 4096 * len(rows)
