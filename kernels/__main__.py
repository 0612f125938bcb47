"""`python -m kernels`: the command line without the window; worker processes are started this way."""

from kernels.startup import start

start("kernels.cli")
