"""Counter of events that reach a widget."""

from __future__ import annotations

from unittest.mock import patch


class Counter:
    """Counts calls of a method, which does its work as before."""

    def __init__(self, owner: type, name: str) -> None:
        self.calls = 0
        self._original = getattr(owner, name)
        self._patch = patch.object(owner, name, self._counted())

    def _counted(self) -> object:
        def counted(*arguments: object, **words: object) -> object:
            self.calls += 1
            return self._original(*arguments, **words)

        return counted

    def __enter__(self) -> Counter:
        self._patch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._patch.stop()
