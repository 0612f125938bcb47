"""Memory row: one warp's accesses to memory in a step, the totals so far, and the counts of each source line.

A frozen snapshot, computed from trace, frame and focus; all numbers come from `kernels.analysis`. Words are Nsight
Compute's; `WORDS` explains them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from gui.explore.stage.focus import NOTHING, Focus
from kernels.analysis.metrics.pattern_groups import LINE_BYTES
from kernels.analysis.metrics.requests import SECTOR_BYTES
from kernels.analysis.metrics.warp_access import warp_accesses, warps_in
from kernels.analysis.values.elements import elements_at
from kernels.launch import WARP_SIZE
from kernels.words import percent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from gui.explore.stage.stage import Stage
    from gui.explore.stage.views import Place
    from kernels.analysis import Frame
    from kernels.analysis.metrics.memory_history import ElementReads, LineCount, Totals
    from kernels.analysis.metrics.warp_access import BankUse, WarpAccess, WarpRequest
    from kernels.trace import ArrayInfo, Trace
    from kernels.trace.records import Access

SECTORS_PER_LINE: Final = LINE_BYTES // SECTOR_BYTES

WORDS: Final[Mapping[str, str]] = {
    "Request": "One memory instruction of one warp.",
    "Sector": "32 aligned bytes of global memory, the smallest part that is transferred. Four are a line of 128 bytes.",
    "Ideal": "Sectors or wavefronts that the same lanes would need if they accessed neighbouring elements, without "
    "bank conflicts.",
    "Bank": "Shared memory has 32 banks of 4 bytes. Each serves one word in a wavefront; lanes that read the same word "
    "share it.",
    "Wavefront": "Part of a request that shared memory serves at once. An n-way bank conflict takes n wavefronts.",
    "Executions": "Warps that executed a statement of this line.",
    "Intensity": "Arithmetic intensity: floating-point operations per byte of global traffic, 32 bytes a sector.",
}
"""Explanations of the words in the memory row and in the gutter."""


SEPARATOR: Final = " · "
_NAME: Final = "\0"
"""Stands for the name of an array in a sentence about several."""

_NAMED: Final = 3
"""Lanes with even steps between them that are named one by one; of more only the first two and the last are."""

_VERBS: Final[Mapping[Access, str]] = {"read": "load", "write": "store", "atomic": "atomic"}
_DOING: Final[Mapping[Access, str]] = {"read": "want", "write": "write", "atomic": "update"}

_MOST_ACROSS: Final = 4
"""Lines of a row of the array that are drawn side by side; of longer rows only the touched lines are drawn."""

_FEW_ROWS: Final = 2
"""Rows that are too few to be drawn as such where the lines in them are more."""


@dataclass(frozen=True, slots=True, eq=False)
class StripRows:
    """Touched lines of a strip in rows: those of the array where they are whole lines, else one line each."""

    across: int
    """Lines in each row."""
    row: NDArray[np.int64]
    """Row of each touched line, counted without the rows that nothing touches."""
    column: NDArray[np.int64]
    """Position of each touched line in its row."""
    gaps: NDArray[np.int64]
    """Untouched rows in front of each row, since the row before; 0 for the first."""
    names: tuple[str, ...]
    """First element of each row: "A[3][0]"."""
    noun: str
    """ "row" of the array, or "line"."""

    @property
    def even(self) -> bool:
        """True if as many rows are untouched between all neighbours, perhaps none."""
        return len(np.unique(self.gaps[1:])) <= 1

    def left_out(self, gap: int) -> str:
        """Say how many rows are left out: "7 lines left out"."""
        return f"{_count(gap, self.noun)} left out"


@dataclass(frozen=True, slots=True, eq=False)
class Strip:
    """Global memory that one request touches, as lines of 128 bytes in the order of their addresses."""

    lines: NDArray[np.int64]
    """Numbers of the touched lines, ascending: byte address / 128."""
    gaps: NDArray[np.int64]
    """Untouched lines in front of each line, since the line before; 0 for the first."""
    offsets: NDArray[np.int64]
    """Byte of the array with which each line begins; negative where the line begins before the array."""
    touched: NDArray[np.bool_]
    """[lines, 4]: sectors that are accessed."""
    inside: NDArray[np.bool_]
    """[lines, 4]: sectors that hold a byte of the array."""
    lanes: NDArray[np.int64]
    """Numbers of the active lanes in their warp, ascending."""
    lane_line: NDArray[np.int64]
    """Position in `lines` of each active lane's access."""
    lane_byte: NDArray[np.int64]
    """First byte of each active lane's access in its line: 0 … 127."""
    size: int
    """Bytes per lane."""
    names: tuple[str, ...]
    """First element of each line: "A[3][0]"."""
    wordings: tuple[str, ...]
    """Number of lines, and what is special about them, in words; after that in fewer words."""
    sharing: str
    """That lanes write or update one address, in words; empty if none do."""
    item: int
    """Bytes of an element."""
    rows: StripRows
    """The same lines, one row below the other."""

    @property
    def lane_sector(self) -> NDArray[np.int64]:
        """Sector in its line of each active lane's access: 0 … 3."""
        return self.lane_byte // SECTOR_BYTES

    @property
    def wanted(self) -> NDArray[np.int64]:
        """[lines, 4]: bytes of each sector that some lane accesses; an element that several read counts once."""
        pairs = np.unique(np.stack([self.lane_line, self.lane_byte]), axis=1)
        found = np.zeros((len(self.lines), SECTORS_PER_LINE), np.int64)
        np.add.at(found, (pairs[0], pairs[1] // SECTOR_BYTES), self.size)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class BankCard:
    """Banks of shared memory that one request uses."""

    use: BankUse
    collisions: tuple[str, ...]
    """The lanes that collide, by bank: "bank 0: lanes 0…31"."""
    note: str
    """Conflict, broadcast or neither, in words."""
    brief: str
    """The note of a broadcast in fewer words; other notes as they are."""

    @property
    def wavefronts(self) -> int:
        """Wavefronts of the request."""
        return int(self.use.wavefront.max()) + 1

    @property
    def wordings(self) -> tuple[str, ...]:
        """The note in full, and in fewer words or with fewer and fewer of the banks that collide."""
        if not self.collisions:
            return self.note, self.brief
        conflict, count = f"{self.use.conflict}-way bank conflict", len(self.collisions)
        several = [f"{conflict}, {'; '.join(self.collisions[:n])}; {count - n} more" for n in range(count - 1, 0, -1)]
        return self.note, *several, f"{conflict} in {_count(count, 'bank')}"


@dataclass(frozen=True, slots=True, eq=False)
class AccessRow:
    """One access of the warp: a site of the step's statement."""

    counts: WarpAccess
    """The access with its site, array and costs."""
    strips: tuple[Strip, ...]
    """One for each request to global memory; none for other spaces."""
    banks: tuple[BankCard, ...]
    """One for each request to shared memory; none for other spaces."""
    tint: Place | None
    """Place whose colour the array has in the picture; None if it is not drawn."""
    title: str
    """Kind of access and array: "load A"."""
    wordings: tuple[str, ...]
    """Lanes, counts and bytes used, "32 lanes → 4 sectors, ideal 4 · 128 of 128 bytes used", and in fewer words."""

    @property
    def name(self) -> str:
        """Name of the array."""
        return self.counts.array.name

    @property
    def kind(self) -> Access:
        """Kind of access."""
        return self.counts.site.access

    @property
    def text(self) -> str:
        """All words."""
        return self.wordings[0]


@dataclass(frozen=True, slots=True, eq=False)
class Card:
    """One request of the warp, or all accesses to local and constant memory, which have no picture."""

    access: AccessRow
    strip: Strip | None
    bank: BankCard | None
    title: str
    text: str
    others: tuple[AccessRow, ...] = ()
    """Accesses without a picture after the first one."""

    @property
    def words(self) -> str:
        """All that the card says."""
        more = (f"{access.title}: {access.text}" for access in self.others)
        return "; ".join([f"{self.title}: {self.text}", *filter(None, self.notes[:1]), *more])

    @property
    def notes(self) -> tuple[str, ...]:
        """Lines or banks in words, and in fewer and fewer words."""
        shown = self.strip if self.strip is not None else self.bank
        return shown.wordings if shown is not None else ("",)

    @property
    def lanes(self) -> frozenset[int]:
        """Active lanes."""
        if self.strip is not None:
            return frozenset(self.strip.lanes.tolist())
        return frozenset(self.bank.use.lane.tolist()) if self.bank is not None else frozenset()

    @property
    def inefficient(self) -> bool:
        """True if fewer sectors or wavefronts would do."""
        access = self.access.counts
        return access.ideal_sectors < access.sectors or access.ideal_wavefronts < access.wavefronts

    @property
    def headline(self) -> str:
        """Lanes and elements in words: "Load A: 32 lanes want 32 elements, 128 bytes"."""
        title, doing = self.title[:1].upper() + self.title[1:], _DOING[self.access.kind]
        if self.strip is not None:
            count, used = len(self.strip.lanes), int(self.strip.wanted.sum())
            elements = "one element" if used == self.strip.item else _count(used // self.strip.item, "element")
            return f"{title}: {_subject(count, doing)} {elements}, {_count(used, 'byte')}"
        if self.bank is not None:
            count, words = len(np.unique(self.bank.use.lane)), len(np.unique(self.bank.use.word))
            return f"{title}: {_subject(count, doing)} {_count(words, 'word')} of shared memory"
        return f"{title}: {self.text}"

    @property
    def details(self) -> tuple[str, ...]:
        """Cost of the request in words: the sectors moved and bytes used, or the wavefronts; then in fewer words."""
        strip, bank = self.strip, self.bank
        if bank is not None:
            waves, ideal = bank.wavefronts, int((bank.use.ways.max(axis=1) > 0).sum())
            cost = f"{_count(waves, 'wavefront')}, {ideal} would do" if ideal < waves else _count(waves, "wavefront")
            return *(f"{cost}: {words}" for words in bank.wordings), cost
        if strip is None:
            return ("",)
        sectors, used = int(strip.touched.sum()), int(strip.wanted.sum())
        ideal = -(-used // SECTOR_BYTES)
        moved = f"{_count(sectors, 'sector')} in {_count(len(strip.lines), 'line')}"
        brief = _used_of(used, sectors)
        more = strip.sharing or (f"{_count(ideal, 'sector')} would do" if ideal < sectors else "")
        first = (f"{moved} moved: {brief}; {more}",) if more else ()
        return *first, f"{moved} moved: {brief}", f"{_count(sectors, 'sector')}: {brief}", brief


@dataclass(frozen=True, slots=True)
class Fact:
    """One of the totals, in words."""

    text: str
    """In full: "76 loads, 395 sectors"."""
    short: str
    """In fewer words."""
    rank: int
    """Facts of a lower rank are more important."""
    shortest: str = ""
    """In as few words as possible, where even the most important fact does not fit."""


@dataclass(frozen=True, slots=True)
class GutterCount:
    """Counts of one source line: so far, and in the whole run."""

    line: int
    now: LineCount | None
    """None before the first execution."""
    whole: LineCount

    @property
    def text(self) -> str:
        """Counts in words: so far, and in the whole run."""
        now = "not executed yet" if self.now is None else _line_text(self.now)
        return f"Line {self.line}, so far: {now}.\nIn the whole run: {_line_text(self.whole)}."


@dataclass(frozen=True, slots=True, eq=False)
class MemoryRow:
    """Contents of the memory row and of the gutter at one frame."""

    warp: int
    """Number of the shown warp in its block."""
    lane: int
    """Lane of the thread in focus in this warp, or -1."""
    warps: tuple[int, ...]
    """Numbers in the block of all warps that take part in the step."""
    accesses: tuple[AccessRow, ...]
    """Accesses of the shown warp, in order of execution; empty if the step accesses no memory."""
    facts: tuple[Fact, ...]
    """Totals so far."""
    run_accesses: bool
    """True if the run accesses memory at all."""
    gutter: tuple[GutterCount, ...]
    """Counts of each source line that the run executes, ascending."""

    @property
    def heading(self) -> str:
        """Shown warp, and that it accesses no memory where this is so."""
        if self.accesses:
            return f"Warp {self.warp}"
        if self.warp not in self.warps:
            return f"Warp {self.warp} does not take part in this step."
        return f"Warp {self.warp} accesses no memory in this step."


def build_memory_row(stage: Stage, frame: Frame, focus: Focus = NOTHING) -> MemoryRow | None:
    """Build the memory row of a frame; None for a CPU baseline, which has no warps.

    It shows the warp of the thread in focus, else the first warp of the block that accesses memory.
    """
    if stage.on_cpu:
        return None
    trace, history = stage.trace, stage.memory_history
    first = frame.block * trace.launch.warps_per_block
    warps = warps_in(trace, frame.step, frame.block)
    warp, lane, accesses = _shown_warp(trace, frame, warps, focus)
    reads = [(trace.arrays[array].name, history.reads(array, frame)) for array in stage.global_inputs]
    now = {count.line: count for count in history.lines(frame)}
    return MemoryRow(
        warp - first,
        lane,
        tuple(number - first for number in warps),
        tuple(_access_row(stage, access) for access in accesses),
        _facts(history.totals(frame), reads),
        len(trace.group_site) > 0,
        tuple(GutterCount(whole.line, now.get(whole.line), whole) for whole in stage.line_counts),
    )


def cards_of(accesses: tuple[AccessRow, ...]) -> tuple[Card, ...]:
    """Return a card for each request of a warp to global or shared memory, and one for all others."""
    found: list[Card] = []
    for access in accesses:
        parts: list[tuple[Strip | None, BankCard | None]] = [
            *((strip, None) for strip in access.strips),
            *((None, bank) for bank in access.banks),
        ]
        for number, (strip, bank) in enumerate(parts, 1):
            title = access.title if len(parts) == 1 else f"{access.title}, request {number} of {len(parts)}"
            found.append(Card(access, strip, bank, title, access.text if number == 1 else ""))
    others = tuple(access for access in accesses if not access.strips and not access.banks)
    if others:
        found.append(Card(others[0], None, None, others[0].title, others[0].text, others[1:]))
    return tuple(found)


def access_rows(stage: Stage, step: int, warp: int) -> tuple[AccessRow, ...]:
    """Return the accesses of a warp (number in the grid) in a step."""
    return tuple(_access_row(stage, access) for access in warp_accesses(stage.trace, step, warp))


def warp_facts(totals: Totals) -> tuple[tuple[str, str], ...]:
    """Return the totals of one warp as names and numbers; the heading of each memory space has no number."""
    found: list[tuple[str, str]] = []
    if count := totals.requests("global"):
        sectors = f"{totals.sectors:,}, ideal {totals.ideal_sectors:,}"
        used = f"{totals.used_bytes:,} of {totals.sector_bytes:,}"
        share = percent(totals.used_bytes / totals.sector_bytes) if totals.sectors else ""
        found += [("Global memory", ""), ("requests", f"{count:,}"), ("sectors", sectors)]
        found += [("bytes used", used), ("", share)]
    if count := totals.requests("shared"):
        waves = f"{totals.wavefronts:,}, ideal {totals.ideal_wavefronts:,}"
        found += [("Shared memory", ""), ("requests", f"{count:,}"), ("wavefronts", waves)]
    return tuple(found)


def _shown_warp(
    trace: Trace, frame: Frame, warps: tuple[int, ...], focus: Focus
) -> tuple[int, int, tuple[WarpAccess, ...]]:
    """Return the shown warp, the lane in focus or -1, and the accesses."""
    launch = trace.launch
    block, thread = divmod(focus.lane, launch.block.count) if focus.lane >= 0 else (-1, 0)
    if block == frame.block:
        warp = block * launch.warps_per_block + thread // WARP_SIZE
        return warp, thread % WARP_SIZE, warp_accesses(trace, frame.step, warp)
    for warp in warps:
        if accesses := warp_accesses(trace, frame.step, warp):
            return warp, -1, accesses
    return warps[0] if warps else frame.block * launch.warps_per_block, -1, ()


def _access_row(stage: Stage, access: WarpAccess) -> AccessRow:
    info = access.array
    tints = (tint for view, tint in zip(stage.views, stage.tints, strict=True) if view.array == access.site.array)
    return AccessRow(
        counts=access,
        strips=tuple(_strip(request, access) for request in access.requests if info.space == "global"),
        banks=tuple(
            _bank_card(request.banks, _sharing(request, access))
            for request in access.requests
            if request.banks is not None
        ),
        tint=next(tints, None),
        title=f"{_VERBS[access.site.access]} {info.name}",
        wordings=_access_wordings(access),
    )


def _sharing(request: WarpRequest, access: WarpAccess) -> str:
    """Return what it means that lanes access one address; empty if each has its own, and for loads, which share."""
    _, lanes = np.unique(request.addresses, return_counts=True)
    most = int(lanes.max(initial=0))
    if most < 2 or access.site.access == "read":
        return ""
    if access.site.access == "atomic":
        return f"{most} lanes update one address, one after another"
    return f"{most} lanes write one address, and one of them stays"


def _strip(request: WarpRequest, access: WarpAccess) -> Strip:
    info = access.array
    lines, lane_line = np.unique(request.lane_lines, return_inverse=True)
    first = lines[:, None] * LINE_BYTES + np.arange(SECTORS_PER_LINE) * SECTOR_BYTES - info.address
    touched = np.zeros(first.shape, bool)
    byte = request.addresses % LINE_BYTES
    touched[lane_line, byte // SECTOR_BYTES] = True
    inside = (first + SECTOR_BYTES > 0) & (first < info.size * info.dtype.itemsize)
    gaps = np.diff(lines, prepend=lines[:1] - 1) - 1
    begins = elements_at(info, np.maximum(first[:, 0], 0) // info.dtype.itemsize)
    names = tuple(begins.name(at) for at in range(len(lines)))
    note, sharing = f"{_count(len(lines), 'line')} of {LINE_BYTES} bytes", _sharing(request, access)
    one = len(np.unique(request.addresses)) == 1 and len(request.lanes) > 1
    if more := sharing or (f"all {len(request.lanes)} lanes access one element" if one else ""):
        note += f", {more}"
    outside = () if inside.all() else (f"{note}, dashed: outside {info.name}",)
    notes = *outside, note, more or _count(len(lines), "line"), _count(len(lines), "line")
    where = lines, gaps, first[:, 0], touched, inside, request.lanes, lane_line, byte, request.size
    return Strip(*where, names, notes, sharing, info.dtype.itemsize, _strip_rows(lines, info))


def _strip_rows(lines: NDArray[np.int64], info: ArrayInfo) -> StripRows:
    """Place lines in rows of the array, if its rows are a few whole lines, and these are more rows than two."""
    item, begin = info.dtype.itemsize, info.address // LINE_BYTES
    each = info.shape[-1] * item if len(info.shape) == 2 and info.address % LINE_BYTES == 0 else 0
    across, rest = divmod(each, LINE_BYTES)
    whole = rest == 0 and 0 < across <= _MOST_ACROSS
    if whole and across > 1 and len(np.unique((lines - begin) // across)) <= _FEW_ROWS < len(lines):
        whole = False
    across = across if whole else 1
    number, column = np.divmod(lines - begin, across)
    rows, row = np.unique(number, return_inverse=True)
    first = (begin + rows * across) * LINE_BYTES - info.address
    begins = elements_at(info, np.clip(first // item, 0, info.size - 1))
    names = tuple(begins.name(at) for at in range(len(rows)))
    gaps = np.diff(rows, prepend=rows[:1] - 1) - 1
    return StripRows(across, row.reshape(-1), column, gaps, names, "row" if whole else "line")


def _bank_card(use: BankUse, sharing: str) -> BankCard:
    ways = use.ways.max(axis=0)
    collisions = tuple(f"bank {bank}: lanes {_ranges(lanes)}" for bank, lanes in use.colliding)
    words, lanes, brief = len(np.unique(use.word)), len(np.unique(use.lane)), ""
    if collisions:
        note = f"{use.conflict}-way bank conflict, {'; '.join(collisions)}"
    elif sharing:
        note = f"no conflict, but {sharing}"
    elif words == 1 and lanes > 1:
        note = f"no conflict: {lanes} lanes share one word of bank {use.bank[0]} (broadcast)"
        brief = f"broadcast: {lanes} lanes share one word"
    elif len(use.word) > words:
        note = f"no conflict: lanes share {words} words in {np.count_nonzero(ways)} banks (broadcast)"
        brief = f"broadcast: lanes share {words} words"
    elif len(use.ways) > 1:
        note = f"no conflict: served in {len(np.unique(use.part))} passes over parts of the warp"
    else:
        note = f"no conflict: {_count(words, 'word')} in {_count(int(np.count_nonzero(ways)), 'bank')}"
    return BankCard(use, collisions, note, brief or note)


def _access_wordings(access: WarpAccess) -> tuple[str, ...]:
    lanes = _count(access.accesses, "lane")
    if len(access.requests) > 1:
        lanes += f", {_count(len(access.requests), 'request')}"
    count = _access_count(access)
    if access.array.space == "global":
        used = _used_of(access.used_bytes, access.sectors)
        return f"{lanes} → {count}, ideal {access.ideal_sectors:,} · {used}", f"{count} · {used}", used, count
    if access.array.space == "shared":
        return f"{lanes} → {count}, ideal {access.ideal_wavefronts:,}", count
    if access.array.space == "local":
        return f"{lanes} → {count}: registers or local memory", count
    return f"{lanes} → {count} of {access.array.space} memory", count


def _used_of(used: int, sectors: int) -> str:
    """Return the bytes used of those that some sectors move, in words: "128 of 1,024 bytes used"."""
    return f"{used:,} of {sectors * SECTOR_BYTES:,} bytes used"


def _subject(count: int, doing: str) -> str:
    return f"{_count(count, 'lane')} {doing}{'s' * (count == 1)}"


def _access_count(access: WarpAccess) -> str:
    if access.array.space == "global":
        return _count(access.sectors, "sector")
    if access.array.space == "shared":
        return _count(access.wavefronts, "wavefront")
    if access.array.space == "local":  # without requests where the compiler keeps it in registers
        return "per-thread array"
    return _count(len(access.requests), "request")


def _reads_text(name: str, reads: ElementReads) -> str:
    """Return "each A read 2×", or "A: 4 of 9 read 1×" before the others are read."""
    if not reads.total:
        return f"{name} not read yet"
    size = reads.reads.size
    which = f"each {name}" if reads.elements == size else f"{name}: {reads.elements:,} of {size:,}"
    if reads.even:
        return f"{which} read {reads.most:,}×"
    return f"{which} read {reads.average:,.2f}× on average"


def _facts(totals: Totals, reads: list[tuple[str, ElementReads]]) -> tuple[Fact, ...]:
    # The sectors are written with the requests that take them: those of stores would look like a cost of loads.
    kinds: tuple[tuple[Access, str, int], ...] = (("read", "load", 0), ("write", "store", 5), ("atomic", "atomic", 4))
    found = []
    for kind, noun, rank in kinds:
        sectors = _count(totals.sectors_of(kind), "sector")
        if (count := totals.requests("global", kind)) or kind == "read":
            text = f"{_count(count, noun)}, {sectors}"
            found.append(Fact(text, text, rank, sectors))
    if totals.requests("shared"):
        waves, ideal = _count(totals.wavefronts, "wavefront"), totals.wavefronts == totals.ideal_wavefronts
        text = f"{waves}, ideal {totals.ideal_wavefronts:,}"
        short = f"{waves} (ideal)" if ideal else text
        found.append(Fact(text, short, 3 if ideal else 1))
    if reads:
        text = SEPARATOR.join(_reads_text(name, read) for name, read in reads)
        found.append(Fact(text, SEPARATOR.join(_alike(reads)), 2))
    if totals.flops and totals.intensity is not None:
        text = f"intensity {totals.intensity:.2g} FLOP/byte"
        found.append(Fact(text, text, 6))
    return tuple(found)


def fitting_facts(facts: Sequence[Fact], fits: Callable[[str], bool]) -> str:
    """Return all facts in full if they fit, else the most important ones that fit, in few words."""
    whole = SEPARATOR.join(fact.text for fact in facts)
    if fits(whole):
        return whole
    chosen: list[Fact] = []

    def words(some: Sequence[Fact]) -> str:
        return SEPARATOR.join(fact.short for fact in facts if fact in some)

    for fact in sorted(facts, key=lambda fact: fact.rank):
        if fits(words([*chosen, fact])):
            chosen.append(fact)
        elif not chosen:
            return fact.shortest
    return words(chosen)


def _alike(reads: list[tuple[str, ElementReads]]) -> list[str]:
    """Say of several arrays at once what is true of all of them: "each A and B read 2×"."""
    names: dict[str, list[str]] = {}
    for name, read in reads:
        names.setdefault(_reads_text(_NAME, read), []).append(name)
    return [text.replace(_NAME, " and ".join(own)) for text, own in names.items()]


def _line_text(count: LineCount) -> str:
    parts = [f"executed by {_count(count.executions, 'warp')}"]
    if count.sectors:
        parts.append(f"{_count(count.sectors, 'sector')}, ideal {count.ideal_sectors:,}")
    if count.wavefronts:
        parts.append(f"{_count(count.wavefronts, 'wavefront')}, ideal {count.ideal_wavefronts:,}")
    return "; ".join(parts)


def _count(number: int, noun: str) -> str:
    """Return a number with its noun: "1 lane", "1,024 sectors"."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _ranges(numbers: tuple[int, ...]) -> str:
    """Write ascending numbers with runs of three or more as ranges: "0…3, 8, 9"; or even steps: "0, 4, … 28"."""
    if len(numbers) > _NAMED and len(steps := {b - a for a, b in pairwise(numbers)}) == 1 and steps != {1}:
        return f"{numbers[0]}, {numbers[1]}, … {numbers[-1]}"
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [[f"{run[0]}…{run[-1]}"] if len(run) > 2 else [str(n) for n in run] for run in runs]
    return ", ".join(word for part in parts for word in part)
