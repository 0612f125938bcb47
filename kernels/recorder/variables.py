"""Notes of the values assigned to variables that the simulator keeps in registers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.types import Reference
from kernels.recorder.argument_passing import name_in_text
from kernels.recorder.log import AssignmentNote
from kernels.simt.compiler.structs.layout import leaves

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from kernels.frontend.ast import Expr, Parameter, Span
    from kernels.recorder.log import NoteTable
    from kernels.recorder.names import Names, Symbol
    from kernels.recorder.program_writer import ProgramWriter
    from kernels.simt.linking import Linked

    _Declared = ast.Variable | Parameter | Symbol


class RegisterNotes:
    """Writes notes of assignments; a change through a reference parameter is noted after the call."""

    def __init__(self, writer: ProgramWriter, linked: Linked, notes: NoteTable, names: Names) -> None:
        self._writer = writer
        self._notes = notes
        self._names = names
        self._registers: dict[tuple[str, Span], dict[str, list[np.dtype[np.generic]]]] = {}
        """By function and declaration: the types of each register, several where instances of a template differ."""
        for register in linked.registers:
            by_name = self._registers.setdefault((register.function, register.span), {})
            by_name.setdefault(register.name, []).append(register.dtype)

    def value(self, variable: ast.Variable | ast.Parameter) -> list[str]:
        """Return the statements that note a variable's value, or those of its members."""
        if isinstance(variable.type, Reference):
            return []
        prefix = "" if variable.name else name_in_text(variable)
        return [f"{note};" for note in self._value_notes(variable.name, variable, prefix)]

    def after_call(self, parameters: Sequence[Parameter], arguments: Sequence[tuple[Expr, bool]]) -> list[str]:
        """Return notes of the variables that a call may have changed through references."""
        found: list[str] = []
        for parameter, (node, by_reference) in zip(parameters, arguments, strict=False):
            kind = parameter.type
            if by_reference and isinstance(kind, Reference) and not kind.const:
                path = _path(node)
                symbol = self._names.find(path.partition(".")[0])
                if symbol is not None and symbol.where == "register":
                    found += self._value_notes(path, symbol)
        return found

    def target(self, node: Expr, lvalue: str) -> tuple[str, list[str]]:
        """Return the text of a variable that is assigned to, and the notes that follow the assignment.

        A variable that is one register becomes `ts_set(…)`, which notes the value itself; a struct is noted member by
        member afterwards.
        """
        path = _path(node)
        symbol = self._names.find(path.partition(".")[0])
        if symbol is None or symbol.where != "register":
            return lvalue, []
        parts = self._parts(path, symbol.span)
        if parts == [path]:
            return f"ts_set({self._assignment(path, symbol)}, {lvalue})", []
        return lvalue, [f"{note};" for note in self._value_notes(path, symbol)]

    def _value_notes(self, path: str, declaration: _Declared, prefix: str = "") -> list[str]:
        return [
            f"ts_wrote({self._assignment(name, declaration)}, nullptr, {prefix}{name})"
            for name in self._parts(path, declaration.span)
        ]

    def _parts(self, path: str, span: Span) -> list[str]:
        """Return the registers that a variable, or a member of one, consists of."""
        names = self._registers.get((self._writer.inside_of.name, span), {})
        return [name for name in names if name == path or name.startswith(f"{path}.")]

    def _assignment(self, name: str, declaration: _Declared) -> int:
        """Add a note for a register: the one whose type is the variable's in this instance of the function."""
        function = self._writer.inside_of.name
        dtypes = self._registers[function, declaration.span][name]
        members = {leaf.path: leaf.scalar.dtype for leaf in leaves(declaration.type)}
        own = members.get(name[len(name.partition(".")[0]) :])
        dtype = own if own is not None and own in dtypes else dtypes[0]
        return self._notes.add(AssignmentNote(name, function, declaration.span, dtype))


def _path(node: Expr) -> str:
    """Return `v` for a variable, `v.x` for its member; "" for any other lvalue."""
    match node:
        case ast.Name():
            return node.id
        case ast.Member():
            base = _path(node.base)
            return f"{base}.{node.field}" if base else ""
    return ""
