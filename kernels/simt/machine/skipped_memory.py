"""Arrays without contents, in a run that only counts accesses (`machine.skipped_values`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.simt.machine.affine_index import AffineIndex
from kernels.simt.machine.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kernels.frontend.ast import Span
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.skipped_values import Skipped
    from kernels.trace.records import Access


class SkippedMemory(Memory):
    """An array without contents: accesses are checked and announced, and values are skipped."""

    skipped: Skipped
    """The value of every read; the machine sets it after the array's key."""

    @property
    def data(self) -> NDArray[Any]:
        """The contents: who asks for them starts the run again."""
        self.skipped.need()

    @data.setter
    def data(self, values: NDArray[Any]) -> None:
        pass

    def load(self, values: NDArray[np.generic]) -> None:
        """Ignore the contents before the launch."""

    def clear(self, copies: int = 1) -> None:
        """Allocate nothing."""

    def read(self, group: Group, mask: Active, index: Value, site: int, span: Span, width: int = 1) -> Value:
        """Announce a read."""
        self._announce(group, mask, index, site, "read", span, width)
        return self.skipped

    def write(
        self, group: Group, mask: Active, index: Value, value: Value, site: int, span: Span, width: int = 1
    ) -> None:
        """Announce a store."""
        self._announce(group, mask, index, site, "write", span, width)

    def mark_unwritten(
        self, group: Group, mask: Active, index: Value, has_value: Value, cause: Callable[[], str], width: int = 1
    ) -> None:
        """Do nothing: no element has a value."""

    def issue_copy(
        self, group: Group, mask: Active, index: Value, value: Value, site: int, span: Span, width: int = 1
    ) -> None:
        """Do nothing: only racecheck observes the time before the write."""

    def atomic(
        self,
        group: Group,
        mask: Active,
        index: Value,
        operands: tuple[Value, ...],
        combine: Any,
        site: int,
        span: Span,
        dtype: np.dtype[Any],
        width: int = 1,
    ) -> Value:
        """Announce an atomic."""
        self._announce(group, mask, index, site, "atomic", span, width)
        return self.skipped

    def _announce(
        self, group: Group, mask: Active, index: Value, site: int, access: Access, span: Span, width: int
    ) -> None:
        if type(index) is AffineIndex:
            if self._fits(index, width):
                self._recorder.affine_access(site, index)
                return
            index = index.vector
        if type(index) is not np.ndarray:
            if 0 <= index <= self.size - width:
                self._recorder.access(site, group, mask, index)
                return
            index = np.full(group.size, index, np.int64)
        chosen = index if mask is None else index[mask.where]
        outside = self._outside(chosen, width)
        self._recorder.access(site, group, mask, chosen, None, outside)
        if outside:
            self._announce_outside(group, mask, chosen, access, span, width)
