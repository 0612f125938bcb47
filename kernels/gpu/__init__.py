"""The GPU: compiling, device properties, running and timing kernels. CuPy is imported here only, in functions."""
