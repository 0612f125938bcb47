"""Rarely used intrinsics: directed rounding, packed integers, special functions."""
