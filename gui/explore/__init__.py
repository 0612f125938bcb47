"""The picture: a trace, read one step at a time."""
