"""Reference interpreter of kernels: one Python object per thread, no vectors, slow and obvious."""
