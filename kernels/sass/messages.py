"""Notes: one sentence for each difference between accesses as written and as compiled."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from kernels.analysis.requests import NO_ADDRESS
from kernels.analysis.syntax import text_at
from kernels.narration.words import join_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernels.analysis.requests import Requests
    from kernels.sass.candidates import CompiledAccesses
    from kernels.sass.counts import Compiled
    from kernels.sass.uncounted_accesses import UncountedAccesses
    from kernels.trace import Trace

_NUMBERS = {2: "two", 4: "four", 8: "eight", 16: "sixteen"}


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence about the accesses to one array on a line."""

    line: int
    array: str
    text: str


def notes(trace: Trace, code: Compiled) -> tuple[Note, ...]:
    """Explain every difference, in the order of the lines; accesses as written get no note."""
    found: dict[tuple[str, str], Note] = {}
    for accesses in code.accesses:
        site = trace.sites[accesses.sites[0]]
        array = trace.arrays[site.array].name
        for text in _sentences(trace, accesses):
            found.setdefault((array, text), Note(site.span.line, array, text))
    for uncounted in code.uncounted:
        text = _uncounted_sentence(uncounted)
        found.setdefault(("", f"{uncounted.line} {text}"), Note(uncounted.line, "", text))
    return tuple(sorted(found.values(), key=lambda note: note.line))


def _sentences(trace: Trace, a: CompiledAccesses) -> Iterator[str]:
    sites = [trace.sites[number] for number in a.sites]
    names = join_words(list(dict.fromkeys(text_at(trace, site.span) for site in sites)))
    array, read = trace.arrays[sites[0].array].name, sites[0].access == "read"
    if a.fate == "in registers":
        yield f"the compiler keeps {array} in registers: no memory is accessed"
    elif a.fate == "left out":
        verb = "read" if read else "written"
        yield f"the compiler leaves {names} out: the values are {verb} on other lines or not needed"
    elif a.fate == "unknown":
        yield f"the compiled code does not tell which instructions access {names}: counted as written"
    else:
        parts = [part for part in (_repeats(a, read=read), _widths(a, read=read)) if part] if a.source_requests else []
        if parts:
            yield f"the compiler {'reads' if read else 'writes'} {names} {', and '.join(parts)}"
        count = sum(len(requests) for requests in a.compiled_requests.values())
        if not parts and count > sum(len(requests) for requests in a.source_requests.values()):
            yield f"lanes with different trip counts diverge in the unrolled loop: {count:,} requests of {names}"
        if a.inactive:
            times = "once" if a.inactive == 1 else f"{a.inactive:,} times"
            yield f"the guard of {names} is the instruction's predicate: warps execute it {times} with no active lane"


def _uncounted_sentence(uncounted: UncountedAccesses) -> str:
    """Say which accesses a GPU counts in addition, or in another way."""
    memory = f"{uncounted.space} memory"
    match uncounted.cause, uncounted.access:
        case "system", _:
            return "printf, malloc and free access internal memory: a GPU also counts these accesses"
        case "copy", "write":
            return "asynchronous copies write to shared memory: a GPU does not count them as stores"
        case "copy", _:
            return "compilers put loads that read nothing before asynchronous copies: a GPU also counts these loads"
        case "atomic", _:
            return f"the atomic is a loop that reads {memory} again after each collision: a GPU also counts these reads"
    what = f"{'reads' if uncounted.access == 'read' else 'writes'} {memory}"
    return f"the compiled code also {what} for other purposes, such as a table of sinf: a GPU counts that, too"


def _widths(a: CompiledAccesses, *, read: bool) -> str:
    """Say how many elements an instruction accesses, or in how many pieces it accesses one."""
    widest, written = max(a.compiled_requests), max(a.source_requests)
    kind = f"{8 * widest}-bit {'loads' if read else 'stores'}"
    if widest < written:
        return f"in {written // widest} pieces: {kind}"
    count = widest // min(a.source_requests)
    if widest == written or count == 1:
        return ""
    where = "" if len(a.compiled_requests) == 1 else " where it can"
    rest = ", also where fewer are left" if _bytes(a.compiled_requests) > _bytes(a.source_requests) else ""
    return f"{_NUMBERS.get(count, str(count))} at a time{where}{rest}: {kind}"


def _repeats(a: CompiledAccesses, *, read: bool) -> str:
    """Say how often the source repeats an access that the compiler makes once."""
    times = Fraction(_bytes(a.source_requests), _bytes(a.compiled_requests))
    if times <= 1:
        return ""
    verb = "reads" if read else "writes"
    if times.denominator > 1:
        return f"less often than the source {verb} it"
    often = "twice" if times == 2 else f"{times} times"
    return f"once where the source {verb} it {often}"


def _bytes(parts: dict[int, Requests]) -> int:
    """Return the bytes that all lanes access together."""
    return sum(size * int((requests.address < NO_ADDRESS).sum()) for size, requests in parts.items())
