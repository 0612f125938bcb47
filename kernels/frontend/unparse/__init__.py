"""Unparser: the tree to CUDA C text."""
