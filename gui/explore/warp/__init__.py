"""The 32 lanes of one warp with the branches that separate them."""
