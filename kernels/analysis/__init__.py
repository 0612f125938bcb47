"""Readings of a trace: what to watch, what to say about it, which element an index means, and counts."""

from kernels.analysis.counts import Counts, Issued, MemoryCount, Reuse, counts, touches
from kernels.analysis.explain_access import IndexArithmetic, explain_index
from kernels.analysis.playlist import Frame, Playlist, frame_count, playlist
from kernels.analysis.registers import Variable, variables
from kernels.analysis.roles import ROLES, LaneRoles, lane_roles
from kernels.narration.narrate import Caption, describe

__all__ = [
    "ROLES", "Caption", "Counts", "Frame", "IndexArithmetic", "Issued", "LaneRoles", "MemoryCount", "Playlist",
    "Reuse", "Variable", "counts", "describe", "explain_index", "frame_count", "lane_roles", "playlist", "touches",
    "variables",
]  # fmt: skip
