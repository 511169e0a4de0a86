"""A script as the C of an executable: rules, agents and files, for runtime_c/language/executable/compiled.h."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from inbundle.nets.agent_functions import BUILTIN, agent_functions
from inbundle.nets.c_agent import AgentWriter
from inbundle.nets.c_function import CHECKED, OF_PARTNER, OF_VALUE, Context
from inbundle.nets.c_names import ScriptAgentNames, plain_name
from inbundle.nets.c_rule import NO_CELL, RuleWriter
from inbundle.nets.c_text import c_string, c_text, table, wrapped
from inbundle.nets.c_words import Values, constant
from inbundle.nets.program import Head, PortKind, Rule
from inbundle.nets.script import Script
from inbundle.nets.script_rules import untyped_scope
from inbundle.nets.types import Natives, Scope


class ScriptRuleWriter(RuleWriter):
    """The rules of an untyped Program, as functions of pairs."""

    words = Values()
    signatures = None
    end = "return compiled_end(worker);"

    def __init__(self, dialect: str) -> None:
        self.script_agents = ScriptAgentNames()
        super().__init__(self.script_agents, Natives(dialect))

    def name(self, rule: Rule, index: int) -> str:
        left, right = self.sides(rule)
        return f"rule_{index}_{plain_name(left.agent)}_{plain_name(right.agent)}"

    def scope(self, rule: Rule) -> Scope:
        return untyped_scope(rule.left, rule.right)

    def sides(self, rule: Rule) -> tuple[Head, Head]:
        """A number, or what a wildcard catches, is always `right`."""
        return (rule.right, rule.left) if rule.left.agent in NO_CELL else (rule.left, rule.right)

    def read(self, cell: str, head: Head, port: int, variable: str, place: str, used: set[str]) -> Iterator[str]:
        kind = head.kinds[port]
        content = cell if head.agent in NO_CELL else f"inpla_ports({cell})[{port}].cell"
        if head.agent in OF_PARTNER:
            content = OF_PARTNER[head.agent]
        elif kind is not PortKind.WIRE:
            is_number, failure = CHECKED[kind]
            yield f"if (inpla_unlikely(!{is_number}({content})) && !{is_number}(compiled_look(worker, &{content})))"
            yield f"    return compiled_fail(worker, left, right, {failure}, {place});"
            content = OF_VALUE[kind].format(content)
        if variable in used:
            yield f"{constant(kind)} {variable} = {content};"

    def failure(self, rule: int) -> str:
        return f"return compiled_fail(worker, left, right, FAILURE_DIVISION, {rule}, 0);"

    def last(self, left: str, right: str) -> str:
        return f"return compiled_last(worker, {left}, {right});"


def generate_script(script: Script, options: Sequence[str] = ()) -> str:
    """The C text of an executable.

    Args:
        options: words of the command line that the executable starts with, such as `-dialect=float`.
    """
    writer = ScriptRuleWriter(script.program.dialect)
    functions = _agent_writers(script, writer)
    names: dict[int, str] = {}
    texts = [function.declaration() for function in functions] + [function.text() for function in functions]
    for function in functions:
        for number, name, text in function.pair_functions():
            names[number] = name
            texts.append(text)
    for number, rule in zip(script.numbers, script.program.rules, strict=True):
        if number not in names:
            texts.append(writer.write(rule, number))
            names[number] = writer.functions[-1]
    rules = [names.get(number, "NULL") for number in range(script.rule_count)]
    tables = (
        _agents(writer.script_agents),
        *texts,
        table("inpla_rule", "script_rules", rules),
        _files(script.files),
        table("char *const", "script_options", list(map(c_string, options))),
        _program(script, len(writer.script_agents.own), len(options)),
    )
    return "\n".join([_INCLUDES, *filter(None, tables)])


def _agent_writers(script: Script, writer: ScriptRuleWriter) -> list[AgentWriter]:
    """The functions of the agents that call or are called."""
    functions = agent_functions(script)
    heads = {agent for rule in script.program.rules for agent in (rule.left.agent, rule.right.agent)}
    heads |= {agent for pair in script.other_pairs for agent, _ in pair}
    builtin = {key: function for key, function in BUILTIN.items() if key[0] not in heads}
    made = []
    for function in functions.values():
        callable = {key: other for key, other in functions.items() if other.epoch <= function.epoch}
        context = Context(builtin | callable, writer.script_agents, writer.natives, "Eraser" not in heads)
        made.append(AgentWriter(context, function, script))
    called = {key for function in made for key in function.calls}
    return [
        made_one for made_one in made if made_one.calls or (made_one.function.agent, made_one.function.ports) in called
    ]


_HEADERS = ("executable/compiled.h", "executable/compiled_rule.h", "table/agents.h")
_INCLUDES = "".join(f'#include "{header}"\n' for header in _HEADERS)


def _agents(agents: ScriptAgentNames) -> str:
    if not agents.own:
        return ""
    first, *others = agents.own.values()
    enumerators = [f"{first} = AGENT_FIRST_USER", *others]
    entries = [f"{{{c_string(name)}, {ports}}}" for name, ports in agents.own]
    return f"enum {{\n{wrapped(enumerators)}}};\n\n" + table("compiled_agent", "script_agents", entries)


def _files(files: Mapping[str, bytes]) -> str:
    """The texts and their names. What is one file is one text, so that a file that uses itself is recognised."""
    texts = list({id(text): text for text in files.values()}.values())
    number = {id(text): index for index, text in enumerate(texts)}
    arrays = "".join(f"static const char file_{index}[] ={c_text(text)};\n" for index, text in enumerate(texts))
    entries = [f"{{{c_string(name)}, file_{number[id(text)]}, {len(text)}}}" for name, text in files.items()]
    return arrays + "\n" + table("compiled_file", "script_files", entries)


def _program(script: Script, agents: int, options: int) -> str:
    tables = [
        "script_agents" if agents else "NULL",
        "script_rules" if script.rule_count else "NULL",
        "script_files",
        "script_options" if options else "NULL",
    ]
    counts = f"{agents}, {script.rule_count}, {len(script.files)}, {options}"
    return (
        f"static const compiled_program script = {{\n    {', '.join(tables)}, {counts},\n}};\n\n"
        "int main(int argc, char **argv)\n{\n    return compiled_main(&script, argc, argv);\n}\n"
    )
