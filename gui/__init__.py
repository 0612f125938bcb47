"""The window. It imports `kernels`; it knows no kernel by name and never touches CuPy."""
