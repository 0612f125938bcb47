"""Analyses of a trace: memory counts, index arithmetic, thread roles, values of variables, and the playlist."""

from kernels.analysis.metrics.counts import Counts, Issued, MemoryCount, Reuse, counts, touches
from kernels.analysis.metrics.launch_counts import LaunchCounter, LaunchCounts
from kernels.analysis.metrics.memory_history import ElementReads, LineCount, MemoryHistory, Totals
from kernels.analysis.metrics.warp_access import BankUse, WarpAccess, WarpRequest, warp_accesses, warps_in
from kernels.analysis.order.play_order import PlayOrder, play_order
from kernels.analysis.order.playlist import Frame, Playlist, frame_count, playlist
from kernels.analysis.syntax.explain_access import IndexArithmetic, explain_index
from kernels.analysis.values.registers import Variable, variables
from kernels.analysis.values.roles import ROLES, LaneRoles, lane_roles

__all__ = [
    "ROLES",
    "BankUse",
    "Counts",
    "ElementReads",
    "Frame",
    "IndexArithmetic",
    "Issued",
    "LaneRoles",
    "LaunchCounter",
    "LaunchCounts",
    "LineCount",
    "MemoryCount",
    "MemoryHistory",
    "PlayOrder",
    "Playlist",
    "Reuse",
    "Totals",
    "Variable",
    "WarpAccess",
    "WarpRequest",
    "counts",
    "explain_index",
    "frame_count",
    "lane_roles",
    "play_order",
    "playlist",
    "touches",
    "variables",
    "warp_accesses",
    "warps_in",
]
