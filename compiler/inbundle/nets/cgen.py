"""Program -> C: agents, rules and the table of native functions, as `bundle_program` for the engine.

The text expects inpla_rule.h and the native functions that it calls (`native_NAME(void *user, ...)`) above it. It is
C11 and C++17, and everything in it is static.
"""

from __future__ import annotations

import itertools
from collections import Counter

from inbundle.errors import CompileError
from inbundle.nets.c_rule import BundleRules
from inbundle.nets.c_text import wrapped
from inbundle.nets.program import BUILTIN_AGENTS, Head, NativeFunction, Program
from inbundle.nets.scan import called_natives, scan_blocks

_MOST_RULES = 65535


def generate(program: Program) -> str:
    """The C text. Raises CompileError for more than the engine's tables hold."""
    if len(program.rules) > _MOST_RULES:
        raise CompileError(f"{len(program.rules)} rules, the engine takes {_MOST_RULES}", where=(program.name,))
    writer = BundleRules(program)
    rules = [writer.write(rule) for rule in program.rules]
    natives = [program.natives[number] for number in called_natives(scan_blocks(program))]
    text = "\n".join(rules)
    helpers = [text_of for name, text_of in writer.words.helpers.items() if f"{name}(" in text]
    mathematics = ["#include <math.h>\n"] if "fmodf(" in text or "INFINITY" in text else []
    tables = [_agents(program, writer), *helpers, *rules, _rules(program, writer), _natives(natives)]
    return "\n".join([*mathematics, *filter(None, tables), _program(program, natives)])


def _agents(program: Program, writer: BundleRules) -> str:
    own = program.agents[len(BUILTIN_AGENTS) :]
    names = [writer.agents.number(agent.name, len(agent.ports)) for agent in own]
    first = [f"{name} = INPLA_BUILTIN_COUNT" for name in names[:1]]
    last = "AGENT_COUNT" if own else "AGENT_COUNT = INPLA_BUILTIN_COUNT"
    entries = [f'{{"{a.name}", "{"".join(kind.value for kind in a.ports)}"}}' for a in program.agents]
    return (
        f"enum {{\n{wrapped([*first, *names[1:], last])}}};\n\n"
        f"static const inpla_agent bundle_agents[AGENT_COUNT] = {{\n{wrapped(entries)}}};\n"
    )


def _rules(program: Program, writer: BundleRules) -> str:
    """The rules' table, ordered by left agent, and where in it the rules of each agent start."""
    number = {agent.name: index for index, agent in enumerate(program.agents)}
    rules = sorted(zip(program.rules, writer.functions, strict=True), key=lambda rule: number[rule[0].left.agent])
    entries = "".join(
        f"    {{{_number(writer, rule.left)}, {_number(writer, rule.right)}, {function}}},\n"
        for rule, function in rules
    )
    of_agent = Counter(number[rule.left.agent] for rule in program.rules)
    first = itertools.accumulate((of_agent[index] for index in range(len(number))), initial=0)
    table = f"static const inpla_rule_entry bundle_rules[{len(rules)}] = {{\n{entries}}};\n\n"
    return (
        f"{table if rules else ''}"
        f"static const uint16_t bundle_first_rule[AGENT_COUNT + 1] = {{\n{wrapped([str(n) for n in first])}}};\n"
    )


def _number(writer: BundleRules, head: Head) -> str:
    return writer.agents.number(head.agent, len(head.ports))


def _natives(natives: list[NativeFunction]) -> str:
    """The native functions that the net calls, in the form in which the image calls them."""
    if not natives:
        return ""
    thunks = "\n".join(_thunk(native) for native in natives)
    entries = "".join(
        f'    {{"{n.name}", "{"".join(p.value for p in n.parameters)}", \'{n.result.value}\', call_{n.name}}},\n'
        for n in natives
    )
    return f"{thunks}\nstatic const inpla_native_entry bundle_natives[{len(natives)}] = {{\n{entries}}};\n"


def _thunk(native: NativeFunction) -> str:
    arguments = [f"arguments[{index}].{kind.value}" for index, kind in enumerate(native.parameters)]
    call = f"native_{native.name}({', '.join(['user', *arguments])})"
    unused = "" if arguments else "    (void)arguments;\n"
    return (
        f"static int call_{native.name}(void *user, const inpla_word *arguments, inpla_word *result)\n{{\n"
        f"{unused}    result->{native.result.value} = {call};\n    return 0;\n}}\n"
    )


def _program(program: Program, natives: list[NativeFunction]) -> str:
    rules = "bundle_rules" if program.rules else "NULL"
    table = "bundle_natives" if natives else "NULL"
    counts = f"AGENT_COUNT, {len(program.rules)}, {len(natives)}"
    return (
        "static const inpla_program bundle_program = {\n"
        f'    "{program.name}", bundle_agents, {rules}, bundle_first_rule, {table}, {counts},\n}};\n'
    )
