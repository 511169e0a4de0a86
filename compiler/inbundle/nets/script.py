"""A script of the language and the files it uses: which rules a run defines, in what order, under which constants.

The run itself is the front end's (runtime_c/language). Here the script is followed as far as rules depend on it: `use`
reads further files, `const` names numbers, `exit` ends it, and so does the first syntax error. Nets and other commands
are only counted, as rules that are defined before a net may be at work in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from inbundle.errors import CompileError
from inbundle.nets.grammar import parse_statement
from inbundle.nets.net_loader import tokens_of
from inbundle.nets.program import Agent, AgentTerm, Argument, Net, PortKind, Program, Rule
from inbundle.nets.resolve import negated, number_literal
from inbundle.nets.rule_size import MOST_NODES, rule_size
from inbundle.nets.script_rules import Literal, ScriptRules
from inbundle.nets.source import Source, Statement
from inbundle.nets.syntax import ConstSyntax, ExitSyntax, RuleSyntax, UseSyntax, head_of

_FIRST_WORDS = ("const", "use", "exit")


@dataclass
class Script:
    """What compiling a script needs.

    Attributes:
        program: the rules that can be compiled.
        numbers: of each of them, how many rules the run defines before it.
        epochs: of each of them, how many nets the run reduces before it.
        rule_count: rules that the run defines.
        other_pairs: agents, with port counts, of the rules that cannot be compiled.
        files: name, as `use` has it, and bytes of each file; the script itself comes first. A file of two names is one
            object.
        problems: why the others cannot be compiled.
        syntax_error: where the script, and with it a run, ends.
    """

    program: Program
    numbers: list[int] = field(default_factory=list)
    epochs: list[int] = field(default_factory=list)
    rule_count: int = 0
    other_pairs: list[frozenset[tuple[str, int]]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    problems: list[CompileError] = field(default_factory=list)
    syntax_error: CompileError | None = None


def read_script(path: str, *, dialect: str = "int", constants: Mapping[str, str] | None = None) -> Script:
    """Reads a script; `use` looks into the working directory, as it does in a run.

    Args:
        constants: numbers of `-d` as they were written, which are known before the script starts.

    Raises:
        CompileError: the file cannot be read.
    """
    known = {name: constant_literal(text, dialect) for name, text in (constants or {}).items()}
    reading = _Reading(dialect, known)
    try:
        reading.open(path)
    except OSError as error:
        raise CompileError(f"cannot read the script: {error.strerror}", where=(path,)) from None
    reading.read(path)
    script = reading.script
    script.program = _program(Path(path).stem, script.program.rules, dialect)
    return script


class _End(Exception):
    """The run ends here."""


class _Reading:
    def __init__(self, dialect: str, constants: Mapping[str, Literal]) -> None:
        self.script = Script(_program("script", [], dialect))
        self._dialect = dialect
        self._rules = ScriptRules(dialect, constants)
        self._nets = 0
        self._known: dict[Path, bytes] = {}
        self._within: list[bytes] = []

    def open(self, path: str) -> bytes:
        """The text of a file. Raises OSError."""
        if path not in self.script.files:
            place = Path(path).resolve(strict=True)
            if place not in self._known:
                self._known[place] = place.read_bytes()
            self.script.files[path] = self._known[place]
        return self.script.files[path]

    def read(self, path: str) -> None:
        try:
            self._read_file(path)
        except _End:
            pass
        except CompileError as error:
            self.script.syntax_error = error if error.where else error.at(path)

    def _read_file(self, path: str) -> None:
        text = self.open(path)
        if any(text is other for other in self._within):
            raise _End
        self._within.append(text)
        source = Source(text.decode("latin-1"), path)
        for statement in source.statements():
            self._statement(source, statement)
        self._within.pop()

    def _statement(self, source: Source, statement: Statement) -> None:
        is_rule = "><" in statement.text and "><" in tokens_of(statement.text)
        if not is_rule and not statement.text.startswith(_FIRST_WORDS):
            self._nets += "~" in statement.text or "<<" in statement.text
            return
        syntax = parse_statement(source, statement, self._dialect)
        if isinstance(syntax, RuleSyntax):
            self._rule(source, syntax)
        elif isinstance(syntax, ConstSyntax):
            self._rules.constants.setdefault(syntax.agent, constant_literal(syntax.number, self._dialect))
        elif isinstance(syntax, UseSyntax):
            self._use(syntax.path)
        elif isinstance(syntax, ExitSyntax):
            raise _End
        else:
            self._nets += 1

    def _rule(self, source: Source, syntax: RuleSyntax) -> None:
        script = self.script
        number = script.rule_count
        script.rule_count += 1
        try:
            rule = self._rules.rule(source, syntax)
        except CompileError as error:
            return self._give_up(source, syntax, error)
        except RecursionError:
            deep = source.error(syntax.left.at, "this rule is too deeply nested to be compiled")
            return self._give_up(source, syntax, deep)
        if rule_size(rule) > MOST_NODES:
            return self._give_up(source, syntax, source.error(syntax.left.at, "this rule is too large to be compiled"))
        script.program.rules.append(rule)
        script.numbers.append(number)
        script.epochs.append(self._nets)

    def _give_up(self, source: Source, syntax: RuleSyntax, error: CompileError) -> None:
        self.script.problems.append(error)
        with suppress(CompileError):
            heads = head_of(source, syntax.left), head_of(source, syntax.right)
            self.script.other_pairs.append(frozenset((head.agent, len(head.ports)) for head in heads))

    def _use(self, path: str) -> None:
        """A file that is missing is the front end's to complain of; one that uses itself ends the run."""
        if path in self.script.files or Path(path).is_file():
            self._read_file(path)


def constant_literal(text: str, dialect: str) -> Literal:
    """The number of a `const` or `-d`, which may have a minus. Raises CompileError: it has too many digits."""
    literal = number_literal(text.removeprefix("-"), dialect)
    result = negated(literal) if text.startswith("-") else literal
    assert isinstance(result, Literal)
    return result


def _program(name: str, rules: list[Rule], dialect: str) -> Program:
    agents: dict[str, Agent] = {}
    for rule in rules:
        for head in (rule.left, rule.right):
            _meet(agents, head.agent, len(head.ports))
        for branch in rule.branches:
            for connection in branch.body.connections:
                for side in connection:
                    _meet_all(agents, side)
    net = Net.empty()
    return Program(name, list(agents.values()), rules, [], net, dialect=dialect, typed=False)


def _meet(agents: dict[str, Agent], name: str, ports: int) -> None:
    agents.setdefault(name, Agent(name, (PortKind.WIRE,) * ports))


def _meet_all(agents: dict[str, Agent], term: Argument) -> None:
    if isinstance(term, AgentTerm):
        _meet(agents, term.agent, len(term.arguments))
        for argument in term.arguments:
            _meet_all(agents, argument)
