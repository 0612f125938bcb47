"""Names of the instructions in the text of an asm statement."""

from __future__ import annotations

import re
from typing import Final

_BEFORE_NAME: Final = re.compile(r"\A(?:[{}\s]|[\w$]+:(?!:)|@!?[%\w$]+\s)*")
"""Braces of a scope, labels and a guard, in front of an instruction's name."""


def instruction_names(template: str) -> tuple[str, ...]:
    """Return the names of the instructions, each once; declarations such as `.reg` have none."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", template, flags=re.DOTALL)
    parts = (_BEFORE_NAME.sub("", part, count=1).split() for part in text.split(";"))
    return tuple(dict.fromkeys(part[0] for part in parts if part and not part[0].startswith(".")))
