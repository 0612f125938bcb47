"""The application without its window: sources, simulation, launch, occupancy, measurement. No module imports Qt."""

from pathlib import Path
from typing import Final

__version__: Final = "0.2.0"
"""The only place of the version; `pyproject.toml` reads it here."""

CUDA_FOLDER: Final = Path(__file__).parent / "cuda"
"""Folder of the catalogue's `.cu` sources."""

RESOURCES: Final = Path(__file__).parent.parent / "resources"
"""Data files: devices, compiled resource tables, icons. The same place in a checkout and in an installation."""
