"""Order: frames as they are played, barriers, divergence, and races as they happen."""
