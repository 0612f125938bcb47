"""Setup of a measurement: kernels, sizes, hosts, and what is said of them before it starts."""
