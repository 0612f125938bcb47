"""Cooperative groups."""
