"""Tables and strings of generated C."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_LINE = 120
_BYTES_PER_LINE = 80


def wrapped(items: Sequence[str]) -> str:
    """Items with commas, as many to a line as fit."""
    return "".join(f"    {line}\n" for line in _lines(items))


def _lines(items: Sequence[str]) -> Iterator[str]:
    line = ""
    for item in items:
        if line and len(line) + len(item) + 6 > _LINE:
            yield line
            line = ""
        line += f"{' ' if line else ''}{item},"
    if line:
        yield line


def table(kind: str, name: str, entries: Sequence[str]) -> str:
    """A constant array, nothing for an empty one."""
    return f"static const {kind} {name}[] = {{\n{wrapped(entries)}}};\n" if entries else ""


def c_string(text: str) -> str:
    """A string literal."""
    return f'"{_escaped(text.encode("utf-8", "surrogateescape"))}"'


def c_text(text: bytes) -> str:
    """A string literal in lines of moderate length, for a whole file."""
    lines = [text[at : at + _BYTES_PER_LINE] for at in range(0, len(text), _BYTES_PER_LINE)] or [b""]
    return "".join(f'\n    "{_escaped(line)}"' for line in lines)


def _escaped(text: bytes) -> str:
    return text.decode("latin-1").translate(_ESCAPES)


# Three octal digits cannot be misread, whatever follows.
_ESCAPES = {byte: f"\\{byte:03o}" for byte in range(256) if not 0x20 <= byte < 0x7F or byte in b'"\\?'}
