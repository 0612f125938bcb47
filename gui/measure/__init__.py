"""The Benchmark page: choose, measure in a process of its own, see the curves grow."""
