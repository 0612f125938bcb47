"""Tensor cores: wmma, mma and ldmatrix."""
