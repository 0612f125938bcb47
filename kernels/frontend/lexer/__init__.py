"""Source text to tokens."""
