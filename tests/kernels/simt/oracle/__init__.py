"""A second simulator to hold against the first: one Python object a thread, no vectors, slow and obvious."""
