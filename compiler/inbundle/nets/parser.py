"""Inpla script -> typed Program.

Reads what a bundle can hold: rules first, then the net, then at most one command that prints the outputs. Everything
else of the language is refused with file, line and column.
"""

from __future__ import annotations

import numpy as np

from inbundle.errors import CompileError
from inbundle.nets.canonical import canonical
from inbundle.nets.grammar import parse_statement
from inbundle.nets.literals import read_float
from inbundle.nets.net_loader import NetLoader, tokens_of
from inbundle.nets.printer import PRIVATE_NAME
from inbundle.nets.program import VALUE_AGENT, Program, Rule
from inbundle.nets.resolve import Resolver
from inbundle.nets.source import Source, Statement
from inbundle.nets.syntax import NameSyntax, NetSyntax, PrintSyntax, RuleSyntax
from inbundle.nets.types import Natives
from inbundle.nets.verifier import verify


def parse(text: str, name: str, *, path: str = "") -> Program:
    """The Program of a script.

    Args:
        name: of the Program.
        path: what error messages call the script; `NAME.in` if empty.

    Raises:
        CompileError: the script is wrong or cannot be compiled.
    """
    source = Source(text, path or f"{name}.in")
    syntax, start = _rules(source)
    resolver = Resolver(source, syntax)
    rules = resolver.rules()
    reading = _Reading(source, resolver, rules)
    reading.read(start, bind=True)
    if reading.values and set(reading.values) != set(reading.inputs()):
        reading = _Reading(source, resolver, rules)
        reading.read(start, bind=False)
    program = canonical(reading.program(name))
    verify(program)
    return program


def _rules(source: Source) -> tuple[list[RuleSyntax], int]:
    """The rules, and the offset of the first other statement."""
    rules: list[RuleSyntax] = []
    for statement in source.statements():
        if not ("><" in statement.text and "><" in tokens_of(statement.text)):
            return rules, statement.at
        rule = parse_statement(source, statement)
        assert isinstance(rule, RuleSyntax)
        rules.append(rule)
    return rules, len(source.text)


class _Reading:
    """One reading of what follows the rules.

    Attributes:
        values: of the leading statements `name ~ Concrete(number)`, where they are bound and no part of the net.
    """

    def __init__(self, source: Source, resolver: Resolver, rules: list[Rule]) -> None:
        self.source = source
        self.rules = rules
        self.agents = dict(resolver.agents)
        self.natives = Natives(resolver.dialect)
        try:
            self.natives.observe(rules, self.agents)
        except CompileError as error:
            raise error.at(source.path) from None
        self.net = NetLoader(source, self.agents, self.natives)
        self.values: dict[str, float] = {}
        self.outputs: tuple[NameSyntax, ...] = ()

    def read(self, start: int, *, bind: bool) -> None:
        for statement in self.source.statements(start):
            if self.outputs:
                raise self.source.error(
                    statement.at, "a bundle cannot hold statements after the one that prints the outputs"
                )
            tokens = tokens_of(statement.text)
            bind = bind and self._bind(tokens)
            if not bind:
                self._read_statement(statement, tokens)

    def _bind(self, tokens: list[str]) -> bool:
        """Whether the statement gives a name its value: `x_0 ~ Concrete(-0.5)`. Private wires are never meant."""
        is_binding = tokens[1:4] == ["~", VALUE_AGENT, "("] and len(tokens) in (6, 7)
        if not is_binding or PRIVATE_NAME.fullmatch(tokens[0]) or tokens[0] in self.values:
            return False
        number = "".join(tokens[4:-1])
        if not number.lstrip("-")[:1].isdigit():
            return False
        self.values[tokens[0]] = read_float(number)
        return True

    def _read_statement(self, statement: Statement, tokens: list[str]) -> None:
        if "><" in tokens:
            raise self.source.error(statement.at, "a bundle cannot hold a rule after the net", "move it to the front")
        if "~" in tokens:
            self.net.load(statement, tokens)
        else:
            command = parse_statement(self.source, statement)
            if not isinstance(command, PrintSyntax):
                what = "the abbreviation `<<`" if isinstance(command, NetSyntax) else "this command"
                raise self.source.not_typed(statement.at, what)
            self.outputs = command.names

    def inputs(self) -> tuple[str, ...]:
        printed = {output.text for output in self.outputs}
        return tuple(name for name in self.net.open_names() if name not in printed)

    def program(self, name: str) -> Program:
        inputs = self.inputs()
        return Program(
            name=name,
            agents=list(self.agents.values()),
            rules=self.rules,
            natives=self.natives.functions(),
            net=self.net.net(),
            inputs=inputs,
            outputs=self._outputs(),
            input_values=np.array([self.values[i] for i in inputs], np.float32) if self.values else None,
        )

    def _outputs(self) -> tuple[str, ...]:
        names = [output.text for output in self.outputs]
        is_open = set(self.net.open_names())
        for output in self.outputs:
            if output.text not in is_open or names.count(output.text) > 1:
                raise self.source.error(output.at, f"`{output.text}' is not the one end of a wire of the net")
        return tuple(names)
