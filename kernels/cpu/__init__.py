"""Baselines on the CPU. Importing this is cheap: `kernels.cpu.loops` loads Numba on first use."""
