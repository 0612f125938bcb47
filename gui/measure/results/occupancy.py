"""Rate against theoretical occupancy: at one size, a curve for each kernel, a point for each block."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from gui.measure.results.chart import Chart, ChartCurve, Known, Memo
from gui.measure.results.roles import GFLOPS, elsewhere, kernel_of, rates, unit
from gui.measure.results.series import join
from gui.measure.words import some_of
from kernels.device import device_of_driver
from kernels.errors import TilescopeError
from kernels.occupancy import Occupancy, occupancy
from kernels.occupancy import words as occupancy_words
from kernels.occupancy.resources import shipped_resources
from kernels.words import percent, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.measure.results.series import Origin, Series
    from kernels.launch import Dim3
    from kernels.workload import Size

_WHOLE: Final = (0.0, 108.0)
"""Percent, with room for marks and label at 100 %."""


class OccupancyKey(NamedTuple):
    """A launch on a device."""

    kernel: str
    block: Dim3
    size: Size
    gpu: str
    """The driver's name of the device."""


def find_occupancy(key: OccupancyKey) -> Occupancy:
    """Compute the occupancy from the register counts that ship with the program; raises TilescopeError."""
    kernel, device = kernel_of(key.kernel), device_of_driver(key.gpu)
    if kernel is None or device is None:
        raise TilescopeError(f"{key.kernel} on {key.gpu or 'an unknown device'} is not known here")
    resources = shipped_resources(kernel, key.size, key.block, device)
    launch = kernel.launch(key.size, key.block)
    return occupancy(device, resources, key.block.count, launch.dynamic_shared_bytes)


class OccupancyFigures:
    """Rates against theoretical occupancy at `size`, in one unit: that of the first series with a block at it."""

    caption = (
        "A curve joins the blocks of a kernel. The occupancy follows from registers, shared memory and block size; a "
        "higher one hides more latency, and alone makes no kernel faster."
    )

    def __init__(self, known: Known) -> None:
        self.size: Size | None = None
        """The user's choice; None for the size with most blocks, of those the largest."""
        self._known = known
        self._size: Size | None = None
        self._version = -1
        self._counted: tuple[tuple[Series, ...], dict[Size, int]] | None = None
        """Series, and their sizes."""
        self._curves: Memo[tuple[Series, ...], ChartCurve] = Memo(self._curve)

    def sizes(self, series: Sequence[Series]) -> dict[Size, int]:
        """Return the sizes at which blocks were measured, rising, each with the number of blocks."""
        if self._counted is None or self._counted[0] != tuple(series):
            found: Counter[Size] = Counter()
            for each in series:
                if each.entry.block is not None:
                    found.update(each.by_size.keys())
            self._counted = (
                tuple(series),
                dict(sorted(found.items(), key=lambda item: item[0][0] * item[0][1] * item[0][2])),
            )
        return self._counted[1]

    def chosen(self, series: Sequence[Series]) -> Size | None:
        """Return the size that is drawn; None if no block was measured."""
        sizes = self.sizes(series)
        if self.size in sizes:
            return self.size
        most = max(sizes.values(), default=0)
        return next((size for size in reversed(sizes) if sizes[size] == most), None)

    def keys(self, series: Sequence[Series]) -> list[OccupancyKey]:
        """Return the launches whose occupancy is needed."""
        size = self.chosen(series)
        return [key for each in series if size is not None and (key := _key(each, size)) is not None]

    def chart(self, series: Sequence[Series]) -> Chart:
        """Return the chart of these series, as far as the occupancy is known."""
        size = self.chosen(series)
        if (size, self._known.version) != (self._size, self._version):
            self._size, self._version = size, self._known.version
            self._curves = Memo(self._curve)
        placed = [each for each in series if size in each.by_size and each.entry.block is not None]
        shown = unit(placed[0]) if placed else GFLOPS
        groups: dict[tuple[Origin, str, str, bool], list[Series]] = {}
        for each in placed:
            if unit(each) == shown:
                groups.setdefault((each.origin, each.entry.kernel, each.entry.memory, each.entry.cold), []).append(each)
        curves = [curve for curve in self._curves(map(tuple, groups.values())) if np.isfinite(curve.x).any()]
        return Chart(
            "theoretical occupancy, %",
            shown,
            tuple(curves),
            notes=(*elsewhere(placed, shown, "not in this chart"), *self._notes(series, size)),
            empty="No block of a kernel is measured on a known GPU. Tick blocks below a kernel and press Start.",
            sizes=False,
            log=(False, None),
            x_range=_WHOLE,
        )

    def describe(self, curve: ChartCurve, row: int) -> tuple[str, ...]:
        """Say the block, and what limits its occupancy."""
        record = curve.series.rows[row]
        point = record.sample.point
        gpu = record.environment.gpu if record.environment else ""
        block = point.entry.block
        if block is None:
            return ()
        found = self._known.get(OccupancyKey(point.entry.kernel, block, point.size, gpu))
        if not isinstance(found, Occupancy):
            return (f"block {block}",)
        why = "the SM is full" if found.full else f"limited by {occupancy_words.limiter_name(found)}"
        blocks = plural(found.resident_blocks, "block")
        return (f"block {block}: {percent(found.fraction)} occupancy, {blocks} on an SM; {why}",)

    def _curve(self, group: tuple[Series, ...]) -> ChartCurve:
        """Join the points of a kernel's blocks at the size to one curve, by rising occupancy."""
        points = []
        for each in group:
            key = _key(each, self._size) if self._size else None
            found = self._known.get(key) if key else None
            if self._size is not None:
                share = 100 * found.fraction if isinstance(found, Occupancy) else np.nan
                points.append((share, each, each.by_size[self._size]))
        points.sort(key=lambda point: point[0])
        joined = join([(each, row) for _, each, row in points], group[0].label_without_block)
        return ChartCurve(joined, np.array([share for share, _, _ in points]), rates(joined))

    def _notes(self, series: Sequence[Series], size: Size | None) -> list[str]:
        """Say which kernels have no occupancy, and why."""
        refused = {
            str(why): None
            for each in series
            if size is not None and (key := _key(each, size)) is not None
            if isinstance(why := self._known.get(key), TilescopeError)
        }
        return [f"Not drawn: {some_of(refused)}."] if refused else []


def _key(series: Series, size: Size) -> OccupancyKey | None:
    """Return the launch of a series at a size; None for what has no block, or was not measured at it."""
    row = series.by_size.get(size)
    if row is None or series.entry.block is None:
        return None
    environment = series.rows[row].environment
    return OccupancyKey(series.entry.kernel, series.entry.block, size, environment.gpu if environment else "")
