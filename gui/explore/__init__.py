"""The Explore page: a trace, shown one step at a time."""
