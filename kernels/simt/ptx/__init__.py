"""Inline PTX: `asm` statements, each instruction as the operations of CUDA C that it consists of."""
