"""Declarations of CUDA's and C++'s own headers, as far as device code uses them."""
