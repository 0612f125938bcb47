"""Tabs of the Benchmark page. They draw figures and compute none."""
