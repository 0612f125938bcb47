"""Performance, as ratios taken in one run."""
