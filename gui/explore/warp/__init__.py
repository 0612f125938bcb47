"""One warp: its 32 lanes, the branches that separate them, and the memory that they access."""
