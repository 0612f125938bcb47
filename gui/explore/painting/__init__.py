"""Painting of scenes: the same calls for the canvas, exported pictures and films."""
