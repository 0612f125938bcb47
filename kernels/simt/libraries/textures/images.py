"""Compiles reads of textures, and reads and writes of surfaces, which are addressed by coordinates.

Without other settings, a texture is read with the defaults of the host: coordinates in pixels, the value of the pixel
that contains them (`cudaFilterModePoint`), beyond an edge the pixel at the edge (`cudaAddressModeClamp`). Surfaces
count bytes in x.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from kernels.frontend import ast
from kernels.frontend.headers.textures import Image
from kernels.frontend.types import FLOAT, INT, VECTORS, VOID, Scalar, Struct, Void
from kernels.simt.compiler.compiled_values import Code, Element, constant
from kernels.simt.compiler.expressions.load_store import AddressAccess, saver, zero_value
from kernels.simt.compiler.expressions.operators import convert
from kernels.simt.compiler.structs.layout import leaves
from kernels.simt.intrinsics.load_store import assignment, dereference
from kernels.simt.libraries.textures.pixels import CLAMP, TRAP, ZERO, Signature, Use, placer
from kernels.simt.libraries.textures.sampling import gather, sample
from kernels.simt.machine.lanes import EMPTY

if TYPE_CHECKING:
    from kernels.frontend.ast import Call, Span
    from kernels.frontend.types import CType
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.memory import Memory
    from kernels.simt.machine.steps import Run

_TEXTURES: Final[dict[str, Signature]] = {
    "tex1Dfetch": Signature(("linear",)),
    "tex1D": Signature(("pixel",)),
    "tex2D": Signature(("pixel",) * 2),
    "tex2DLod": Signature(("pixel",) * 2, level=True),
    "tex2DLayered": Signature(("pixel", "pixel", "layer")),
    "tex3D": Signature(("pixel",) * 3),
    "texCubemap": Signature(("pixel", "pixel", "layer"), cube=True),
}
_SURFACES: Final[dict[str, Signature]] = {
    "surf1D": Signature(("bytes",)),
    "surf2D": Signature(("bytes", "layer")),
    "surf2DLayered": Signature(("bytes", "layer", "layer")),
    "surf3D": Signature(("bytes", "layer", "layer")),
}


def _texture(c: Context, node: Call) -> Code:
    """Compile `tex2D<T>(object, x, y)`, `tex2D(reference, x, y)` or `tex2D(&value, object, x, y)`."""
    signature = _TEXTURES[node.function]
    count = 1 + len(signature.coordinates) + signature.level
    target, arguments = _target(c, node, count)
    image = _image(c, node, arguments[0], texture=True)
    kind = _pixel(c, node, image, target)
    scaled = image.type.scaled  # type: ignore[union-attr]
    if scaled:
        kind = _as_float(kind)
    coordinates = [c.compile(argument) for argument in arguments[1:count]]
    code = _read(c, image, Use(node, signature, kind, scaled), coordinates)
    return code if target is None else _store_result(c, target, code)


def _surface_read(c: Context, node: Call) -> Code:
    """Compile `surf2Dread<T>(object, x, y, mode)` or `surf2Dread(&value, object, x, y, mode)`."""
    signature = _SURFACES[node.function.removesuffix("read")]
    count = 1 + len(signature.axes)
    target, arguments = _target(c, node, count, count + 1)
    image = _image(c, node, arguments[0], texture=False)
    kind = _pixel(c, node, image, target)
    coordinates = [c.compile(argument) for argument in arguments[1:count]]
    code = _read(c, image, Use(node, signature, kind, edge=_edge(c, arguments[count:])), coordinates)
    return code if target is None else _store_result(c, target, code)


def _surface_write(c: Context, node: Call) -> Code:
    """Compile `surf2Dwrite(value, object, x, y, mode)`."""
    signature = _SURFACES[node.function.removesuffix("write")]
    count = 2 + len(signature.axes)
    if len(node.arguments) not in (count, count + 1):
        raise c.refuse(
            node.span,
            f"{node.function} takes {count} or {count + 1} arguments, {len(node.arguments)} are given",
        )
    image = _image(c, node, node.arguments[1], texture=False)
    value = c.compile(node.arguments[0])
    if node.template and not isinstance(node.template[0], ast.Expr):
        value = convert(c, value, node.template[0], node.arguments[0].span)
    if not isinstance(value.type, Scalar | Struct):
        raise c.refuse(node.span, f"{node.function} writes a number or a vector, not {value.type}")
    use = Use(node, signature, value.type, edge=_edge(c, node.arguments[count:]))
    coordinates = _coordinates(c, use, [c.compile(argument) for argument in node.arguments[2:count]])
    compute, address = value.run, image.run

    def build(c: Context, memory: Memory, kind: CType, span: Span) -> Any:
        put = saver(c, Element(memory, constant(0, INT), kind, span, const=False))
        place = placer(c, memory, use)

        def store(group: Group, mask: Active, offset: Value, at: tuple[Value, ...], new: Value) -> Value:
            lanes, index = place(group, mask, at, "write")
            if lanes is not EMPTY:
                put(group, lanes, index, new)
            return zero_value(kind)

        return store

    store = _by_array(c, image, use, "write", build)

    def run(group: Group, mask: Active) -> Value:
        new, where = compute(group, mask), address(group, mask)
        store(group, mask, where, tuple([at(group, mask) for at in coordinates]), new)
        return 0

    return Code(run, VOID, None, False)


def _read(c: Context, image: Code, use: Use, codes: list[Code]) -> Code:
    coordinates, address = _coordinates(c, use, codes), image.run

    def build(c: Context, memory: Memory, kind: CType, span: Span) -> Any:
        return sample(c, memory, use)

    load = _by_array(c, image, use, "read", build)

    def run(group: Group, mask: Active) -> Value:
        where = address(group, mask)
        return load(group, mask, where, tuple([at(group, mask) for at in coordinates]))

    return Code(run, use.kind, None, False)


def _gather(c: Context, node: Call) -> Code:
    """Compile `tex2Dgather<T>(object, x, y, component)`: one component of the four pixels around a point."""
    target, arguments = _target(c, node, 3, 4)
    image = _image(c, node, arguments[0], texture=True)
    kind = _pixel(c, node, image, target)
    component = c.compile(arguments[3]).constant if len(arguments) == 4 else 0
    if len(leaves(kind)) != 4 or component not in range(4):
        raise c.refuse(node.span, "tex2Dgather gives four values, as in tex2Dgather<float4>(…), of component 0 to 3")
    use = Use(node, Signature(("pixel",) * 2), kind)
    coordinates, address = (
        _coordinates(c, use, [c.compile(argument) for argument in arguments[1:3]]),
        image.run,
    )

    def build(c: Context, memory: Memory, kind: CType, span: Span) -> Any:
        return gather(c, memory, use, int(component))

    load = _by_array(c, image, use, "read", build)

    def run(group: Group, mask: Active) -> Value:
        where = address(group, mask)
        return load(group, mask, where, tuple([at(group, mask) for at in coordinates]))

    code = Code(run, kind, None, False)
    return code if target is None else _store_result(c, target, code)


def _by_array(c: Context, image: Code, use: Use, access: Literal["read", "write"], build: Any) -> Any:
    """Compile an access by `build` for the image's array; where only the run shows which it is, for each array met."""
    if image.memory is not None:
        return build(c, image.memory, use.kind, use.span)
    return AddressAccess(c, use.kind, use.span, access, build).values


# --- arguments


def _target(c: Context, node: Call, *counts: int) -> tuple[ast.Expr | None, tuple[ast.Expr, ...]]:
    """Split off the address to which the value is written, where the call has one."""
    arguments = node.arguments
    for argument in arguments[:2]:
        _require_array(c, argument)
    first = c.compile(arguments[0]).type if arguments else None
    by_pointer = not isinstance(first, Image) and len(arguments) - 1 in counts
    if len(arguments) - by_pointer not in counts:
        numbers = " or ".join(map(str, counts))
        raise c.refuse(node.span, f"{node.function} takes {numbers} arguments, {len(arguments)} are given")
    return (arguments[0], arguments[1:]) if by_pointer else (None, arguments)


def _require_array(c: Context, argument: ast.Expr) -> None:
    """Refuse a texture of the file without an array."""
    if not isinstance(argument, ast.Name) or c.find(argument.id) is not None:
        return
    for variable in c.program.variables:
        if variable.name == argument.id and isinstance(variable.type, Image):
            raise c.refuse(
                argument.span,
                f"no array for {variable.type} '{argument.id}': give one as if it were a parameter, as in "
                f'--arg "{argument.id}=f32[64,64]:iota"',
            )


def _image(c: Context, node: Call, argument: ast.Expr, *, texture: bool) -> Code:
    """Compile what names the image."""
    _require_array(c, argument)
    image = c.compile(argument)
    if not isinstance(image.type, Image) or image.type.const != texture:
        noun = "texture" if texture else "surface"
        raise c.refuse(argument.span, f"{node.function} needs a {noun}, not {image.type}")
    return image


def _pixel(c: Context, node: Call, image: Code, target: ast.Expr | None) -> CType:
    """Return the type of the value that is read: that of the call, of the target, or of the texture reference."""
    kind: object = None
    if node.template:
        kind = node.template[0]
    elif target is not None:
        kind = getattr(c.compile(target).type, "to", None)
    elif isinstance(image.type, Image) and not isinstance(image.type.to, Void):
        kind = image.type.to
    if not isinstance(kind, Scalar | Struct) or len({leaf.scalar for leaf in leaves(kind)}) != 1:
        raise c.refuse(node.span, f"say what {node.function} reads: {node.function}<float>(…)")
    return kind


def _as_float(kind: CType) -> CType:
    count = len(leaves(kind))
    return FLOAT if isinstance(kind, Scalar) else VECTORS[f"float{count}"]


def _edge(c: Context, arguments: tuple[ast.Expr, ...]) -> int:
    """Return what happens beyond the edges of a surface."""
    if not arguments:
        return TRAP
    mode = c.compile(arguments[0]).constant
    if mode not in (ZERO, CLAMP, TRAP):
        raise c.refuse(arguments[0].span, "the boundary mode is cudaBoundaryModeTrap, Clamp or Zero")
    return int(mode)


def _store_result(c: Context, target: ast.Expr, code: Code) -> Code:
    assigned = assignment(c, dereference(target), code, target.span)
    return Code(assigned.run, VOID, None, False)


def _coordinates(c: Context, use: Use, codes: list[Code]) -> list[Run]:
    return [
        convert(c, code, FLOAT if axis == "pixel" else INT, use.span).run
        for axis, code in zip(use.signature.coordinates, codes, strict=False)
    ]


IMAGES: Final[dict[str, Compile]] = {
    **dict.fromkeys(_TEXTURES, _texture),
    **{f"{name}read": _surface_read for name in _SURFACES},
    **{f"{name}write": _surface_write for name in _SURFACES},
    "tex2Dgather": _gather,
}
"""By name."""
