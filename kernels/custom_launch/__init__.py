"""Launches of any kernel: grid, block and values of the parameters as the user writes them. No Qt."""
