"""The record of one launch: pure data, saved and reopened without running again."""

from kernels.trace.model import (
    AccessGroup,
    ArrayInfo,
    Hazard,
    HazardAccess,
    Register,
    Site,
    Statement,
    Trace,
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
    "Writes",
]
