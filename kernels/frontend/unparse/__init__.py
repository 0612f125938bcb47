"""The tree back to CUDA C text."""
