"""Metrics of a run, as Nsight Compute has them: requests, sectors, wavefronts, reuse, operations."""
