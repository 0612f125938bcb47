"""Template arguments of a launch, as written on the command line, and suggestions if one does not fit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kernels.errors import InputError, MissingMember, SourceError
from kernels.frontend.templates.template_arguments import TemplateName, pack
from kernels.frontend.types import CType, FunctionName, FunctionPointer, Pointer, Scalar
from kernels.simt.machine.arithmetic import uniform

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kernels.frontend.ast import Function, Template, TemplateParameter
    from kernels.frontend.instances import Instances
    from kernels.frontend.types import Argument as TemplateValue


def instantiate_kernel(instances: Instances, template: Template, template_arguments: Mapping[str, str]) -> Function:
    """Instantiate a template kernel with arguments as written on the command line.

    Raises
    ------
    InputError
        For an argument that is missing, unknown, or neither a type nor a number.
    SourceError
        If the kernel cannot be parsed with the arguments.
    """
    names = [parameter.name for parameter in template.parameters]
    for key in template_arguments:
        if key not in names:
            raise InputError(
                f"{template.name} has no template parameter '{key}': its parameters are {', '.join(names)}"
            )
    values: list[TemplateValue | None] = []
    for parameter in template.parameters:
        if parameter.name in template_arguments:
            values.append(_from_text(parameter, template_arguments[parameter.name], instances.argument))
        elif parameter.pack:
            values.append(pack([]))
        # None: the default is evaluated by the instance, since it may refer to earlier arguments.
        elif parameter.default is not None:
            values.append(None)
        else:
            what = parameter.type or "a type"
            raise InputError(
                f"{template.name} is a template: give its argument as --template {parameter.name}=VALUE ({what})"
                + _suggestion(instances, parameter)
            )
    try:
        return instances.instantiate(template, tuple(values))
    except SourceError as error:
        raise explain_error(instances, template, values, error) from error


def explain_error(
    instances: Instances, template: Template, values: Sequence[TemplateValue | None], error: SourceError
) -> SourceError:
    """Return the error of an instance, with a suggestion if an argument is a number where a struct is needed."""
    lacks = error.cause if isinstance(error.cause, MissingMember) else None
    for parameter, value in zip(template.parameters, values, strict=False):
        if not isinstance(value, Scalar | Pointer):
            continue
        if lacks and lacks.type == str(value) and lacks.member not in parameter.members:
            parameter = replace(parameter, members=(*parameter.members, lacks.member))
        suggestion = _suggestion(instances, parameter)
        if suggestion:
            reason = f"{error.reason}; with --template {parameter.name}={value}{suggestion}"
            return SourceError(error.file, error.line, error.column, reason, error.cause)
    return error


def _suggestion(instances: Instances, parameter: TemplateParameter) -> str:
    """Return the members that a type needs, and the structs of the file that have them; "" if it needs none."""
    if not parameter.members or parameter.type is not None:
        return ""
    fit = ", ".join(instances.structs_with(parameter.members))
    advice = f"try {fit}" if fit else "no struct of this file has that"
    return f"; it needs {', '.join(parameter.members)}: {advice}"


def _from_text(parameter: TemplateParameter, text: str, read: Callable[[str], TemplateValue]) -> TemplateValue:
    option = f"--template {parameter.name}={text}"
    if isinstance(parameter.type, FunctionPointer):
        if not text.isidentifier():
            raise InputError(f"{option}: '{text}' is not the name of a function")
        return FunctionName(text)
    if parameter.of_types:
        return TemplateName(text)
    try:
        value = read(text)
    except SourceError as error:
        raise InputError(f"{option}: {error.reason}") from error
    if parameter.type is None:
        if not isinstance(value, CType):
            raise InputError(f"{option}: '{text}' is not a type such as float or int")
        return value
    if isinstance(value, CType | FunctionName):
        raise InputError(f"{option}: '{text}' is not a number")
    number = uniform(value, parameter.type)
    assert isinstance(number, int | float | bool)
    return number
