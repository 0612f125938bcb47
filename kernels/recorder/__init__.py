"""The trace of a run on a real GPU, recorded by the rewritten source."""
