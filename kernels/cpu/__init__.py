"""Baselines that run anywhere. Importing this is cheap: `kernels.cpu.matmul` loads Numba when used."""
