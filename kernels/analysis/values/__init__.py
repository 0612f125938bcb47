"""Values: contents of elements and registers, where they came from, and who uses them."""
