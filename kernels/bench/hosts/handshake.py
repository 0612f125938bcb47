"""Check of a worker's first line: whether it can measure a plan for this program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels import __version__
from kernels.bench.protocol import PROTOCOL
from kernels.errors import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernels.bench.protocol import Start


def check_start(start: Start, sources: Mapping[str, str]) -> None:
    """Refuse a worker of another version, or one that read another text of a kernel.

    Parameters
    ----------
    start : Start
        Its first message.
    sources : mapping
        Hash of each kernel's source here, by name (`kernels.bench.kernel_texts.source_hashes`).

    Raises
    ------
    UnavailableError
        With the reason as a sentence whose subject, the worker's host, is left out.
    """
    version = f"tilescope {start.version}" if start.version else "a tilescope older than 0.1"
    if start.protocol != PROTOCOL or start.version != __version__:
        raise UnavailableError(
            f"has {version} (protocol {start.protocol}), and this machine tilescope {__version__} "
            f"(protocol {PROTOCOL}): install the same version on both"
        )
    for name, here in sources.items():
        there = start.sources.get(name, here)
        if there != here:
            raise UnavailableError(
                f"has another text of {name} (hash {there or 'none'}) than this machine (hash {here or 'none'}): "
                "start the measurement again, and do not edit the kernel meanwhile"
            )
