"""CUDA's own functions that every course uses: mathematics, atomics, shuffles, votes, printf, asynchronous copies."""
