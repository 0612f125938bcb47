"""Runs of the Benchmark page: recorded ones and those of the history, listed, overlaid, renamed, deleted."""
