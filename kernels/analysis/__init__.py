"""Analyses of a trace: memory counts, index arithmetic, thread roles, values of variables, and the playlist."""

from kernels.analysis.counts import Counts, Issued, MemoryCount, Reuse, counts, touches
from kernels.analysis.explain_access import IndexArithmetic, explain_index
from kernels.analysis.playlist import Frame, Playlist, frame_count, playlist
from kernels.analysis.registers import Variable, variables
from kernels.analysis.roles import ROLES, LaneRoles, lane_roles

__all__ = [
    "ROLES",
    "Counts",
    "Frame",
    "IndexArithmetic",
    "Issued",
    "LaneRoles",
    "MemoryCount",
    "Playlist",
    "Reuse",
    "Variable",
    "counts",
    "explain_index",
    "frame_count",
    "lane_roles",
    "playlist",
    "touches",
    "variables",
]
