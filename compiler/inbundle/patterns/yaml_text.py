"""YAML that remembers where everything stands: data, and the line and column of each part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from inbundle.errors import CompileError
from inbundle.patterns.text import PatternText

Key = str | int
_TEXT = "tag:yaml.org,2002:str"


class LocatedYaml:
    """A YAML document.

    Args:
        place: what errors call it, such as the file.

    Attributes:
        data: its content, made of maps, lists and scalars.

    Raises:
        CompileError: it is no YAML, a part is within itself, or a map has a key twice, or one that is no text.
    """

    def __init__(self, text: str, place: str) -> None:
        self.place = place
        self._lines = text.splitlines()
        try:
            self._root = yaml.compose(text, Loader=yaml.SafeLoader)
            self.data: Any = yaml.safe_load(text)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            where = f"{place}:{mark.line + 1}:{mark.column + 1}" if mark else place
            raise CompileError(f"no valid YAML: {error.problem or error}", where=(where,)) from None
        except (ValueError, RecursionError, yaml.YAMLError) as error:
            raise CompileError(f"no valid YAML: {error}", where=(place,)) from None
        if self._root is not None:
            self._check_keys(self._root, [])

    def place_of(self, path: Sequence[Key]) -> str:
        """File, line and column of the part that `path` leads to: keys of maps, indices of lists."""
        node = self._find(path)
        return self._place(node) if node else self.place

    def error(self, path: Sequence[Key], message: str, hint: str = "") -> CompileError:
        """An error at the part that `path` leads to."""
        return CompileError(message, where=(self.place_of(path),), hint=hint)

    def text(self, path: Sequence[Key]) -> PatternText:
        """The text that `path` leads to, in the pattern language."""
        node = self._find(path)
        assert isinstance(node, yaml.ScalarNode)
        line, column = node.start_mark.line + 1, node.start_mark.column + 1
        if node.style == "|":
            indent = self._indent(line)
            return PatternText(node.value, self.place, line + 1, indent + 1, indent)
        if node.end_mark.line > node.start_mark.line:
            return PatternText(node.value, self.place, line, column, folded=True)
        return PatternText(node.value, self.place, line, column + (node.style in ("'", '"')))

    def _indent(self, line: int) -> int:
        """Blanks in front of the first text behind a line."""
        texts = (text for text in self._lines[line:] if text.strip())
        return next((len(text) - len(text.lstrip(" ")) for text in texts), 0)

    def _find(self, path: Sequence[Key]) -> yaml.Node | None:
        """The part at `path`, or the innermost one around it that is there."""
        node: yaml.Node | None = self._root
        for key in path:
            if isinstance(node, yaml.SequenceNode) and isinstance(key, int):
                node = node.value[key]
            elif isinstance(node, yaml.MappingNode):
                node = next((value for name, value in node.value if name.value == key), node)
        return node

    def _check_keys(self, node: yaml.Node, around: Sequence[yaml.Node]) -> None:
        """`around`: the parts that this one is in."""
        if node in around:
            raise self._error_at(node, "this part is within itself", "leave out the alias")
        seen: set[str] = set()
        for part in node.value if isinstance(node, yaml.CollectionNode) else ():
            name, value = part if isinstance(part, tuple) else (None, part)
            if name is not None and name.tag != _TEXT:
                raise self._error_at(name, "a key is a text here", "write it in quotes")
            if name is not None and name.value in seen:
                raise self._error_at(name, f"the key '{name.value}' is there twice")
            if name is not None:
                seen.add(name.value)
            self._check_keys(value, [*around, node])

    def _error_at(self, node: yaml.Node, message: str, hint: str = "") -> CompileError:
        return CompileError(message, where=(self._place(node),), hint=hint)

    def _place(self, node: yaml.Node) -> str:
        return f"{self.place}:{node.start_mark.line + 1}:{node.start_mark.column + 1}"
