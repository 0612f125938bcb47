"""Reading a cubin: the instructions that access memory, with their widths and source lines.

A cubin is an ELF file with a DWARF line table (DWARF Debugging Information Format, version 2, section 6.2). From
compute capability 7.0 on an instruction has 16 bytes. Bits 0 to 8 are the operation, bits 12 to 15 the predicate (7
for none, 15 for never), bits 73 to 75 the width of an access (74 to 76 of a copy, from sm_100 on). A branch has an
offset in words of four bytes from the next instruction. NVIDIA does not document this; nvdisasm shows it, from sm_75
to sm_120.
"""

from __future__ import annotations

import struct
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from kernels.errors import UnavailableError
from kernels.sass.regions import ALWAYS, BARRIER, INSTRUCTION_BYTES, Region, regions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Memory = Literal["global", "shared", "local", "generic"]
Direction = Literal["read", "write"]

_COPY: Final = 0x1AE
_SHARED_READ: Final = 0x184
_MATRICES: Final = (0x03B, 0x044)
_OPERATIONS: Final[dict[int, tuple[tuple[Memory, Direction], ...]]] = {
    0x180: (("generic", "read"),),
    0x181: (("global", "read"),),
    0x183: (("local", "read"),),
    _SHARED_READ: (("shared", "read"),),
    0x185: (("generic", "write"),),
    0x186: (("global", "write"),),
    0x187: (("local", "write"),),
    0x188: (("shared", "write"),),
    _COPY: (("global", "read"), ("shared", "write")),
    _MATRICES[0]: (("shared", "read"),),
    _MATRICES[1]: (("shared", "write"),),
}
"""LD, LDG, LDL, LDS; ST, STG, STL, STS; LDGSTS, the asynchronous copy; LDSM, STSM, of matrices."""

_WIDTHS: Final = (1, 1, 2, 2, 4, 8, 16)
"""Bytes for a lane: U8, S8, U16, S16, 32, 64 and 128 bits."""

_NEVER: Final = 15

_SYMBOL: Final = struct.Struct("<IBBHQQ")
_RELOCATIONS: Final = {".rel.debug_line": struct.Struct("<QQ"), ".rela.debug_line": struct.Struct("<QQq")}


@dataclass(frozen=True, slots=True)
class Instructions:
    """Equal instructions of one line of the source, in one region and between two barriers."""

    line: int
    space: Memory
    access: Direction
    size: int
    """Bytes for a lane; 0 for matrices, which a warp moves together."""
    region: int
    """Position in the code's regions, -1 outside of all."""
    barriers: int
    """Number of barriers before them in the code."""
    guarded: bool
    """Whether they are predicated: a warp executes them whether the predicate is true in any lane or not."""
    count: int


@dataclass(frozen=True, slots=True)
class MemoryCode:
    """The memory instructions of a kernel."""

    regions: tuple[Region, ...]
    """Regions with memory instructions, enclosing ones first."""
    instructions: tuple[Instructions, ...]
    """Loads and stores in the order of the code."""

    def at_lines(self, of: Callable[[int], int]) -> MemoryCode:
        """Return the same with line numbers replaced by `of(line)`."""
        return MemoryCode(
            tuple(replace(region, line=of(region.line)) for region in self.regions),
            tuple(replace(i, line=of(i.line)) for i in self.instructions),
        )


def memory_code(cubin: bytes, symbol: str, arch: str) -> MemoryCode:
    """List the loads and stores of a kernel, without atomics.

    Raises
    ------
    UnavailableError
        When the code has no line table, or one of another version.
    """
    try:
        sections = _sections(cubin)
        number = next(n for n, section in enumerate(sections) if section.name == f".text.{symbol}")
        rows = _line_rows(sections, number)
    except (StopIteration, LookupError, ValueError, struct.error) as error:
        raise UnavailableError(f"the compiled code of {symbol} has no line table that can be read") from error
    text, found = sections[number].data, Counter[tuple[int, Memory, Direction, int, int, int, bool]]()
    words = [
        int.from_bytes(text[at : at + INSTRUCTION_BYTES], "little") for at in range(0, len(text), INSTRUCTION_BYTES)
    ]
    lines = [_line_of(rows, place * INSTRUCTION_BYTES) for place in range(len(words))]
    generation = int("".join(digit for digit in arch if digit.isdigit()))
    around, inside = regions(words, lines, far=generation >= 90)
    barriers = 0
    for place, word in enumerate(words):
        barriers += word & 0x1FF == BARRIER
        operation, condition = word & 0x1FF, word >> 12 & 15
        width = word >> (74 if operation == _COPY and generation >= 100 else 73) & 7
        # Before asynchronous copies there are shared loads with the predicate "never": a GPU counts them all the same.
        counts = width < len(_WIDTHS) and (condition != _NEVER or operation == _SHARED_READ)
        for kind in _OPERATIONS.get(operation, ()) if counts else ():
            size = 0 if operation in _MATRICES else _WIDTHS[width]
            found[lines[place], *kind, size, inside[place], barriers, condition != ALWAYS] += 1
    return _without_unused_regions(around, [Instructions(*kind, count) for kind, count in found.items()])


def _without_unused_regions(around: list[Region], instructions: list[Instructions]) -> MemoryCode:
    """Remove regions without memory instructions."""
    used: set[int] = set()
    for i in instructions:
        region = i.region
        while region >= 0 and region not in used:
            used.add(region)
            region = around[region].within
    place = {-1: -1} | {region: n for n, region in enumerate(sorted(used))}
    return MemoryCode(
        tuple(replace(around[region], within=place[around[region].within]) for region in sorted(used)),
        tuple(replace(i, region=place[i.region]) for i in instructions),
    )


@dataclass(frozen=True, slots=True)
class _Section:
    name: str
    data: bytes
    link: int


def _sections(cubin: bytes) -> list[_Section]:
    """Read the section headers (ELF-64, little-endian)."""
    if cubin[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not an ELF file")
    (table,) = struct.unpack_from("<Q", cubin, 0x28)
    size, count, names_at = struct.unpack_from("<HHH", cubin, 0x3A)
    headers = [struct.unpack_from("<IIQQQQII", cubin, table + n * size) for n in range(count)]
    names = cubin[headers[names_at][4] :]
    return [
        _Section(_string(names, name), cubin[offset : offset + length], link)
        for name, _, _, _, offset, length, link, _ in headers
    ]


def _string(data: bytes, begin: int) -> str:
    return data[begin : data.index(b"\0", begin)].decode()


def _line_of(rows: list[tuple[int, int]], address: int) -> int:
    """Return the line of the last row at or before an address; 0 before the first."""
    return max((row for row in rows if row[0] <= address), default=(0, 0), key=lambda row: row[0])[1]


def _line_rows(sections: list[_Section], text: int) -> list[tuple[int, int]]:
    """Return (address, line) of one section's code, from the sequences of the line table that are relocated to it."""
    by_name = {section.name: section for section in sections}
    table, section_at = by_name[".debug_line"].data, {}
    for name, relocation in _RELOCATIONS.items():
        if name in by_name:
            symbols = sections[by_name[name].link].data
            for offset, info, *_ in relocation.iter_unpack(by_name[name].data):
                section_at[offset] = _SYMBOL.unpack_from(symbols, (info >> 32) * _SYMBOL.size)[3]
    return [(address, line) for at, address, line in line_program(table) if section_at.get(at) == text]


def line_program(table: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield (where in the table its section is named, address, line) of every row of a line table."""
    unit = 0
    while unit < len(table):
        length, version, header = struct.unpack_from("<IHI", table, unit)
        if version not in (2, 3):
            raise ValueError(f"line table of version {version}")
        shortest, _, base, line_range, first_special = struct.unpack_from("<BBbBB", table, unit + 10)
        operands = table[unit + 15 : unit + 14 + first_special]
        at, end = unit + 10 + header, unit + 4 + length
        section, address, line = -1, 0, 1
        while at < end:
            code, at = table[at], at + 1
            if code >= first_special:
                address += (code - first_special) // line_range * shortest
                line += base + (code - first_special) % line_range
                yield section, address, line
            elif code == 0:  # extended: length, operation, operands
                size, at = _unsigned(table, at)
                if table[at] == 1:  # end of a sequence
                    section, address, line = -1, 0, 1
                elif table[at] == 2:  # set the address: the relocation names the section
                    section, (address,) = at + 1, struct.unpack_from("<Q", table, at + 1)
                at += size
            elif code == 1:  # copy
                yield section, address, line
            elif code == 2:  # advance the address
                step, at = _unsigned(table, at)
                address += step * shortest
            elif code == 3:  # advance the line
                step, at = _signed(table, at)
                line += step
            elif code == 8:  # advance the address as the last special code would
                address += (255 - first_special) // line_range * shortest
            elif code == 9:  # advance the address by a fixed number
                address, at = address + struct.unpack_from("<H", table, at)[0], at + 2
            else:  # other operations change neither address nor line
                for _ in range(operands[code - 1]):
                    _, at = _unsigned(table, at)
        unit = end


def _unsigned(data: bytes, at: int) -> tuple[int, int]:
    """Read a LEB128 number; return it and where it ends."""
    value = shift = 0
    while True:
        byte, at = data[at], at + 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def _signed(data: bytes, at: int) -> tuple[int, int]:
    value, end = _unsigned(data, at)
    bits = 7 * (end - at)
    return (value - (1 << bits) if value >> (bits - 1) & 1 else value), end
