"""The Occupancy page: how many blocks fit on an SM, what limits them, and what another block would give."""
