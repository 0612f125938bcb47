"""Recording of a trace on a real GPU, from the rewritten source."""
