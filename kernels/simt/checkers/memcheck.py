"""What goes wrong with accesses to an array: indices outside, elements that nothing has written, crooked addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.simt.machine.hazards import Place
from kernels.trace.structs import element_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kernels.frontend.ast import Span
    from kernels.simt.machine.hazards import Hazards
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.recorder import Tally
    from kernels.trace.records import Access, ArrayInfo


class Checks:
    """The checks of one array; `chosen` is the index of each active lane."""

    def __init__(self, number: int, info: ArrayInfo, recorder: Tally, hazards: Hazards) -> None:
        self.number = number
        self.info = info
        self._recorder = recorder
        self._hazards = hazards
        self._causes: list[Callable[[], str]] = []

    def bounds(
        self, group: Group, mask: Active, chosen: NDArray[Any], access: Access, span: Span, width: int = 1
    ) -> NDArray[np.bool_]:
        """Report lanes whose index lies outside; returns which lie inside."""
        inside: NDArray[np.bool_] = (chosen >= 0) & (chosen <= self.info.size - width)
        bad = np.flatnonzero(~inside)
        lane, index = self._lane(group, mask, bad[0]), int(chosen[bad[0]])
        self._recorder.beyond()
        verb = "reads" if access == "read" else "writes"
        size, dims = self.info.size // self.info.words, "×".join(str(n) for n in self.info.objects)
        self._report(
            "out-of-bounds",
            span,
            len(bad),
            lane,
            index,
            access,
            lambda: (
                f"{self._hazards.name(lane)} {verb} {self._span(index, width)}, but {self.info.name} has "
                f"{size} elements{f' ({dims})' if len(self.info.objects) > 1 else ''}: 0 to {size - 1}; only let "
                f"threads access it whose index is {'not negative' if index < 0 else f'below {size}'}"
            ),
        )
        return inside

    def cause(self, text: Callable[[], str]) -> int:
        """Return the number of what left an element without a value, for `causes` of `written`."""
        if text not in self._causes:
            self._causes.append(text)
        return self._causes.index(text)

    def written(
        self,
        group: Group,
        mask: Active,
        chosen: NDArray[Any],
        where: NDArray[np.intp],
        known: NDArray[np.bool_],
        span: Span,
        access: Access,
        causes: NDArray[np.intp] | None,
    ) -> None:
        """Report lanes that meet an element without a value: `known` tells which elements at `where` have one.

        `causes` are the numbers of the stores that gave them none, -1 where there was no store.
        """
        lacking = ~(known if known.ndim == 1 else known.all(axis=1))
        bad = where[lacking]
        if not len(bad):
            return
        if causes is None:
            self._unwritten(group, mask, chosen, bad, span, access, None)
            return
        if causes.ndim > 1:
            causes = np.where(known, -1, causes).max(axis=1)
        causes = causes[lacking]
        for cause in np.unique(causes):
            text = None if cause < 0 else self._causes[cause]
            self._unwritten(group, mask, chosen, bad[causes == cause], span, access, text)

    def _unwritten(
        self,
        group: Group,
        mask: Active,
        chosen: NDArray[Any],
        bad: NDArray[np.intp],
        span: Span,
        access: Access,
        cause: Callable[[], str] | None,
    ) -> None:
        lanes, index = group.lanes[bad if mask is None else mask.where[bad]], chosen[bad]
        if not self._recorder.unwritten(self.number, span, access, lanes, index, cause):
            self._hazards.unwritten(self.info, span, access, self._recorder.current, lanes, index, cause)

    def aligned(self, group: Group, mask: Active, chosen: NDArray[Any], access: Access, span: Span, width: int) -> None:
        """Report lanes whose access of several elements does not begin at a multiple of its size."""
        item = self.info.dtype.itemsize
        bad = np.flatnonzero((chosen.astype(np.int64) * item + self.info.address) % (width * item))
        if len(bad):
            lane, index = self._lane(group, mask, bad[0]), int(chosen[bad[0]])
            self._report(
                "misaligned-access",
                span,
                len(bad),
                lane,
                index,
                access,
                lambda: (
                    f"{self._hazards.name(lane)} {access}s {width * item} bytes at "
                    f"{element_name(self.info, index, flat=True)}, byte {self.info.address + index * item} of "
                    f"{self.info.space} memory: the address must be a multiple of {width * item}; use an index that is "
                    f"a multiple of {width}, or smaller accesses"
                ),
            )

    def _span(self, index: int, width: int) -> str:
        if width == 1 or self.info.struct is not None:
            return element_name(self.info, index, width, flat=True)
        return f"{self.info.name}[{index}…{index + width - 1}]"

    def _report(
        self,
        kind: str,
        span: Span,
        count: int,
        lane: int,
        index: int,
        access: Access,
        message: Callable[[], str],
    ) -> None:
        self._hazards.report(
            kind,
            Place(span, self.info.space, self.info.name),
            self._recorder.current,
            count,
            ((lane, span, access),),
            message,
            index,
        )

    @staticmethod
    def _lane(group: Group, mask: Active, position: int) -> int:
        return int(group.lanes[position if mask is None else mask.where[position]])
