"""libcu++: atomic objects and barrier objects."""
