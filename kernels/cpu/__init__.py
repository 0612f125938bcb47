"""Baselines on the CPU. Importing this is cheap: `kernels.cpu.matmul` loads Numba on first use."""
