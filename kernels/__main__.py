"""`python -m kernels`: the command line without the window; worker processes are started this way."""

from kernels.cli import check_installation, main

check_installation()
main(prog_name="tilescope")
