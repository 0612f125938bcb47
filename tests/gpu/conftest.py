"""Every test in this folder runs kernels on a GPU; without one it is skipped, and the reason is printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernels.gpu.device import missing

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    ours = [item for item in items if item.path.is_relative_to(HERE)]
    reason = missing() if ours else ""
    for item in ours:
        item.add_marker(pytest.mark.gpu)
        if reason:
            item.add_marker(pytest.mark.skip(reason=f"needs a GPU: {reason}"))
