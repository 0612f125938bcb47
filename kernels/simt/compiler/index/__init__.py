"""Indices: what is known of an integer before the kernel runs."""
