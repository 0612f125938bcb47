"""Compiled instructions of a traced kernel: from NVRTC if it is installed, else shipped ones.

The shipped ones are JSON files in `resources/instructions`, one for each kernel of the catalogue, written by
``python -m kernels.sass.ship``.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import astuple, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from kernels import RESOURCES
from kernels.errors import InputError, UnavailableError
from kernels.files import write_text
from kernels.gpu.compiler import compile_text, missing, nvrtc_version
from kernels.occupancy.shipped import figures_key, without_comments
from kernels.sass.cubin import Instructions, MemoryCode, memory_code
from kernels.sass.regions import Region

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from kernels.trace import Trace

FOLDER: Final = RESOURCES / "instructions"


@dataclass(frozen=True, slots=True)
class Code:
    """Loads and stores, and the compiler's version."""

    memory: MemoryCode
    nvrtc_version: str


@dataclass(frozen=True, slots=True)
class Table:
    """The shipped instructions of one kernel."""

    nvrtc_version: str
    fingerprint: str
    code: Mapping[str, Mapping[str, MemoryCode]]
    """By architecture, then by macros as `figures_key` writes them. Only lines with code are counted, so that comments
    may change.
    """


def compiled_instructions(trace: Trace, arch: str, template: Sequence[object] = ()) -> Code:
    """Return the instructions of a trace's kernel for an architecture such as sm_90.

    `template` holds the arguments of a template kernel.

    Raises
    ------
    UnavailableError
        When NVRTC is not installed and no instructions are shipped for this source and these macros; when NVRTC does
        not know the architecture.
    SourceError, LaunchError
        When the source does not compile.
    """
    if not missing():
        entry = trace.kernel
        if template:
            entry += f"<{', '.join(str(t).lower() if isinstance(t, bool) else str(t) for t in template)}>"
        compiled = compile_text(trace.text, trace.file, entry, trace.defines, arch, headers=trace.included)
        return Code(memory_code(compiled.cubin, compiled.symbol, arch), nvrtc_version())
    mark, key = fingerprint(trace.text, trace.kernel), figures_key(trace.defines)
    numbers = [number for number, _ in code_lines(trace.text)]
    for file in sorted(FOLDER.glob("*.json")):
        table = read_table(file)
        if table.fingerprint == mark and key in table.code.get(arch, {}):
            shipped = table.code[arch][key]
            return Code(shipped.at_lines(lambda line: numbers[line - 1] if line else 0), table.nvrtc_version)
    raise UnavailableError(
        f"no compiled instructions of {trace.kernel} for {arch}{f' with {key}' if key else ''} are shipped: {missing()}"
    )


def code_lines(text: str) -> list[tuple[int, str]]:
    """Return the lines with code and their numbers, without comments and extra white space."""
    lines = ((number, " ".join(line.split())) for number, line in enumerate(without_comments(text).splitlines(), 1))
    return [(number, line) for number, line in lines if line]


def fingerprint(text: str, entry: str) -> str:
    """Hash the lines with code and the entry's name."""
    return hashlib.sha256("\n".join([entry, *(line for _, line in code_lines(text))]).encode()).hexdigest()


@lru_cache(maxsize=64)
def read_table(file: Path) -> Table:
    """Read a shipped table.

    Raises
    ------
    InputError
        When the file is not such a table.
    """
    try:
        data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        code = {arch: {key: _code(found) for key, found in keys.items()} for arch, keys in data["code"].items()}
        return Table(str(data["nvrtc_version"]), str(data["fingerprint"]), code)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{file}: not a table of compiled instructions: {error}") from error


def write_table(file: Path, table: Table) -> None:
    """Write a kernel's table with one line for each set of macros, which keeps differences short."""
    keys = [
        f"  {json.dumps(arch)}: {{\n"
        + ",\n".join(
            f"   {json.dumps(key)}: {json.dumps([_rows(code.regions), _rows(code.instructions)])}"
            for key, code in rows.items()
        )
        + "\n  }"
        for arch, rows in table.code.items()
    ]
    head = f' "nvrtc_version": {json.dumps(table.nvrtc_version)},\n "fingerprint": {json.dumps(table.fingerprint)},'
    text = "{\n" + head + '\n "code": {\n' + ",\n".join(keys) + "\n }\n}\n"
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, text)


def _code(rows: list[list[Any]]) -> MemoryCode:
    regions, instructions = rows
    return MemoryCode(tuple(Region(*row) for row in regions), tuple(Instructions(*row) for row in instructions))


def _rows(records: Sequence[Region] | Sequence[Instructions]) -> list[tuple[Any, ...]]:
    return [astuple(row) for row in records]
