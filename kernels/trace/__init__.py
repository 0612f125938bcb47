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

__all__ = [
    "AccessGroup",
    "ArrayInfo",
    "Hazard",
    "HazardAccess",
    "Register",
    "Site",
    "Statement",
    "Trace",
    "Unrecorded",
    "Writes",
]
