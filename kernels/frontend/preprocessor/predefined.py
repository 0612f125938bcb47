"""Macros that are defined before the first line of a program: the lines of `predefined.cuh`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

PREDEFINED: Final = dict(
    re.findall(
        r"^#define (\w+(?:\(.*?\))?) ?(.*)$",
        Path(__file__).with_name("predefined.cuh").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
)
"""Replacements by name; with the parameters, if the macro has some."""
