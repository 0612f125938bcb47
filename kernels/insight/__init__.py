"""Readings of a trace: what to watch, what to say about it, which element an index means, and counts."""

from kernels.insight.counts import Counts, Issued, MemoryCount, Reuse, counts, touches
from kernels.insight.narrate import Caption, describe
from kernels.insight.playlist import Frame, Playlist, frame_count, playlist
from kernels.insight.registers import Variable, variables
from kernels.insight.roles import ROLES, LaneRoles, lane_roles
from kernels.insight.watch import IndexArithmetic, explain_index

__all__ = [
    "ROLES", "Caption", "Counts", "Frame", "IndexArithmetic", "Issued", "LaneRoles", "MemoryCount", "Playlist",
    "Reuse", "Variable", "counts", "describe", "explain_index", "frame_count", "lane_roles", "playlist", "touches",
    "variables",
]  # fmt: skip
