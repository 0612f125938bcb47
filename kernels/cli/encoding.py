r"""Plain forms of characters that the encoding of standard output lacks: x for ×, <= for ≤.

For ASCII terminals, and for redirected output on Windows. A character without a plain form is written as an escape,
such as \xf6, so that no output fails and nothing is lost.
"""

from __future__ import annotations

import codecs
import io
import sys
from typing import Final
from unicodedata import decomposition

PLAIN_FORM: Final = "tilescope-plain"
"""Error handler of `str.encode` that writes plain forms."""

_ASCII: Final = "tilescope-ascii"
"""ASCII by another name: where a stream is called ASCII, Click ignores it and writes UTF-8 to its file."""

_PLAIN: Final = {
    "×": "x",
    "·": "*",
    "•": "*",
    "–": "-",
    "—": "-",
    "−": "-",
    "“": '"',
    "”": '"',
    "‘": "'",
    "’": "'",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "≈": "~",
    "≪": "<<",
    "≫": ">>",
    "←": "<-",
    "→": "->",
    "▸": ">",
    "√": "sqrt",
    "γ": "gamma",
    "Γ": "Gamma",
    "π": "pi",
    "Σ": "Sigma",
    "µ": "u",
    "μ": "u",
}


def write_plain_forms() -> None:
    """Make standard output and error write plain forms of the characters that they cannot encode."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            ascii_only = codecs.lookup(stream.encoding).name == "ascii"
            stream.reconfigure(encoding=_ASCII if ascii_only else None, errors=PLAIN_FORM)


def _find_codec(name: str) -> codecs.CodecInfo | None:
    if name.replace("_", "-") != _ASCII:
        return None
    plain = codecs.lookup("ascii")
    return codecs.CodecInfo(
        plain.encode,
        plain.decode,
        name=_ASCII,
        incrementalencoder=plain.incrementalencoder,
        incrementaldecoder=plain.incrementaldecoder,
    )


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    parts: list[str] = []
    superscript = False
    for character in error.object[error.start : error.end]:
        tag, _, codes = decomposition(character).partition("> ")
        letters = "".join(_PLAIN.get(c, c) for c in (chr(int(code, 16)) for code in codes.split()))
        if character in _PLAIN:
            parts.append(_PLAIN[character])
        elif tag == "<super" and letters.isascii():  # ᵀ is ^T, ⁻⁶ is ^-6
            parts.append(letters if superscript else f"^{letters}")
        elif letters and letters.isascii():  # … is ..., ₆ is 6
            parts.append(letters)
        elif "\udc80" <= character <= "\udcff":  # a byte of a file name that is not UTF-8
            parts.append(f"\\x{ord(character) - 0xDC00:02x}")
        else:
            parts.append(character.encode("ascii", "backslashreplace").decode("ascii"))
        superscript = tag == "<super"
    return "".join(parts), error.end


codecs.register_error(PLAIN_FORM, _replace)
codecs.register(_find_codec)
