"""Notes of the values that variables of functions get: those which the simulator keeps in registers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.types import Reference, Struct
from kernels.recorder.argument_passing import spelling
from kernels.recorder.control_flow import FlowWriter
from kernels.recorder.log import Assigned
from kernels.recorder.names import Names
from kernels.simt.compiler.structs import leaves

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from kernels.frontend.ast import Expr, Parameter, Program, Span
    from kernels.recorder.names import Known
    from kernels.simt.linking import Linked

    _Declared = ast.Variable | Parameter | Known


class VariableWriter(FlowWriter):
    """Writes a program in which variables are noted when they change.

    What a function changes through a reference is noted when it returns.
    """

    def __init__(self, program: Program, linked: Linked, threads: int) -> None:
        super().__init__(program, linked, threads)
        self.known = Names(program, linked.addressed)
        self._registers: dict[tuple[str, Span], dict[str, list[np.dtype[np.generic]]]] = {}
        for register in linked.registers:
            names = self._registers.setdefault((register.function, register.span), {})
            names.setdefault(register.name, []).append(register.dtype)

    def kept(self, variable: ast.Variable | ast.Parameter) -> list[str]:
        """Return the statements that note a variable's value, or those of its members."""
        if isinstance(variable.type, Reference):
            return []
        spelled = "" if variable.name else spelling(variable)
        return [f"{note};" for note in self._notes(variable.name, variable, spelled)]

    def struct_of(self, node: Expr) -> Struct | None:
        """Return the struct that an expression gives, also that of a variable."""
        kind = self.known.kind(node)
        return kind if isinstance(kind, Struct) else super().struct_of(node)

    def changed(self, parameters: Sequence[Parameter], arguments: Sequence[tuple[Expr, bool]]) -> list[str]:
        """Return notes of what a call can have changed through references."""
        found: list[str] = []
        for parameter, (node, place) in zip(parameters, arguments, strict=False):
            kind = parameter.type
            if place and isinstance(kind, Reference) and not kind.const:
                path = _path(node)
                known = self.known.find(path.partition(".")[0])
                if known is not None and known.where == "register":
                    found += self._notes(path, known)
        return found

    def target(self, node: Expr, place: str) -> tuple[str, list[str]]:
        """Return the text of a variable that is assigned to, and what is to be noted when that is done."""
        path = _path(node)
        known = self.known.find(path.partition(".")[0])
        if known is None or known.where != "register":
            return place, []
        parts = self._parts(path, known.span)
        if parts == [path]:
            return f"ts_set({self._assigned(path, known)}, {place})", []
        return place, [f"{note};" for note in self._notes(path, known)]

    def _notes(self, path: str, of: _Declared, start: str = "") -> list[str]:
        return [f"ts_wrote({self._assigned(name, of)}, nullptr, {start}{name})" for name in self._parts(path, of.span)]

    def _parts(self, path: str, span: Span) -> list[str]:
        """Return the registers that a variable, or a member of one, consists of."""
        names = self._registers.get((self.inside_of.name, span), {})
        return [name for name in names if name == path or name.startswith(f"{path}.")]

    def _assigned(self, name: str, of: _Declared) -> int:
        """Note a register of a variable: that of this instance, where instances of a template differ in its type."""
        kinds = self._registers[self.inside_of.name, of.span][name]
        parts = {leaf.path: leaf.scalar.dtype for leaf in leaves(of.type)}
        own = parts.get(name[len(name.partition(".")[0]) :])
        kind = own if own is not None and own in kinds else kinds[0]
        self.notes.append(Assigned(name, self.inside_of.name, of.span, kind))
        return len(self.notes) - 1


def _path(node: Expr) -> str:
    """Return a variable's name, or that of a member of one; nothing for other places."""
    match node:
        case ast.Name():
            return node.id
        case ast.Member():
            base = _path(node.base)
            return f"{base}.{node.field}" if base else ""
    return ""
