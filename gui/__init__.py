"""The window. It imports `kernels`, but names no kernel and never imports CuPy."""
