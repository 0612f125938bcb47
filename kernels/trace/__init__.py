"""The record of one launch: pure data, saved and reopened without running again."""

from kernels.trace.model import Trace
from kernels.trace.records import (
    AccessGroup,
    ArrayInfo,
    Hazard,
    HazardAccess,
    Register,
    Site,
    Statement,
    Unrecorded,
    Writes,
)
from kernels.trace.structs import Field, Structure, element_name

__all__ = [
    "AccessGroup",
    "ArrayInfo",
    "Field",
    "Hazard",
    "HazardAccess",
    "Register",
    "Site",
    "Statement",
    "Structure",
    "Trace",
    "Unrecorded",
    "Writes",
    "element_name",
]
