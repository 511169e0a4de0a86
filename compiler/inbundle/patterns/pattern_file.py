"""Pattern files: patterns of the user's own as YAML, for `-patterns=FILE`. The schema lies beside this module."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jsonschema

from inbundle.errors import CompileError
from inbundle.graph.graph import Graph, Node, Value
from inbundle.graph.ops import OPS
from inbundle.patterns.expressions import Scope, compile_condition
from inbundle.patterns.facts import Facts
from inbundle.patterns.functions import BUILT_IN, Function, Functions, Type
from inbundle.patterns.pattern import Pattern
from inbundle.patterns.repetition import apply_until_stable
from inbundle.patterns.replacement import compile_replacement
from inbundle.patterns.rewriter import Rewrite
from inbundle.patterns.rules import Rule, apply_rule, expanded, removed, wrapped
from inbundle.patterns.syntax import SELF, parse_condition
from inbundle.patterns.text import PatternText
from inbundle.patterns.yaml_text import Key, LocatedYaml

_SCHEMA = Path(__file__).resolve().parent / "pattern_file.schema.json"
_ACTIONS = ("remove", "replace", "wrap", "expand")


class PatternFile:
    """The rules of a file.

    Raises:
        CompileError: the file is not readable or wrong; names line and column.
    """

    def __init__(self, path: Path) -> None:
        self._yaml = LocatedYaml(_read(path), str(path))
        self._check_form()
        self._functions: Functions = dict(BUILT_IN)
        self._read_predicates()
        entries = self._yaml.data["patterns"]
        self.rules = [self._rule(index, entry) for index, entry in enumerate(entries)]
        self._repeats = [bool(entry.get("repeat")) for entry in entries]

    def apply(self, graph: Graph) -> None:
        """Applies the rules in order.

        Raises:
            CompileError: a rewrite does not fit a match, or a repeated rule finds no end; names the pattern.
        """
        for rule, repeats in zip(self.rules, self._repeats, strict=True):
            (apply_until_stable if repeats else apply_rule)(graph, rule)

    # --- reading -----------------------------------------------------------------------------------------------------

    def _check_form(self) -> None:
        if self._yaml.data is None:
            raise self._yaml.error((), "the file holds no patterns", "docs/patterns.md describes the form")
        validator = jsonschema.Draft202012Validator(json.loads(_SCHEMA.read_text(encoding="utf-8")))
        error = jsonschema.exceptions.best_match(validator.iter_errors(self._yaml.data))
        if error is None:
            return
        path: list[Key] = list(error.absolute_path)
        if error.validator == "oneOf":
            raise self._yaml.error(path, "a pattern has exactly one action", f"one of {', '.join(_ACTIONS)}")
        if error.validator == "const":
            raise self._yaml.error(path, "an action that takes no text is true or left out")
        raise self._yaml.error(path, f"not a pattern file: {error.message}", "docs/patterns.md describes the form")

    def _read_predicates(self) -> None:
        """Each may call those before it."""
        for name in self._yaml.data.get("predicates", {}):
            path = ("predicates", name)
            if name in BUILT_IN:
                raise self._yaml.error(path, f"there is a function `{name}' already", "choose another name")
            self._functions = {**self._functions, name: self._predicate(self._yaml.text(path))}

    def _predicate(self, source: PatternText) -> Function:
        condition = compile_condition(source, parse_condition(source), {SELF}, self._functions)

        def run(facts: Facts, subject: Node | Value | None) -> bool:
            return condition(Scope(facts, {SELF: subject}))

        return Function((Type.SUBJECT,), Type.TRUTH, run, "a predicate of the file")

    def _rule(self, index: int, entry: Mapping[str, Any]) -> Rule:
        path: tuple[Key, ...] = ("patterns", index)
        if [other["name"] for other in self._yaml.data["patterns"][:index]].count(entry["name"]):
            raise self._yaml.error((*path, "name"), f"there is a pattern '{entry['name']}' already")
        where = {key: self._yaml.text((*path, "where", key)) for key in entry.get("where", {})}
        pattern = Pattern(
            self._yaml.text((*path, "match")),
            where,
            self._yaml.text((*path, "when")) if "when" in entry else "",
            exclusive=entry.get("exclusive", True),
            functions=self._functions,
            name=entry["name"],
        )
        return Rule(entry["name"], pattern, self._action(path, entry, pattern), self._place_of_action(path, entry))

    def _action(self, path: Sequence[Key], entry: Mapping[str, Any], pattern: Pattern) -> Rewrite:
        if "replace" in entry:
            return compile_replacement(self._yaml.text((*path, "replace")), pattern)
        if "wrap" in entry:
            self._check_wrapper(path, entry["wrap"])
            return wrapped(entry["wrap"])
        return removed if "remove" in entry else expanded

    def _place_of_action(self, path: Sequence[Key], entry: Mapping[str, Any]) -> str:
        if "replace" in entry:
            return self._yaml.text((*path, "replace")).place_of()
        (action,) = (action for action in _ACTIONS if action in entry)
        return self._yaml.place_of((*path, action))

    def _check_wrapper(self, path: Sequence[Key], name: str) -> None:
        """A MetaNode that is called like a node would be taken for one."""
        if name in OPS:
            raise self._yaml.error((*path, "wrap"), f"there is a kind of node called {name}", "choose another name")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise CompileError(f"-patterns: cannot read the file: {error.strerror}", where=(str(path),)) from None
    except ValueError:
        raise CompileError("-patterns: the file is no text in UTF-8", where=(str(path),)) from None
