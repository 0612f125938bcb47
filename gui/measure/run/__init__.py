"""Runs: the one that is measured, those of the history, and recorded ones."""
