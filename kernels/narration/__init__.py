"""Captions of steps in plain words; the same words for every kernel."""
