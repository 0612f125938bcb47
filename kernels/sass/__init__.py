"""Loads and stores of the compiled code (SASS), matched with the accesses of a trace."""
