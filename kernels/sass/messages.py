"""One sentence for each difference between accesses as written and as compiled."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from kernels.analysis.requests import NONE
from kernels.analysis.syntax import text_at
from kernels.narration.words import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernels.analysis.requests import Requests
    from kernels.sass.candidates import Accesses
    from kernels.sass.counts import Compiled
    from kernels.sass.uncounted_accesses import Beside
    from kernels.trace import Trace

_NUMBERS = {2: "two", 4: "four", 8: "eight", 16: "sixteen"}


@dataclass(frozen=True, slots=True)
class Note:
    """What the compiler did with the accesses to an array on a line."""

    line: int
    array: str
    text: str


def notes(trace: Trace, compiled: Compiled) -> tuple[Note, ...]:
    """Explain every difference, in the order of the lines; nothing is said of what is as written."""
    found: dict[tuple[str, str], Note] = {}
    for accesses in compiled.accesses:
        site = trace.sites[accesses.sites[0]]
        array = trace.arrays[site.array].name
        for text in _sentences(trace, accesses):
            found.setdefault((array, text), Note(site.span.line, array, text))
    for beside in compiled.beside:
        text = _besides(beside)
        found.setdefault(("", f"{beside.line} {text}"), Note(beside.line, "", text))
    return tuple(sorted(found.values(), key=lambda note: note.line))


def _sentences(trace: Trace, a: Accesses) -> Iterator[str]:
    sites = [trace.sites[number] for number in a.sites]
    names = listed(list(dict.fromkeys(text_at(trace, site.span) for site in sites)))
    array, read = trace.arrays[sites[0].array].name, sites[0].access == "read"
    if a.fate == "in registers":
        yield f"the compiler keeps {array} in registers: no memory is accessed"
    elif a.fate == "left out":
        verb = "read" if read else "written"
        yield f"the compiler leaves {names} out: what is needed of it is {verb} on other lines or not at all"
    elif a.fate == "unknown":
        yield f"the compiled code does not tell which instructions access {names}: counted as written"
    else:
        parts = [part for part in (_repeats(a, read=read), _widths(a, read=read)) if part] if a.written else []
        if parts:
            yield f"the compiler {'reads' if read else 'writes'} {names} {', and '.join(parts)}"
        count = sum(len(requests) for requests in a.compiled.values())
        if not parts and count > sum(len(requests) for requests in a.written.values()):
            yield f"lanes that take different numbers of turns part in the unrolled loop: {count:,} requests of {names}"
        if a.idle:
            times = "once" if a.idle == 1 else f"{a.idle:,} times"
            yield f"the guard of {names} is a condition of the instruction: warps execute it {times} for no lane"


def _besides(beside: Beside) -> str:
    """Say what a GPU counts besides, or in another way, and why it is not counted here."""
    memory = f"{beside.space} memory"
    match beside.cause, beside.access:
        case "system", _:
            return "printf, malloc and free access global, shared and local memory of their own: a GPU counts that, too"
        case "copy", "write":
            return "asynchronous copies write to shared memory: a GPU counts them apart from stores"
        case "copy", _:
            return "compilers put loads that read nothing ahead of asynchronous copies: a GPU counts them, too"
        case "atomic", _:
            return f"the atomic is a loop that reads {memory} as often as others come between: a GPU counts that, too"
    what = f"{'reads' if beside.access == 'read' else 'writes'} {memory}"
    return f"the compiled code {what} for more than is named here, such as a table of sinf: a GPU counts that, too"


def _widths(a: Accesses, *, read: bool) -> str:
    """Say how many elements an instruction takes, or in how many pieces it takes one."""
    widest, written = max(a.compiled), max(a.written)
    kind = f"{8 * widest}-bit {'loads' if read else 'stores'}"
    if widest < written:
        return f"in {written // widest} pieces: {kind}"
    count = widest // min(a.written)
    if widest == written or count == 1:
        return ""
    where = "" if len(a.compiled) == 1 else " where it can"
    rest = ", also where fewer are left" if _bytes(a.compiled) > _bytes(a.written) else ""
    return f"{_NUMBERS.get(count, str(count))} at a time{where}{rest}: {kind}"


def _repeats(a: Accesses, *, read: bool) -> str:
    """Say how often the source makes an access that the compiler makes once."""
    times = Fraction(_bytes(a.written), _bytes(a.compiled))
    if times <= 1:
        return ""
    verb = "reads" if read else "writes"
    if times.denominator > 1:
        return f"less often than the source {verb} it"
    often = "twice" if times == 2 else f"{times} times"
    return f"once where the source {verb} it {often}"


def _bytes(parts: dict[int, Requests]) -> int:
    """Return what all lanes together access."""
    return sum(size * int((requests.address < NONE).sum()) for size, requests in parts.items())
