"""Built-in variables: threadIdx, blockIdx, blockDim and gridDim, whole or by member."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.types import UINT, VECTORS
from kernels.simt.compiler.compiled_values import Code, FmaFacts, IndexFacts, constant
from kernels.simt.compiler.expressions.reassociation_rank import INDICES
from kernels.simt.machine.affine import Linear

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr
    from kernels.simt.compiler.context import Context

NAMES: Final = ("threadIdx", "blockIdx", "blockDim", "gridDim")


def is_built_in(c: Context, node: Expr) -> bool:
    """Return whether this is threadIdx, blockIdx, blockDim or gridDim, or a member of one."""
    if isinstance(node, ast.Member):
        node = node.base
    return isinstance(node, ast.Name) and node.id in NAMES and c.find(node.id) is None


def built_in(c: Context, node: ast.Name | ast.Member) -> Code:
    """Compile threadIdx, blockIdx, blockDim or gridDim, or a member of one."""
    if isinstance(node, ast.Member):
        assert isinstance(node.base, ast.Name)
        if node.field not in ("x", "y", "z"):
            raise c.refuse(node.span, f"{node.base.id} has no member .{node.field}: its members are .x, .y, .z")
        return _axis(c, node.base.id, node.field)
    codes = [_axis(c, node.id, axis) for axis in "xyz"]
    kind = VECTORS["dim3" if node.id in ("blockDim", "gridDim") else "uint3"]
    x, y, z = (code.run for code in codes)
    return Code(lambda group, mask: (x(group, mask), y(group, mask), z(group, mask)), kind)


def _axis(c: Context, name: str, axis: str) -> Code:
    if name in ("blockDim", "gridDim"):
        dims = c.machine.launch.block if name == "blockDim" else c.machine.launch.grid
        code = constant(getattr(dims, axis), UINT, from_launch=True)
        code.fma = FmaFacts(INDICES)
        return code
    key = f"{name}.{axis}"
    most = getattr(c.machine.launch.block if name == "threadIdx" else c.machine.launch.grid, axis) - 1
    found = None if c.machine.recorder.records else Linear(0, frozenset({(key, 1)}))
    return Code(
        lambda group, mask: group.built_in[key], UINT, index=IndexFacts((0, most), found), fma=FmaFacts(INDICES)
    )
