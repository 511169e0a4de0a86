"""The one exception family of the compiler.

Every failure that a user can cause is a `CompileError`: what is wrong, where, and what to do about it. Commands print
it as one line and exit with 1; `str(error)` is that line. Anything else that escapes is a bug of ours.
"""

from __future__ import annotations


class CompileError(Exception):
    """A user-facing error.

    Args:
        message: what is wrong, without a final full stop.
        where: the place, outermost first, for example `("model.onnx", "node 'conv1'", "Conv")`.
        hint: what the user can do, for example the exact flag to add.
    """

    def __init__(self, message: str, *, where: tuple[str, ...] = (), hint: str = "") -> None:
        self.message = message
        self.where = where
        self.hint = hint
        super().__init__(message)

    def at(self, *outer: str) -> CompileError:
        """The same error with `outer` places in front, unless they are named already."""
        new = tuple(place for place in outer if place and place not in self.where)
        self.where = new + self.where
        return self

    def __str__(self) -> str:
        place = ": ".join(self.where)
        text = f"{place}: {self.message}" if place else self.message
        line = f"{text} ({self.hint})" if self.hint else text
        return "".join(map(_visible, " ".join(line.split())))


def _visible(character: str) -> str:
    """Names come from the user's files: what a terminal would obey instead of showing is escaped."""
    return character if character.isprintable() else character.encode("unicode_escape").decode()


class CompileWarning(UserWarning):
    """What is odd about a model that is compiled all the same: one line. Commands print it on standard error."""


class UnsupportedError(CompileError):
    """The model asks for something the compiler does not do; the message says which operator, where."""


class DataDependentError(UnsupportedError):
    """The compiler must know the value of a tensor that the model computes at run time.

    Attributes:
        tensor: its name in the model.
    """

    def __init__(self, message: str, *, tensor: str, where: tuple[str, ...] = (), hint: str = "") -> None:
        self.tensor = tensor
        super().__init__(message, where=where, hint=hint)
