"""Writes down what happens, column by column; `kernels.trace.model` says what the columns mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kernels.simt.lanes import Active, Group
    from kernels.simt.races import Watch
    from kernels.simt.values import Value
    from kernels.source.nodes import Span
    from kernels.trace.records import Access

_ASK_EVERY: Final = 128
"""Steps between two questions whether the user gave up."""


class Stopped(Exception):
    """The run has used up its budget or was cancelled."""

    def __init__(self, reason: str, kind: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.kind = kind


class Recorder:
    """Columns under construction. Vectors handed in are kept, not copied: nobody changes them afterwards."""

    def __init__(self, max_steps: int, max_bytes: int, cancelled: Callable[[], bool] | None) -> None:
        self._max_steps = max_steps
        self._cancelled = cancelled
        self.max_bytes = max_bytes
        self.watch: Watch | None = None
        self.current = -1
        self.stored = 0
        self.masks: list[NDArray[np.int32]] = []
        self.steps: list[tuple[int, int, int, int]] = []
        self.groups: list[tuple[int, int, int, int]] = []
        self.indices: list[NDArray[Any]] = []
        self.sets: list[tuple[int, int, int, bool, int]] = []
        self.chunks: list[NDArray[Any]] = []
        self.offset = 0

    def step(self, statement: int, group: Group, mask: Active) -> None:
        """Begin a step; what is recorded next belongs to it."""
        number = self.current + 1
        if number >= self._max_steps:
            raise Stopped(
                f"stopped after {self._max_steps:,} steps: raise the limit, or look for an endless loop",
                "steps",
            )
        if self.stored > self.max_bytes:
            raise Stopped(
                f"stopped after recording {self.max_bytes / 2**20:,.0f} MiB: trace a smaller problem, "
                "or raise the limit",
                "memory",
            )
        if number % _ASK_EVERY == 0 and self._cancelled is not None and self._cancelled():
            raise Stopped("stopped by the user", "cancelled")
        self.current = number
        row = self.row(group, mask)
        self.steps.append((statement, row, group.phase, group.epoch))
        if self.watch is not None:
            self.watch.step(statement, self.masks[row])

    def leave_phase(self) -> None:
        """Mark the current step as the test that ends the loop: it begins no phase."""
        statement, row, _, epoch = self.steps[-1]
        self.steps[-1] = (statement, row, -1, epoch)

    def row(self, group: Group, mask: Active) -> int:
        """Return the number of a lane set."""
        owner = group if mask is None else mask
        if owner.row < 0:
            owner.row = len(self.masks)
            self.masks.append(group.lanes if mask is None else group.lanes[mask.where])
            self.stored += 4 * len(self.masks[-1])
        return owner.row

    def access(
        self, site: int, group: Group, mask: Active, index: NDArray[Any], values: NDArray[Any] | None = None
    ) -> None:
        """Record what one site did: an element index a lane, and for writes the value stored."""
        offset = -1
        if values is not None:
            offset = self.offset
            self._keep(values)
        row = self.row(group, mask)
        self.groups.append((self.current, site, row, offset))
        self.indices.append(index)
        if self.watch is not None:
            self.watch.access(self.current, site, self.masks[row], index, values)
        self.stored += 32 + 4 * len(index)

    def unwritten(
        self, array: int, span: Span, access: Access, lanes: NDArray[np.int32], index: NDArray[Any]
    ) -> bool:
        """Note lanes that read what nothing has written; returns whether it is judged later."""
        if self.watch is None:
            return False
        return self.watch.unwritten(self.current, array, span, access, lanes, index)

    def assign(
        self, register: int, group: Group, mask: Active, value: Value, dtype: np.dtype[np.generic]
    ) -> None:
        """Record that the active lanes got a new value of a register."""
        uniform = type(value) is not np.ndarray
        if uniform:
            value = np.array([value], dtype)
        elif mask is not None:
            value = value[mask.where]
        self.sets.append((self.current, register, self.row(group, mask), uniform, self.offset))
        self._keep(value)

    def columns(self) -> dict[str, Any]:
        """Return the finished columns, by the names that `Trace` gives them."""
        steps = np.array(self.steps, np.int32).reshape(-1, 4)
        groups = np.array(self.groups, np.int64).reshape(-1, 4)
        sets = np.array(self.sets, np.int64).reshape(-1, 5)
        first = np.zeros(len(self.indices) + 1, np.int64)
        np.cumsum([len(index) for index in self.indices], out=first[1:])
        columns = {
            "step_statement": steps[:, 0], "step_mask": steps[:, 1],
            "step_phase": steps[:, 2], "step_epoch": steps[:, 3],
            "group_step": groups[:, 0].astype(np.int32), "group_site": groups[:, 1].astype(np.int32),
            "group_mask": groups[:, 2].astype(np.int32), "group_value": groups[:, 3],
            "set_step": sets[:, 0].astype(np.int32), "set_register": sets[:, 1].astype(np.int32),
            "set_mask": sets[:, 2].astype(np.int32), "set_uniform": sets[:, 3].astype(bool),
            "set_value": sets[:, 4],
        }  # fmt: skip
        columns = {name: np.ascontiguousarray(column) for name, column in columns.items()}
        index = self._joined_index(int(first[-1]))
        data = np.concatenate([np.zeros(0, np.uint8), *(chunk.view(np.uint8) for chunk in self.chunks)])
        return {
            **columns,
            "masks": tuple(self.masks),
            "group_first": first,
            "index": index,
            "value_bytes": data,
        }

    def _joined_index(self, total: int) -> NDArray[Any]:
        wide = any(
            chunk.itemsize == 8 and (chunk.max() >= 1 << 31 or chunk.min() < -(1 << 31))
            for chunk in self.indices
        )
        index = np.empty(total, np.int64 if wide else np.int32)
        if self.indices:
            np.concatenate(self.indices, out=index, casting="unsafe")
        return index

    def _keep(self, values: NDArray[Any]) -> None:
        self.chunks.append(values)
        size = values.nbytes
        self.offset += size
        self.stored += size
