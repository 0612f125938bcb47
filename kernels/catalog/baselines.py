"""What a baseline outside CUDA C declares about itself, so that the catalogue can list it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Baseline:
    """One routine that runs on the CPU or comes from a GPU library.

    `threaded` says that the number of threads can be chosen.
    """

    id: str
    title: str
    teaches: str
    workload: str
    order: int
    runs_on: Literal["cpu", "library"]
    threaded: bool = False
