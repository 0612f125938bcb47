"""Choice of the GPU that CUDA shows to this process as device 0."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from kernels.errors import InputError

if TYPE_CHECKING:
    from collections.abc import MutableMapping

_VISIBLE = "CUDA_VISIBLE_DEVICES"


def choose_gpu(gpu: str, environment: MutableMapping[str, str] = os.environ) -> None:
    """Show only one GPU to CUDA, which must not have been used in this process.

    Parameters
    ----------
    gpu : str
        A number or a UUID. Numbers are those of nvidia-smi; where `CUDA_VISIBLE_DEVICES` is set already, as by Slurm,
        they count the GPUs that it names, so that a process never leaves those that it was given.
    environment : mutable mapping
        Variables of the process.

    Raises
    ------
    InputError
        When there is no GPU of that number among those that it was given.
    """
    offered = [name for name in environment.get(_VISIBLE, "").split(",") if name]
    if _VISIBLE in environment and gpu.isdecimal():
        if int(gpu) >= len(offered):
            raise InputError(
                f"there is no GPU {gpu}: {_VISIBLE} is '{environment[_VISIBLE]}', so give 0 to {len(offered) - 1}"
                if offered
                else f"there is no GPU {gpu}: {_VISIBLE} is empty"
            )
        environment[_VISIBLE] = offered[int(gpu)]
        return
    # CUDA's own order is that of speed; nvidia-smi's is that of the bus.
    environment["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    environment[_VISIBLE] = gpu


def gpu_names(text: str) -> tuple[str, ...]:
    """Return the GPUs of a list such as `0,1`.

    Raises
    ------
    InputError
        When a part is neither a number nor a UUID.
    """
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
    for name in names:
        if not (name.isascii() and (name.isdecimal() or name.startswith(("GPU-", "MIG-")))):
            raise InputError(
                f"'{name}' is not a GPU: give numbers as nvidia-smi lists them, as in --gpus 0,1, or UUIDs"
            )
    return names
