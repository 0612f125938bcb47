"""Libraries that only some kernels include, one folder each."""
