"""The only room that touches CuPy, and only inside functions: compile, device, run, time."""
