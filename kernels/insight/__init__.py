"""Readings of a trace: the order to watch it in, what to say about a step, which element an index means, counts."""

from kernels.insight.narrate import Caption, describe
from kernels.insight.playlist import Frame, Playlist, playlist
from kernels.insight.registers import Variable, variables
from kernels.insight.roles import ROLES, LaneRoles, lane_roles
from kernels.insight.watch import IndexArithmetic, explain_index

__all__ = [
    "ROLES", "Caption", "Frame", "IndexArithmetic", "LaneRoles", "Playlist", "Variable", "describe", "explain_index", "lane_roles",
    "playlist", "variables",
]  # fmt: skip
