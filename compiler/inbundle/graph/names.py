"""Names that are unique in a graph or a function, by Glow's rule."""

from __future__ import annotations


class NameScope:
    """The names taken so far."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        """`wanted`, or `wanted__1`, `wanted__2` … when taken; the name is taken from now on."""
        name = wanted
        while name in self._taken:
            self._next[wanted] = self._next.get(wanted, 0) + 1
            name = f"{wanted}__{self._next[wanted]}"
        self._taken.add(name)
        return name
