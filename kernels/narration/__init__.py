"""A step in plain words; the same words for every kernel."""
