"""Preprocessor directives, conditions and included files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kernels.cancellation import checkpoint
from kernels.errors import InputError, SourceError
from kernels.frontend.lexer.tokens import Text, Token, tokens, wrong_token_message
from kernels.frontend.preprocessor.includes import Includes, splice
from kernels.frontend.preprocessor.macros import Expander, Macro, Piece, read_macro
from kernels.frontend.preprocessor.predefined import PREDEFINED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

_MACRO_NAME: Final = re.compile(r"[A-Za-z_]\w*(\([\w, .]*\))?", re.ASCII)

_WORDS: Final = {"true", "false", "and", "or", "not", "bitand", "bitor", "xor", "compl", "not_eq"}
"""Names with a meaning in a condition; all others are 0."""


@dataclass(frozen=True, slots=True)
class Preprocessed:
    """The result of the preprocessor."""

    source: Text
    pieces: list[Piece]
    """Tokens for the parser."""
    included: tuple[tuple[str, str], ...]
    """Name and text of each included file."""
    missing: tuple[str, ...]
    """Names of included files that were not found."""
    skipped: frozenset[int]
    """Lines of the file, counted from 1, in branches of #if that are not taken."""


def preprocess(
    source: Text,
    defines: Sequence[tuple[str, str]],
    evaluate: Callable[[str], object],
    folder: Path | None = None,
    included: Mapping[str, str] = MappingProxyType({}),
    search: Sequence[Path] = (),
    *,
    alone: bool = False,
) -> Preprocessed:
    """Run the preprocessor.

    Parameters
    ----------
    source : Text
        The file.
    defines : Sequence[tuple[str, str]]
        Macros from outside, as `-D` does.
    evaluate : Callable[[str], object]
        Evaluates a constant C expression, for `#if`.
    folder : Path | None
        Folder of the file, in which local includes are searched.
    included : Mapping[str, str]
        Texts of local includes, by name, that are used instead of files.
    search : Sequence[Path]
        Further folders of included files.
    alone : bool
        Whether an included file that is not found is an error.

    Raises
    ------
    SourceError
        For a broken directive or macro call, or includes without end.
    """
    macros = dict(_predefined())
    for name, value in defines:
        macro = _macro_from_outside(name, value)
        macros[macro.name] = macro
    includes = Includes(folder, included, search, alone=alone)
    preprocessor = _FilePreprocessor(source, macros, evaluate, includes)
    preprocessor.run()
    missing = tuple(dict.fromkeys(includes.missing))
    return Preprocessed(
        source, preprocessor.pieces, tuple(includes.texts.items()), missing, frozenset(preprocessor.skipped)
    )


@cache
def _predefined() -> dict[str, Macro]:
    result = (_macro_from_outside(name, value) for name, value in PREDEFINED.items())
    return {macro.name: macro for macro in result}


def _macro_from_outside(name: str, value: str) -> Macro:
    definition = Text(f"-D {name}={value}", f"{name} {value}")
    if not _MACRO_NAME.fullmatch(name):
        raise InputError(f"{definition.file}: not a macro, use NAME=VALUE")
    return read_macro(definition, [token for token in tokens(definition) if token.kind != "newline"])


@dataclass(slots=True)
class _Condition:
    """An #if directive that is open."""

    opened: Token
    """The word if, ifdef or ifndef."""
    outside: bool
    """True if the lines around the directive are kept."""
    taken: bool = False
    """True if a branch was active."""
    seen_else: bool = False


class _FilePreprocessor:
    """Preprocesses the lines of one file; keeps its macros and the stack of conditions."""

    def __init__(
        self,
        source: Text,
        macros: dict[str, Macro],
        evaluate: Callable[[str], object],
        includes: Includes,
    ) -> None:
        self.pieces: list[Piece] = []
        self.skipped: set[int] = set()
        self._source = source
        self._macros = macros
        self._expander = Expander(source, macros)
        self._evaluate = evaluate
        self._includes = includes
        self._waiting: list[Piece] = []
        self._conditions: list[_Condition] = []
        """The #if directives that are open, innermost last."""
        self._active = True
        """True if the lines of the innermost branch are kept."""

    def run(self) -> None:
        end = len(self._source.text)
        line: list[Token] = []
        start = 0
        for token in [*tokens(self._source), Token("newline", "", end, end)]:  # the last line may lack its newline
            line.append(token)
            if token.kind != "newline":
                continue
            checkpoint()
            skipped = not self._active
            if line[0].text == "#":
                self._directive(line[0], line[1:-1])
                skipped &= not self._active  # #else and #endif belong to no branch
            elif self._active:
                if line[0].text == "%" == line[1].text:
                    raise self._source.error(line[0].start, "not supported: a notebook magic (%%); remove the line")
                for part in line:
                    if part.kind == "wrong" and part.text[0] in "\"'":
                        raise self._source.error(part.start, wrong_token_message(part.text))
                    self._waiting.append(Piece(*part))
            if skipped:  # several rows, if a comment ends in a later one
                first, last = self._source.place(start)[0], self._source.place(token.start)[0]
                self.skipped.update(range(first, last + 1))
            line, start = [], token.end
        self._flush()
        if self._conditions:
            opened = self._conditions[-1].opened
            raise self._source.error(opened.start, f"syntax error: this #{opened.text} has no #endif")

    def _flush(self) -> None:
        expanded = self._expander.expand(self._waiting)
        self.pieces += [piece for piece in expanded if piece.kind != "newline"]
        self._waiting = []

    def _directive(self, mark: Token, line: list[Token]) -> None:
        words = [token.text for token in line[:2]]
        if words[:1] in (["define"], ["undef"], ["include"]) or words == ["pragma", "pack"]:
            self._flush()  # other directives may stand among the arguments of a macro call
        if not line:
            return
        word, rest = line[0], line[1:]
        if word.text in ("if", "ifdef", "ifndef"):
            self._conditions.append(_Condition(word, outside=self._active))
            self._active = self._conditions[-1].taken = self._active and self._condition(word, rest)
        elif word.text in ("elif", "else", "endif"):
            self._branch(word, rest)
        elif self._active:
            self._command(word, rest, mark)

    def _branch(self, word: Token, rest: list[Token]) -> None:
        if not self._conditions:
            raise self._source.error(word.start, f"syntax error: #{word.text} without #if")
        condition = self._conditions[-1]
        if word.text == "endif":
            self._active = condition.outside
            self._conditions.pop()
            return
        if condition.seen_else:
            raise self._source.error(word.start, f"syntax error: #{word.text} after #else")
        condition.seen_else = word.text == "else"
        self._active = (
            condition.outside and not condition.taken and (condition.seen_else or self._condition(word, rest))
        )
        condition.taken |= self._active

    def _command(self, word: Token, rest: list[Token], mark: Token) -> None:
        if word.text in ("define", "undef"):
            if not rest or rest[0].kind != "name" or rest[0].text == "defined":
                raise self._source.error(word.start, f"syntax error: #{word.text} needs a name")
            if word.text == "undef":
                self._macros.pop(rest[0].text, None)
            else:
                self._macros[rest[0].text] = read_macro(self._source, rest)
        elif word.text == "include":
            self._include(word, rest)
        elif word.text == "error":
            message = self._source.text[word.end : rest[-1].end].strip() if rest else ""
            raise self._source.error(mark.start, f"#error {message}".rstrip())
        elif word.text == "pragma":
            self._pragma(rest, mark)
        elif word.text not in ("warning", "ident"):
            raise self._source.error(mark.start, f"not supported: #{word.text}")

    def _pragma(self, rest: list[Token], mark: Token) -> None:
        """Execute `once`; pass `pack` on to the parser, because it changes the layout of structs; ignore others."""
        texts = [token.text for token in rest]
        if texts == ["once"]:
            self._includes.once()
        elif texts[:1] == ["pack"]:
            self.pieces.append(Piece("pragma", "".join(texts), mark.start, rest[-1].end))

    def _include(self, word: Token, rest: list[Token]) -> None:
        header = _in_angles(rest, self._source)
        if not header and (not rest or rest[0].kind != "string"):
            raise self._source.error(word.start, 'syntax error: #include needs <header> or "file"')
        name = header or rest[0]
        text = self._includes.open(self._source, name)
        if text is not None:
            preprocessor = _FilePreprocessor(text, self._macros, self._evaluate, self._includes)
            preprocessor.run()
            self._includes.close()
            self.pieces += splice(preprocessor.pieces, text, (word.start, name.end))

    def _condition(self, word: Token, rest: list[Token]) -> bool:
        """Evaluate what follows #if, #ifdef, #ifndef or #elif."""
        if not rest:
            raise self._source.error(word.start, f"syntax error: #{word.text} needs a condition")
        if word.text in ("ifdef", "ifndef"):
            if rest[0].kind != "name":
                raise self._source.error(rest[0].start, f"syntax error: #{word.text} needs a name")
            return self._knows(rest[0].text) == (word.text == "ifdef")
        pieces = self._expander.expand(self._without_defined(rest))
        text = " ".join("0" if p.kind == "name" and p.text not in _WORDS else p.text for p in pieces)
        try:
            return bool(self._evaluate(text))
        except SourceError as error:
            raise self._source.error(rest[0].start, error.reason, error.cause) from error
        except InputError as error:
            raise self._source.error(rest[0].start, str(error)) from error

    def _without_defined(self, rest: list[Token]) -> list[Piece]:
        """Replace `defined NAME`, `defined(NAME)` and `__has_include("file")` by 1 or 0."""
        pieces: list[Piece] = []
        i = 0
        while i < len(rest):
            token = rest[i]
            if token.text == "__has_include":
                name, length = self._name_of_file(token, rest[i + 1 :])
                pieces.append(Piece("number", str(int(self._includes.has(name))), token.start, token.end))
                i += 1 + length
                continue
            if token.text != "defined":
                pieces.append(Piece(*token))
                i += 1
                continue
            words = [t.text for t in rest[i + 1 : i + 4]]
            length = 3 if words[:1] == ["("] and words[2:] == [")"] else 1
            name = words[length // 2] if len(words) >= length else ""
            if not name.isidentifier():
                raise self._source.error(token.start, "syntax error: defined needs a name")
            pieces.append(Piece("number", str(int(self._knows(name))), token.start, token.end))
            i += 1 + length
        return pieces

    def _knows(self, name: str) -> bool:
        return name in self._macros or name == "__has_include"

    def _name_of_file(self, word: Token, rest: list[Token]) -> tuple[str, int]:
        """Return the file in the parentheses of `__has_include`, and the number of tokens up to `)`."""
        name = _in_angles(rest[1:], self._source) or rest[1] if len(rest) > 2 else word
        length = next((i for i, token in enumerate(rest) if token.start >= name.end), len(rest))
        around = [rest[0].text, *(token.text for token in rest[length : length + 1])] if rest else []
        if name.kind != "string" or around != ["(", ")"]:
            raise self._source.error(word.start, 'syntax error: __has_include needs (<header>) or ("file")')
        return name.text, length + 1


def _in_angles(rest: list[Token], source: Text) -> Token | None:
    """Return `<header>` as one token; None if there is none."""
    texts = [token.text for token in rest]
    if texts[:1] != ["<"] or ">" not in texts:
        return None
    end = rest[texts.index(">")].end
    return Token("string", source.text[rest[0].start : end], rest[0].start, end)
