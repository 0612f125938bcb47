"""Structs: their layout, their construction, and the bounds of their members."""
