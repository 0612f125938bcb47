"""Environment of a sample: machine, GPU, and the versions of all software that its time depends on."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import uuid
from dataclasses import asdict, dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kernels import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Environment:
    """Names and versions; "" for hardware or software that is missing. Clocks in MHz are the driver's maximum."""

    machine: str
    cpu: str
    cores: str
    gpu: str
    gpu_clock_mhz: str
    cuda_driver: str
    cuda_runtime: str
    nvrtc: str
    cupy: str
    numpy: str
    numba: str
    python: str
    tilescope: str
    gpu_uuid: str = ""
    """Identity of the GPU: of several of one model, each has its own environment."""
    driver: str = ""
    """Version of NVIDIA's driver; `cuda_driver` is the newest CUDA that it supports."""
    host: str = ""
    """Name of the host that measured, from the file `hosts.toml`; "" for this machine."""

    @property
    def id(self) -> str:
        """A hash of twelve digits, the same for equal environments."""
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def device(self) -> str:
        """The GPU, or the CPU where there is none."""
        return self.gpu or self.cpu

    def to_json(self) -> dict[str, str]:
        """Return the fields."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Environment:
        """Read the object of `to_json`; a field that an older version did not write is ""."""
        return cls(**{field.name: str(data.get(field.name, "")) for field in fields(cls)})


def this_environment() -> Environment:
    """Describe this machine and this process. Loads CuPy where it is installed."""
    from kernels.gpu.device import versions

    machine, cpu = this_machine()
    return Environment(
        machine=machine,
        cpu=cpu,
        cores=str(os.cpu_count() or ""),
        numpy=_installed("numpy"),
        numba=_installed("numba"),
        python=platform.python_version(),
        tilescope=__version__,
        **versions(),
    )


def this_machine() -> tuple[str, str]:
    """Return `machine` and `cpu` of this machine's environment, without loading anything."""
    return f"{platform.system()} {platform.release()} {platform.machine()}", _cpu_name()


def machine_id() -> str:
    """Return an id of this machine since it was started, the same in all of its containers."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return f"{platform.node()} {uuid.getnode():012x}"


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _cpu_name() -> str:
    """Return the processor's name: on Linux from /proc/cpuinfo, because `platform` does not know it there."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
