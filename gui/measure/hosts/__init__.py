"""Hosts on the Benchmark page: a list with ticks and tests, and the series of each host."""
