"""Scenes: layout and facts of one step of a trace. No Qt."""
