"""Reading a cubin: the instructions that access memory, with their widths and source lines.

A cubin is an ELF file with a DWARF line table (DWARF Debugging Information Format, version 2, section 6.2). From
compute capability 7.0 on an instruction has 16 bytes. Bits 0 to 8 are the operation, bits 12 to 15 the predicate (7
for none, 15 for never), bits 73 to 75 the width of an access (74 to 76 of a copy, from sm_100 on). A branch has an
offset in words of four bytes from the next instruction. NVIDIA does not document this; nvdisasm shows it, from sm_75
to sm_120.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from io import BytesIO
from typing import TYPE_CHECKING, Final, Literal

from kernels.errors import UnavailableError
from kernels.sass.regions import ALWAYS, BARRIER, INSTRUCTION_BYTES, Region, regions

if TYPE_CHECKING:
    from collections.abc import Callable

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
        When the code has no such function, or no line table that can be read.
    """
    # Imported here: only a compiled trace needs it, and it takes longer to import than the rest of this room.
    from elftools.common.exceptions import DWARFError, ELFError

    try:
        text, rows = _code_and_rows(cubin, symbol)
    except (ELFError, DWARFError, ArithmeticError, AssertionError, LookupError, StopIteration, ValueError) as error:
        raise UnavailableError(f"the compiled code of {symbol} has no line table that can be read") from error
    found = Counter[tuple[int, Memory, Direction, int, int, int, bool]]()
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


def _line_of(rows: list[tuple[int, int]], address: int) -> int:
    """Return the line of the last row at or before an address; 0 before the first."""
    return max((row for row in rows if row[0] <= address), default=(0, 0), key=lambda row: row[0])[1]


def _code_and_rows(cubin: bytes, symbol: str) -> tuple[bytes, list[tuple[int, int]]]:
    """Return the machine code of a function, and (address, line) of each row of its part of the line table."""
    from elftools.common.utils import struct_parse
    from elftools.dwarf.lineprogram import LineProgram
    from elftools.dwarf.structs import DWARFStructs
    from elftools.elf.elffile import ELFFile
    from elftools.elf.relocation import RelocationSection
    from elftools.elf.sections import SymbolTableSection

    elf = ELFFile(BytesIO(cubin))
    names = [section.name for section in elf.iter_sections()]
    number = names.index(f".text.{symbol}")
    table = elf.get_section(names.index(".debug_line"))
    relocations = elf.get_section_by_name(".rel.debug_line") or elf.get_section_by_name(".rela.debug_line")
    assert isinstance(relocations, RelocationSection)
    symbols = elf.get_section(relocations["sh_link"])
    assert isinstance(symbols, SymbolTableSection)
    # A sequence of rows begins with an address that is relocated to the section of its function.
    sequences = sorted((r["r_offset"], r["r_info_sym"]) for r in relocations.iter_relocations())
    sections = iter([symbols.get_symbol(name)["st_shndx"] for _, name in sequences])
    structs = DWARFStructs(little_endian=True, dwarf_format=32, address_size=8)
    rows, section, stream, at = [], next(sections), BytesIO(table.data()), 0
    while at < table.data_size:  # without .debug_info, pyelftools does not find the units of the table by itself
        header = struct_parse(structs.Dwarf_lineprog_header, stream, at)
        at += header["unit_length"] + structs.initial_length_field_size()
        for entry in LineProgram(header, stream, structs, stream.tell(), at).get_entries():
            if entry.state is not None and entry.state.end_sequence:
                section = next(sections, -1)
            elif entry.state is not None and section == number:
                rows.append((entry.state.address, entry.state.line))
    return elf.get_section(number).data(), rows
