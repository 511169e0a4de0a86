"""C names of what a script names."""

from __future__ import annotations

import re
from collections.abc import Mapping

from inbundle.nets.program import CONS, FUNCTION, NIL, TUPLE


class Names:
    """Unique C names, legal although Inpla allows `'` and `.` in names."""

    def __init__(self, prefix: str, given: Mapping[str, str] | None = None) -> None:
        self.prefix = prefix
        self._names = dict(given or {})

    def __getitem__(self, name: str) -> str:
        if name not in self._names:
            plain = self.prefix + plain_name(name)
            while plain in self._names.values():
                plain += "_"
            self._names[name] = plain
        return self._names[name]


_SPELLED = {CONS: "Cons", NIL: "Nil", TUPLE: "Tuple"}


def plain_name(name: str) -> str:
    """What a C name for an agent may contain."""
    return re.sub(r"[^A-Za-z0-9_]", "_", _SPELLED.get(name, name))


class AgentNames:
    """The enumerators of agents' numbers. In a bundle an agent has one port count."""

    def __init__(self) -> None:
        self._names = Names("AGENT_", {"Eraser": "INPLA_ERASER", "Dup": "INPLA_DUP"})

    def number(self, agent: str, ports: int) -> str:
        """The enumerator of an agent with so many ports."""
        return self._names[agent]


# ORDER BUILTIN_AGENT (enum language_agent in runtime_c/language/table/agents.h)
_OF_LANGUAGE = {
    ("Eraser", 0): "INPLA_ERASER",
    ("Dup", 2): "INPLA_DUP",
    (TUPLE, 0): "AGENT_UNIT",
    (TUPLE, 2): "AGENT_PAIR",
    (NIL, 0): "AGENT_NIL",
    (CONS, 2): "AGENT_CONS",
    ("Append", 2): "AGENT_APPEND",
    ("Zip", 2): "AGENT_ZIP",
    ("ZipC", 2): "AGENT_ZIPC",
    ("Map", 2): "AGENT_MAP",
    ("Merger", 1): "AGENT_MERGER",
    ("Add", 2): "AGENT_ADD",
    ("Sub", 2): "AGENT_SUB",
    ("Mul", 2): "AGENT_MUL",
    ("Div", 2): "AGENT_DIV",
    ("Mod", 2): "AGENT_MOD",
}


class ScriptAgentNames(AgentNames):
    """Those of an untyped Program, where an agent has a number for each port count.

    Attributes:
        own: the agents that the language does not bring along, by first use: name and port count.
    """

    def __init__(self) -> None:
        super().__init__()
        self.own: dict[tuple[str, int], str] = {}

    def number(self, agent: str, ports: int) -> str:
        known = _OF_LANGUAGE.get((agent, ports)) or self.own.get((agent, ports))
        return known or self.own.setdefault((agent, ports), f"AGENT_OF_{len(self.own)}_{plain_name(agent)}_{ports}")

    def function(self, term: str) -> str:
        """The enumerator of the agent that a function value `%f` stands for; its port count says nothing."""
        return self.number(term.removeprefix(FUNCTION), 0)
