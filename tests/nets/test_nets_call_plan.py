"""Agents as functions: which ports are results, which connections are calls, what loops and holes there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from inbundle.nets.agent_functions import BUILTIN, Key, agent_functions, cases_of
from inbundle.nets.call_plan import CallPlan, Planner
from inbundle.nets.program import Branch, PortKind, Wire
from inbundle.nets.script import Script, read_script
from inbundle.nets.script_rules import untyped_scope
from inbundle.nets.types import Natives, Scope

LISTS = """
insert(r, int x) >< [] => r ~ [x];
insert(r, int x) >< (int y):ys | x <= y => r ~ x:y:ys | _ => r ~ y:w, insert(w, x) ~ ys;
split(a, b) >< [] => a ~ [], b ~ [];
split(a, b) >< x:xs => a ~ x:more, split(b, more) ~ xs;
append(r, ys) >< [] => r ~ ys;
append(r, ys) >< x:xs => r ~ x:w, append(w, ys) ~ xs;
sort(r) >< [] => r ~ [];
sort(r) >< (int x):xs => insert(r, x) ~ s, sort(s) ~ xs;
halves(r) >< Go => split(a, b) ~ [1, 2, 3], append(r, b) ~ a;
fib(r) >< (int n) | n < 2 => r ~ n | _ => Add(r, b) ~ a, fib(a) ~ n - 1, fib(b) ~ n - 2;
"""


@pytest.fixture
def script(tmp_path: Path) -> Script:
    return script_of(tmp_path, LISTS)


def script_of(folder: Path, text: str) -> Script:
    (folder / "rules.in").write_text(text)
    return read_script(str(folder / "rules.in"))


def plans(script: Script, key: Key) -> list[CallPlan]:
    """Of all branches of an agent's rules, in order."""
    functions = agent_functions(script)
    found = []
    for _, rule, own, partner in cases_of(functions[key], script.program.rules):
        results = tuple(own.ports[port] for port in functions[key].results)
        ports = frozenset(own.ports + partner.ports)
        planner = Planner(functions[key], BUILTIN | functions, ports, results)
        found += [_plan(planner, branch, untyped_scope(own, partner)) for branch in rule.branches]
    return found


def _plan(planner: Planner, branch: Branch, heads: Scope) -> CallPlan:
    natives = Natives()
    scope = natives.scope_of(branch, heads)
    return planner.plan(branch.body.connections, lambda expression: natives.kind_of(expression, scope))


def names(plan: CallPlan) -> list[str]:
    return [call.function.agent for call in plan.calls]


def test_result_ports(script: Script) -> None:
    results = {key: function.results for key, function in agent_functions(script).items()}
    assert results == {
        ("insert", 2): (0,),
        ("split", 2): (0, 1),
        ("append", 2): (0,),
        ("sort", 1): (0,),
        ("halves", 1): (0,),
        ("fib", 1): (0,),
    }


def test_calls_come_before_those_that_need_their_values(script: Script) -> None:
    _, plan = plans(script, ("fib", 1))
    assert names(plan) == ["fib", "fib"]
    assert plan.values == {"a", "b"}
    assert plan.last is not None
    assert plan.last.function.agent == "Add"
    _, plan = plans(script, ("sort", 1))
    assert names(plan) == ["sort"]
    assert plan.last is not None
    assert plan.last.partner == Wire("s")


def test_a_list_that_goes_on_is_a_loop_with_a_hole(script: Script) -> None:
    plan = plans(script, ("insert", 2))[-1]
    assert plan.last is not None
    assert plan.last.function.agent == "insert"
    assert plan.holes == {"w": "r"}
    assert not plan.calls
    assert not plan.values


def test_two_results_may_change_places(script: Script) -> None:
    plan = plans(script, ("split", 2))[-1]
    assert plan.last is not None
    assert plan.last.results == ("b", "more")
    assert plan.holes == {"more": "a"}
    (plan,) = plans(script, ("halves", 1))
    assert names(plan) == ["split"]
    assert plan.values == {"a", "b"}


def test_calls_that_wait_for_each_other_are_connections(tmp_path: Path) -> None:
    """f's argument is g's value and the other way round."""
    script = script_of(
        tmp_path,
        "f(r, x) >< Go => r ~ P(x); g(r, x) >< Go => r ~ Q(x);"
        "both(r) >< Go => f(a, b) ~ Go, g(b, c) ~ Go, r ~ (a, c);"
        "ring(r) >< Go => f(a, b) ~ Go, g(b, a) ~ Go, r ~ R;",
    )
    (plan,) = plans(script, ("both", 1))
    assert names(plan) == ["g", "f"]
    (plan,) = plans(script, ("ring", 1))
    assert len(plan.calls) == 1
    assert len(plan.connections) == 1


def test_a_result_in_a_port_of_something_is_a_wire(tmp_path: Path) -> None:
    script = script_of(tmp_path, "f(r) >< (int n) => Unknown(r, n) ~ W;")
    (plan,) = plans(script, ("f", 1))
    assert plan.opens == ["r"]
    assert not plan.fills


def test_agents_in_result_ports_meet_the_value(tmp_path: Path) -> None:
    script = script_of(tmp_path, "f(r) >< (int n) => r ~ n; g(r) >< (int n) => f(Add(r, 1)) ~ n;")
    (plan,) = plans(script, ("g", 1))
    assert names(plan) == ["f"]
    assert plan.last is not None
    assert plan.last.function.agent == "Add"


def test_rules_that_are_replaced_or_come_after_a_net_are_no_functions(tmp_path: Path) -> None:
    text = "f(r) >< A => r ~ 1; g(r) >< A => r ~ 1; x ~ 1; g(r) >< B => r ~ 2; h(r) >< A => r ~ 1; h(r) >< A => r ~ 2;"
    assert list(agent_functions(script_of(tmp_path, text))) == [("f", 1)]


def test_an_agent_with_too_many_rules_has_no_function(tmp_path: Path) -> None:
    rules = [f"f(r) >< A{i}(x) => r ~ (x,{i});" for i in range(500)]
    for count, is_function in ((100, True), (500, False)):
        (tmp_path / "many.in").write_text("".join(rules[:count]))
        assert bool(agent_functions(read_script(str(tmp_path / "many.in")))) is is_function


def test_the_agent_that_takes_the_other_one_apart_is_the_function(tmp_path: Path) -> None:
    text = (
        "Zero >< add(r, x) => r ~ x; S(y) >< add(r, x) => r ~ S(w), add(w, x) ~ y;"
        "Zero >< Half(r) => r ~ Zero; S(x) >< Half(r) => Odd(r) ~ x;"
        "Zero >< Odd(r) => r ~ Zero; S(x) >< Odd(r) => r ~ S(w), Half(w) ~ x;"
    )
    found = agent_functions(script_of(tmp_path, text))
    assert list(found) == [("add", 2), ("Half", 1), ("Odd", 1)]
    assert found["add", 2].partners == {("Zero", 0), ("S", 1)}


def test_numbers_are_kinds_where_all_rules_say_so(tmp_path: Path) -> None:
    text = "f(r, int a, b) >< A => r ~ (a, b); f(r, int a, int b) >< (float x) => r ~ (a, b);"
    function = agent_functions(script_of(tmp_path, text))["f", 3]
    assert function.kinds == (PortKind.WIRE, PortKind.INT, PortKind.WIRE)
    assert function.takes_number(PortKind.INT)
    assert not BUILTIN["Append", 2].takes_number(PortKind.INT)
