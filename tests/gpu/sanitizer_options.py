"""Options of compute-sanitizer, and the folder that it runs in."""

from __future__ import annotations

from typing import Final

from tests.kernels.hazards.corpus import FOLDER

ROOT: Final = FOLDER.parents[2]

EXTRA: Final = {"racecheck": ("--racecheck-report", "all", "--print-level", "info", "--print-limit", "100000")}
"""By tool: options in addition to `--tool`.

Two writes of the same value are information only; every hazard of every kernel must fit into the log.
"""
