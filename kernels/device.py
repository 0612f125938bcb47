"""Device table: the properties of GPUs.

There is one small TOML file for each device in `resources/devices`; properties that all devices of an architecture
share are in `resources/architectures`.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final

from kernels import RESOURCES
from kernels.architecture import Architecture
from kernels.errors import InputError
from kernels.launch import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Device:
    """Properties that occupancy and launch limits depend on; rates as the vendor states them."""

    id: str
    name: str
    compute_capability: tuple[int, int]
    sm_count: int
    warps_per_sm: int
    blocks_per_sm: int
    registers_per_sm: int
    registers_per_block: int
    registers_per_thread: int
    register_unit: int
    """Registers are allocated to warps in multiples of this number."""
    shared_per_sm_bytes: int
    shared_per_block_bytes: int
    shared_per_block_optin_bytes: int
    """The limit with cudaFuncSetAttribute, for dynamic shared memory."""
    shared_reserved_bytes: int
    """Shared memory that the driver reserves in every block."""
    shared_unit_bytes: int
    """Shared memory is allocated to blocks in multiples of this number of bytes."""
    boost_clock_mhz: float
    fp32_lanes_per_sm: int
    memory_gb_s: float
    source: str
    """The document with these figures."""
    tensor_flops: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Operations of the tensor cores of an SM a clock, by the type of the factors: dense, with sums in float32. Types
    that they do not have, or of which the vendor states no peak, are missing."""
    tensor_clock_mhz: float = 0.0
    """Clock at which the vendor states the peaks of tensor cores; 0 for the boost clock."""
    copy_gb_s: float = 0.0
    """Bandwidth of a copy in device memory, measured by `kernels.gpu.bandwidth`; 0 where it was not."""
    present: bool = False
    """Whether the device is the GPU in this machine, with properties from its driver."""

    @property
    def arch(self) -> str:
        """The compiler's name for this architecture, such as sm_90."""
        return f"sm_{self.compute_capability[0]}{self.compute_capability[1]}"

    @property
    def architecture(self) -> Architecture:
        """The architecture that is compiled for it, such as sm_90a."""
        return Architecture.of_gpu(self.arch)

    @property
    def bandwidth_gb_s(self) -> float:
        """The bandwidth of a copy in memory as measured on such a device, else the datasheet's."""
        return self.copy_gb_s or self.memory_gb_s

    @property
    def threads_per_sm(self) -> int:
        """Maximum number of resident threads of an SM."""
        return self.warps_per_sm * 32

    @property
    def barriers_per_sm(self) -> int:
        """Barriers of an SM, two or one for each block slot; 0 where NVIDIA does not say that they limit residency.

        cuda_occupancy.h (CUDA 13.0), cudaOccMaxBlocksPerSMBlockBarrierLimit, applied from compute capability 9.0 on.
        """
        major, _ = self.compute_capability
        if major < 9:
            return 0
        single = major == 12 or self.compute_capability in ((10, 1), (11, 0))
        return self.blocks_per_sm if single else 2 * self.blocks_per_sm

    @property
    def peak_fp32_gflops(self) -> float:
        """SMs × FP32 lanes × 2 (multiply and add) × boost clock."""
        return self.sm_count * self.fp32_lanes_per_sm * 2 * self.boost_clock_mhz / 1e3

    def tensor_share(self, factors: str) -> float:
        """Return the peak of tensor cores with factors of a type over that of float32, at any clock; 0 if unknown."""
        return self.tensor_flops.get(factors, 0) / (2 * self.fp32_lanes_per_sm)

    def tensor_peak_gflops(self, factors: str) -> float:
        """Return the peak of tensor cores with factors of a type, as the vendor states it; 0 if it is not known."""
        clock_mhz = self.tensor_clock_mhz or self.boost_clock_mhz
        return self.sm_count * self.tensor_flops.get(factors, 0) * clock_mhz / 1e3

    @property
    def limits(self) -> Limits:
        """Limits of one launch, without opt-in shared memory."""
        return Limits(shared_per_block_bytes=self.shared_per_block_bytes)

    @property
    def opt_in_limits(self) -> Limits:
        """Limits of a launch whose shared memory is dynamic, as tilescope asks for it."""
        return Limits(shared_per_block_bytes=self.shared_per_block_optin_bytes)


@cache
def devices() -> tuple[Device, ...]:
    """Return every shipped device, oldest architecture first.

    Raises
    ------
    InputError
        When a file lacks a field, has an unknown one, or names an architecture without a file.
    """
    found = [read_device(file) for file in sorted((RESOURCES / "devices").glob("*.toml"))]
    return tuple(sorted(found, key=lambda d: (d.compute_capability, d.memory_gb_s, d.id)))


def read_device(file: Path) -> Device:
    """Read one device file and its architecture's; raises InputError as `devices` does."""
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        major, minor = data["compute_capability"]
        shared = (RESOURCES / "architectures" / f"sm_{major}{minor}.toml").read_text(encoding="utf-8")
        return Device(id=file.stem, **{**tomllib.loads(shared), **data, "compute_capability": (major, minor)})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{file}: this device cannot be read: {error}") from error


def find_device(name: str) -> Device:
    """Return the shipped device of that id or name, in any case and spacing.

    Raises
    ------
    InputError
        When there is no such device; the message lists the ids.
    """
    normalised = "".join(c for c in name.lower() if c.isalnum())
    for device in devices():
        if normalised in ("".join(c for c in text.lower() if c.isalnum()) for text in (device.id, device.name)):
            return device
    raise InputError(f"no device '{name}': choose one of {', '.join(d.id for d in devices())}")


_FORMS: Final = frozenset(("sxm", "pcie", "gb"))
_OTHER_MODELS: Final = frozenset(("ti", "super", "laptop", "mobile", "max", "d"))
"""Words of a driver's name with which it is another model than the same name without them."""


@cache
def device_of_driver(name: str) -> Device | None:
    """Return the shipped device that a driver calls so, such as `NVIDIA H100 80GB HBM3`; None if there is none.

    The model must be the same; of its forms, the one whose bus and memory the name does not contradict.
    """
    words = _words(name)
    found = []
    for device in devices():
        own = _words(device.name)
        model = {word for word in own if word not in _FORMS and not word.isdigit()} | {
            word for word in own if word.isdigit() and len(word) > 2
        }
        if not model <= words or (words - model) & _OTHER_MODELS:
            continue
        memory = [word for word in own if word.isdigit() and len(word) <= 2]
        fits = ("pcie" in own) == ("pcie" in words)
        found.append((len(model), fits, any(f"{size}gb" in words for size in memory), device))
    return max(found, key=lambda row: row[:3])[3] if found else None


def _words(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z0-9]+", name.lower()))
