"""The Occupancy page: resident blocks per SM, their limit, and the occupancy of other block sizes."""
