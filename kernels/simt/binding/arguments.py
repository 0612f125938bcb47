"""Binding of the caller's arguments to a kernel's parameters and the file's variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.errors import InputError
from kernels.frontend import ast
from kernels.frontend.headers.textures import Image
from kernels.frontend.types import INT, FunctionPointer, Pointer, Reference, Scalar, Struct
from kernels.ranges import check
from kernels.simt.binding.grid_arrays import Argument, Unwritten, fill, from_parts, grid_array, is_part
from kernels.simt.binding.members import encode_bfloats, rename_to_leaves
from kernels.simt.binding.partial_arguments import array_elements, element_count
from kernels.simt.binding.textures import Texture
from kernels.simt.compiler.calls.function_pointers import function_value
from kernels.simt.compiler.compiled_values import Code, Element, FmaFacts, Variable, constant
from kernels.simt.compiler.expressions import reassociation_rank
from kernels.simt.compiler.expressions.addresses import as_address
from kernels.simt.compiler.expressions.variables import assign_to, new_variable
from kernels.simt.compiler.structs.layout import Leaf, leaves, pack
from kernels.simt.machine.arithmetic import uniform
from kernels.simt.machine.memory import Memory
from kernels.tensor_map import WORDS, TensorMap

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kernels.frontend.ast import Function, Parameter
    from kernels.simt.compiler.compiled_values import Bundle
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.steps import Run

__all__ = ["Argument", "Unwritten", "bind", "expand_arguments"]

_WHOLE: Final = Leaf("", INT, 0)


def bind(c: Context, function: Function, arguments: Mapping[str, Argument]) -> list[Run]:
    """Declare the parameters and set the contents of arrays.

    Returns functions that set, at the start of a group, the parameters that the kernel assigns.

    Raises
    ------
    InputError
        For an argument that is missing, unknown, or of the wrong type.
    """
    names = set(_parameters(function))
    hidden = {parameter.name for parameter in function.parameters}  # a parameter hides the variable
    seen = [v for v in c.program.variables if v.name not in hidden]
    variables = {v.name for v in seen if isinstance(c.find(v.name), Memory)}
    images = [v for v in seen if isinstance(v.type, Image)]
    whole = {name for name in arguments if not is_part(name, function, c)}
    for name in whole:
        if name not in names | variables | {v.name for v in images}:
            known = ", ".join(_parameters(function)) or "none"
            raise InputError(f"{function.name} has no parameter '{name}': its parameters are {known}")
    # A texture or surface reference is a variable of the file, but gets its array with the launch.
    for image in images:
        if image.name in arguments:
            kind = image.type
            assert isinstance(kind, Image)
            with c.file_scope():
                c.declare(image.name, grid_array(c, image, image.name, kind, arguments[image.name]))
    for name in sorted(variables):
        memory = c.find(name)
        assert isinstance(memory, Memory)
        fill(c, name, memory, arguments)
    changing = {f.name for f in c.program.functions if any(map(_is_changed, f.parameters))}
    changing |= {t.name for t in c.program.templates if any(map(_is_changed, t.signature))}
    # A parameter that is never assigned stays a constant: uniform and affine. Only the others need a register in each
    # group.
    assigned = set(_assigned_names(c.frames[-1].nodes(), changing))
    starts: list[Run] = []
    for place, parameter in enumerate(function.parameters, reassociation_rank.PARAMETERS):
        if isinstance(parameter.type, Struct):
            _bind_struct(c, parameter, parameter.type, arguments, starts)
            continue
        target = parameter.type.to if isinstance(parameter.type, Pointer) else parameter.type
        parts = element_count(parameter.name, c.complete(target), arguments)
        if parameter.name not in arguments and not parts:
            raise InputError(f"{function.name}: no value for parameter '{parameter.name}' ({parameter.type})")
        if isinstance(parameter.type, Pointer):
            pointer = from_parts(c, parameter, parts, arguments) if parts else None
            if pointer is None:
                pointer = grid_array(c, parameter, parameter.name, parameter.type, arguments[parameter.name])
            if parameter.name in assigned:
                variable = new_variable(c, parameter.name, parameter.type, parameter.span)
                starts += _initialise(c, variable, pointer, parameter)
            else:
                c.declare(parameter.name, pointer)
        elif isinstance(parameter.type, Scalar):
            number = _parameter_value(c, parameter.name, parameter.type, arguments[parameter.name])
            number.fma = FmaFacts(place)
            if parameter.name in assigned:
                variable = new_variable(c, parameter.name, parameter.type, parameter.span)
                starts += _initialise(c, variable, number, parameter)
            else:
                c.declare(parameter.name, number)
        else:
            raise c.unsupported(parameter.span, f"parameter of type {parameter.type}")
    return starts


def _initialise(c: Context, variable: Variable | Bundle | Element, value: Code, parameter: Parameter) -> list[Run]:
    """Set a parameter before the first step: as the initial contents of memory, or by the functions returned."""
    if isinstance(variable, Variable) and isinstance(value.type, Scalar):
        # The initial value keeps the parameter's rank, by which nvcc orders the operands of a sum.
        variable.rank = value.fma.rank
        known = [_setter(variable.value_lanes, True)] if variable.value_lanes >= 0 else []
        return [_setter(variable.slot, value.constant), *known]
    if not isinstance(variable, Element):
        return [assign_to(c, variable, value, parameter.span)]
    assert variable.memory is not None
    contents = as_address(value).constant if isinstance(value.type, Pointer) else value.constant
    leaf_values = contents if isinstance(value.type, Struct) else (contents,)
    variable.memory.initial = pack(leaf_values, variable.kind, variable.memory.kind)
    return []


def expand_arguments(function: Function, arguments: Mapping[str, Argument]) -> dict[str, Argument]:
    """Return arguments in which arrays in structs are replaced by their elements, each with its name."""
    arguments = {
        name: value for each in arguments.items() for name, value in _words_of_maps(function, *each, arguments)
    }
    found: dict[str, Argument] = {}
    for parameter in function.parameters:
        found.update(array_elements(parameter.name, parameter.type, arguments))
    whole = {name for name in arguments if any(element.startswith(f"{name}[") for element in found)}
    spelled = {**{name: value for name, value in arguments.items() if name not in whole}, **found}
    for parameter in function.parameters:
        if isinstance(parameter.type, Struct):
            spelled = encode_bfloats(parameter.name, parameter.type, spelled)
            spelled = rename_to_leaves(parameter.name, parameter.type, spelled)
    return spelled


def _words_of_maps(
    function: Function, name: str, value: Argument, arguments: Mapping[str, Argument]
) -> Iterator[tuple[str, Argument]]:
    """Yield an argument; of a tensor map the words of the struct that it is."""
    if not isinstance(value, TensorMap):
        yield name, value
        return
    kind = next((p.type for p in function.parameters if p.name == name), None)
    source = arguments.get(value.array)
    if not isinstance(kind, Struct) or kind.size_bytes != 8 * WORDS or len(kind.fields) != 1:
        raise InputError(f"{name}: a tensor map is a struct of one array of {WORDS} unsigned long long")
    if not isinstance(source, np.ndarray | Unwritten):
        raise InputError(f"{name}: a tensor map of '{value.array}', which is no array of this launch")
    yield f"{name}.{kind.fields[0].name}", value.words(name, np.dtype(source.dtype), tuple(source.shape))


def _parameters(function: Function) -> list[str]:
    """Return the names of the arguments; a struct has one for each member, as `p.x`."""
    return [
        parameter.name + leaf.path
        for parameter in function.parameters
        for leaf in (leaves(parameter.type) if isinstance(parameter.type, Struct) else (_WHOLE,))
    ]


def _bind_struct(
    c: Context, parameter: Parameter, kind: Struct, arguments: Mapping[str, Argument], starts: list[Run]
) -> None:
    """Bind the members of a struct parameter."""
    codes: list[Code] = []
    for leaf in leaves(kind):
        name = parameter.name + leaf.path
        if name not in arguments:
            raise InputError(f"no value for '{name}' ({leaf.type}), a member of parameter '{parameter.name}'")
        if isinstance(leaf.type, Pointer):
            codes.append(as_address(grid_array(c, parameter, name, leaf.type, arguments[name])))
        else:
            codes.append(_parameter_value(c, name, leaf.type, arguments[name]))
    value = tuple(code.constant for code in codes)
    variable = new_variable(c, parameter.name, kind, parameter.span)
    starts += _initialise(c, variable, Code(lambda group, mask: value, kind, value), parameter)


def _setter(slot: int, value: Any) -> Run:
    def run(group: Any, mask: Any) -> None:
        group.values[slot] = value

    return run


def _parameter_value(c: Context, name: str, kind: Scalar, value: Argument) -> Code:
    """Return the value of a parameter that is a number or a function pointer."""
    if isinstance(kind, FunctionPointer) and isinstance(value, str):
        found = function_value(c, ast.Name(c.frames[-1].function.span, value), kind)
        if found is None:
            raise InputError(f"parameter '{name}' is a function ({kind}): there is no function '{value}'")
        return found
    return constant(_number(name, kind, value), kind, from_launch=True)


def _number(name: str, kind: Scalar, value: Argument) -> Any:
    if isinstance(value, Unwritten | np.ndarray | Texture):
        raise InputError(f"parameter '{name}' is one {kind}, not an array")
    if isinstance(value, str) or (isinstance(kind, FunctionPointer) and value != 0):
        what = "a function: give its name" if isinstance(kind, FunctionPointer) else str(kind)
        raise InputError(f"parameter '{name}' is {what}, not {value}")
    check(name, value, kind.dtype, kind)
    return uniform(value, kind)


def _is_changed(parameter: Parameter) -> bool:
    """Return whether a function can change the argument of a parameter."""
    return isinstance(parameter.type, Reference) and not parameter.type.const


_ASSIGNING: Final = frozenset((ast.Assign, ast.Update, ast.Unary, ast.Call, ast.Variable))
"""Classes of nodes that can change a variable."""


def _assigned_names(function: list[Any], changing: set[str]) -> Iterator[str]:
    """Yield the variables that nodes of a function may assign, also through addresses and references."""
    for node in function:
        if type(node) not in _ASSIGNING:  # most nodes are not, and a match is slow
            continue
        match node:
            case ast.Assign(target=ast.Name(id=name)) | ast.Update(target=ast.Name(id=name)):
                yield name
            case ast.Unary(op="&", operand=ast.Name(id=name)):
                yield name
            case ast.Call() if node.function in changing:
                yield from (argument.id for argument in node.arguments if isinstance(argument, ast.Name))
            case ast.Variable(type=Reference(const=False), value=ast.Name(id=name)):
                yield name
