"""Macro definitions and their expansion by the algorithm of the C standard (hide sets)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from kernels.cancellation import checkpoint
from kernels.frontend.lexer.tokens import MAX_CHARACTERS, MAX_NESTING, TOKEN, Text, Token

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_EXPANDED: Final = 100_000
"""Maximum number of tokens that the macros of one file may expand to."""

MAX_EXPANDED_CHARACTERS: Final = 4 * MAX_CHARACTERS
"""Maximum number of characters in these tokens: with `#` and `##` each macro can double the length of one token."""


class Piece(NamedTuple):
    """One token for the parser, with its position before expansion."""

    kind: str
    text: str
    start: int
    """Offset in the source as written; for an included file, that of the #include."""
    end: int
    """Offset after it."""
    outer: tuple[int, int] | None = None
    """Offsets of the outermost macro call that it comes from."""
    argument: int = 0
    """Number of the macro argument that it is part of, whose text is at `start`; 0 for none."""
    hidden: frozenset[str] = frozenset()
    """Hide set: macros that are not expanded in it."""
    origin: tuple[Text, int, int] | None = None
    """Of an included file: its text and the offsets in it."""


@dataclass(frozen=True, slots=True)
class Macro:
    """`#define name body` or, with parameters, `#define name(parameters) body`."""

    name: str
    body: tuple[Token, ...]
    parameters: tuple[str, ...] | None = None
    variadic: bool = False


def read_macro(source: Text, line: Sequence[Token]) -> Macro:
    """Parse what follows `#define`.

    Raises
    ------
    SourceError
        For a missing name or a parameter list that cannot be parsed.
    """
    name = line[0]
    if len(line) < 2 or line[1].text != "(" or line[1].start != name.end:
        return Macro(name.text, tuple(line[1:]))
    close = next((i for i, token in enumerate(line) if token.text == ")"), None)
    if close is None:
        raise source.error(line[1].start, f"syntax error: the parameters of macro {name.text} are not closed")
    inside = list(line[2:close])
    rest = "__VA_ARGS__"
    if len(inside) > 1 and inside[-1].text == "..." and inside[-2].kind == "name":  # GNU: `args...`
        rest = inside.pop(-2).text
    names, commas = inside[::2], inside[1::2]
    good = all(t.kind == "name" or t.text == "..." for t in names) and all(t.text == "," for t in commas)
    if not good or (inside and len(names) == len(commas)) or any(t.text == "..." for t in names[:-1]):
        raise source.error(line[1].start, f"syntax error in the parameters of macro {name.text}")
    variadic = bool(names) and names[-1].text == "..."
    parameters = tuple(rest if t.text == "..." else t.text for t in names)
    return Macro(name.text, tuple(line[close + 1 :]), parameters, variadic)


class Expander:
    """Expands the macros in a sequence of tokens."""

    def __init__(self, source: Text, macros: dict[str, Macro]) -> None:
        self._source = source
        self._macros = macros
        self._left = MAX_EXPANDED
        self._characters_left = MAX_EXPANDED_CHARACTERS
        self._arguments = 0

    def expand(self, pieces: Iterable[Piece]) -> list[Piece]:
        """Replace every macro.

        Raises
        ------
        SourceError
            For a macro call that is not closed, has a wrong number of arguments, or grows without end.
        """
        # Each token carries the names of the macros that it came from, its hide set; such a name is not replaced again.
        # With `#define f(x) (x + f(1))` the call f(2) becomes (2 + f(1)): here f carries {f} and stays. Expanding
        # a call hides what both its name and its `)` hide, for the two may come from different macros.
        # The list is reversed, so that its next token is popped and an expansion is appended in constant time.
        todo = list(pieces)[::-1]
        done: list[Piece] = []
        while todo:
            piece = todo.pop()
            macro = self._macros.get(piece.text) if piece.kind == "name" else None
            if macro is None or piece.text in piece.hidden:
                done.append(piece)
                continue
            if macro.parameters is None:
                todo += self._body(macro, piece, piece.end, {}, {}, piece.hidden)[::-1]
                continue
            following = next((i for i in range(len(todo) - 1, -1, -1) if todo[i].kind != "newline"), None)
            if following is None or todo[following].text != "(":
                done.append(piece)
                continue
            # The newlines between the name and its `(` are part of the call.
            del todo[following + 1 :]
            arguments, close = self._call(macro, piece, todo)
            raw = dict(zip(macro.parameters, arguments, strict=True))
            ready = {name: self._argument(tokens) for name, tokens in raw.items()}
            hidden = piece.hidden & close.hidden
            todo += self._body(macro, piece, close.end, raw, ready, hidden)[::-1]
        return done

    def _argument(self, tokens: list[Piece]) -> list[Piece]:
        self._arguments += 1
        number = self._arguments
        return self.expand([token._replace(argument=token.argument or number) for token in tokens])

    def _call(self, macro: Macro, name: Piece, todo: list[Piece]) -> tuple[list[list[Piece]], Piece]:
        """Remove `( argument , … )` from the end of the reversed list; return the arguments and the `)`."""
        assert macro.parameters is not None
        todo.pop()
        arguments: list[list[Piece]] = [[]]
        depth = 0
        while todo:
            piece = todo.pop()
            if piece.text == ")" and depth == 0:
                if not macro.parameters and arguments == [[]]:
                    arguments = []
                if macro.variadic and len(arguments) == len(macro.parameters) - 1:
                    arguments.append([])
                takes, count = len(macro.parameters), len(arguments)
                if takes != count:
                    raise self._source.error(
                        name.start, f"macro {macro.name} takes {takes} arguments, {count} are given"
                    )
                return arguments, piece
            depth += (piece.text in "([{") - (piece.text in ")]}") if piece.kind == "mark" else 0
            if depth > MAX_NESTING:
                raise self._source.error(piece.start, f"brackets nested deeper than {MAX_NESTING} levels")
            # Commas separate arguments, except inside of brackets and in `...`, which takes all remaining ones.
            last = macro.variadic and len(arguments) == len(macro.parameters)
            if piece.text == "," and depth == 0 and not last:
                arguments.append([])
            elif piece.kind != "newline":
                arguments[-1].append(piece)
        raise self._source.error(name.start, f"syntax error: the call of macro {macro.name} is never closed")

    def _body(
        self,
        macro: Macro,
        name: Piece,
        end: int,
        raw: dict[str, list[Piece]],
        ready: dict[str, list[Piece]],
        hidden: frozenset[str],
    ) -> list[Piece]:
        """Replace the parameters in the body of one call, and apply `#` and `##`."""
        checkpoint()
        outer = name.outer or (name.start, end)
        # A macro in an argument is positioned where it is written; one in a body, at the outermost call.
        start, stop = (name.start, end) if name.argument else outer
        hidden = hidden | {macro.name}
        result: list[Piece] = []
        body = macro.body
        paste = False
        for i, token in enumerate(body):
            beside_paste = paste or (i + 1 < len(body) and body[i + 1].text == "##")
            if token.text == "##" and 0 < i < len(body) - 1:
                rest = macro.parameters[-1] if macro.variadic and macro.parameters else ""
                paste = (body[i - 1].text, body[i + 1].text) != (",", rest)
                if not paste and result and not raw[rest]:  # GNU: `, ## __VA_ARGS__` without arguments has no comma
                    result.pop()
                continue
            if token.text == "#" and i + 1 < len(body) and body[i + 1].text in raw:
                continue
            if token.text in raw and i and body[i - 1].text == "#":
                text = " ".join(p.text for p in raw[token.text]).replace("\\", "\\\\").replace('"', '\\"')
                new = [Piece("string", f'"{text}"', start, stop)]
            # Operands of `##` are the arguments as written; everywhere else they are expanded first (C11 6.10.3.1).
            elif token.text in raw:
                new = raw[token.text] if beside_paste else ready[token.text]
            else:
                new = [Piece(token.kind, token.text, start, stop)]
            if paste and result and new:
                joined = result.pop().text + new[0].text
                match = TOKEN.fullmatch(joined)
                if match is None or match.lastgroup in ("space", "newline"):
                    raise self._source.error(name.start, f"macro {macro.name}: ## makes '{joined}', no token")
                new = [Piece(match.lastgroup or "", joined, start, stop), *new[1:]]
            paste = False
            result += new
        self._left -= len(result)
        self._characters_left -= sum(len(piece.text) for piece in result)
        if self._left < 0 or self._characters_left < 0:
            most = f"{MAX_EXPANDED:,} tokens" if self._left < 0 else f"{MAX_EXPANDED_CHARACTERS:,} characters"
            raise self._source.error(
                outer[0],
                f"the macros of this file expand to more than {most}, here by {macro.name}; "
                "write a function or a loop instead",
            )
        return [
            Piece(p.kind, p.text, p.start, p.end, outer, p.argument or name.argument, p.hidden | hidden) for p in result
        ]
