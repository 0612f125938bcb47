"""Clocks, power, temperature and throttle reasons of the GPU while it works, read through NVML in a thread.

NVML is NVIDIA's management library; it comes with the driver. Reading it does not use the CUDA context and does not
stop the device.
"""

from __future__ import annotations

import statistics
import threading
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

_INTERVAL_S: Final = 0.02

_REASONS: Final = {
    0x001: "idle",
    0x002: "application clocks",
    0x004: "SW power cap",
    0x008: "HW slowdown",
    0x010: "sync boost",
    0x020: "SW thermal slowdown",
    0x040: "HW thermal slowdown",
    0x080: "HW power brake",
    0x100: "display clocks",
}
"""Bits of nvmlClocksEventReasons (nvml.h), with nvidia-smi's words."""


@dataclass(frozen=True, slots=True)
class Reading:
    """State of the GPU; None for what this GPU or driver does not tell."""

    sm_clock_mhz: float | None = None
    memory_clock_mhz: float | None = None
    power_w: float | None = None
    temperature_c: float | None = None
    throttle_reasons: tuple[str, ...] = ()


class NvmlReader:
    """Reads the state of one GPU.

    Parameters
    ----------
    nvml : module
        `pynvml` of the package nvidia-ml-py, initialised.
    bus_id : str
        PCI address of the GPU: NVML does not count the GPUs as CUDA does.
    """

    def __init__(self, nvml: Any, bus_id: str) -> None:
        self._nvml = nvml
        self._gpu = nvml.nvmlDeviceGetHandleByPciBusId(bus_id)
        # Drivers before 535 have the older name.
        self._reasons_name = next(
            (
                name
                for name in ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons")
                if self._ask(name) is not None
            ),
            "",
        )

    @property
    def uuid(self) -> str:
        """Identity of the GPU, the same in every process and container; "" where the driver does not tell."""
        try:
            found = self._nvml.nvmlDeviceGetUUID(self._gpu)
        except self._nvml.NVMLError:
            return ""
        return found.decode() if isinstance(found, bytes) else str(found)

    @property
    def driver(self) -> str:
        """Version of the driver, such as `570.86.15`; "" where it does not tell."""
        try:
            found = self._nvml.nvmlSystemGetDriverVersion()
        except self._nvml.NVMLError:
            return ""
        return found.decode() if isinstance(found, bytes) else str(found)

    @property
    def processes(self) -> float | None:
        """Number of processes that use the GPU for computing, this one included; None where it does not tell."""
        try:
            return float(len(self._nvml.nvmlDeviceGetComputeRunningProcesses(self._gpu)))
        except (self._nvml.NVMLError, AttributeError):
            return None

    def read(self) -> Reading:
        """Read everything now."""
        power_mw = self._ask("nvmlDeviceGetPowerUsage")
        bits = int(self._ask(self._reasons_name) or 0) if self._reasons_name else 0
        return Reading(
            self._ask("nvmlDeviceGetClockInfo", self._nvml.NVML_CLOCK_SM),
            self._ask("nvmlDeviceGetClockInfo", self._nvml.NVML_CLOCK_MEM),
            None if power_mw is None else power_mw / 1000,
            self._ask("nvmlDeviceGetTemperature", self._nvml.NVML_TEMPERATURE_GPU),
            tuple(words for bit, words in _REASONS.items() if bits & bit),
        )

    def _ask(self, name: str, *arguments: int) -> float | None:
        try:
            return float(getattr(self._nvml, name)(self._gpu, *arguments))
        except (self._nvml.NVMLError, AttributeError):  # not supported by this GPU, driver or version of pynvml
            return None


@lru_cache(maxsize=1)
def present_reader() -> NvmlReader | None:
    """Return a reader of CUDA's device 0; None without nvidia-ml-py, a driver or a GPU."""
    try:
        import pynvml
        from cupy.cuda import runtime
    except ImportError:
        return None
    try:
        pynvml.nvmlInit()
        return NvmlReader(pynvml, runtime.deviceGetPCIBusId(0))
    except (pynvml.NVMLError, runtime.CUDARuntimeError, RuntimeError, OSError):
        return None


class Telemetry:
    """A context manager that reads every 20 ms while its block runs, and once at its end.

    Parameters
    ----------
    reader : NvmlReader or None
        None reads nothing.
    """

    def __init__(self, reader: NvmlReader | None) -> None:
        self._reader = reader
        self._readings: list[Reading] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True, name="NVML")

    def __enter__(self) -> Self:
        if self._reader is not None:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._reader is not None:
            self._thread.join()

    def summary(self) -> Reading:
        """Return the median of each figure, and every throttle reason."""
        return summarize(self._readings)

    def _work(self) -> None:
        assert self._reader is not None
        more = True
        while more:
            more = not self._ended.wait(_INTERVAL_S)
            # At the end the device may be idle already: that reading counts only if there is no other.
            if more or not self._readings:
                self._readings.append(self._reader.read())


def summarize(readings: Sequence[Reading]) -> Reading:
    """Return the median of each figure, and every throttle reason in NVML's order."""

    def median(name: str) -> float | None:
        values = [value for reading in readings if (value := getattr(reading, name)) is not None]
        return statistics.median(values) if values else None

    seen = {reason for reading in readings for reason in reading.throttle_reasons}
    return Reading(
        median("sm_clock_mhz"),
        median("memory_clock_mhz"),
        median("power_w"),
        median("temperature_c"),
        tuple(words for words in _REASONS.values() if words in seen),
    )
