"""Bytes of .npy files, well-formed or not."""

from __future__ import annotations


def npy(shape: str, descr: str = "'<f4'", data: bytes = b"") -> bytes:
    """A .npy file whose header says so."""
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(10 + len(header) + 1) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data
