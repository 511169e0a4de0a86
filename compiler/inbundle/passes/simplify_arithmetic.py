"""OptimizeArithmeticNodes: arithmetic that changes nothing goes, other becomes cheaper, without a change of a result.

Before:
    %a = Pow(%x, %two)                    with %two, %one one number each
    %b = Mul(%a, %one)
    %c = Neg(%b)
    %y = Add(%z, %c)

After:
    %a = Mul(%x, %x)
    %y = Sub(%z, %a)

What IEEE arithmetic defines stays: adding 0 is no identity (-0 + 0 is 0), nor is multiplying by 0.
"""

from __future__ import annotations

from inbundle.graph.graph import Graph, Node, NodeOutput, Value
from inbundle.graph.ops.broadcast import broadcast_shapes
from inbundle.graph.ops.operands import FLOATS
from inbundle.graph.types import ElemKind
from inbundle.patterns import Match, Pattern, Rewriter, Rule, apply_rules
from inbundle.patterns.functions import BUILT_IN, predicate


def simplify_arithmetic(graph: Graph) -> None:
    apply_rules(graph, RULES)


_SAME_SHAPE = "shape(N#1) == shape(%x)"
_WIDER = {
    ElemKind.FLOAT: (ElemKind.FLOAT64,),
    ElemKind.FLOAT16: (ElemKind.FLOAT, ElemKind.FLOAT64),
    ElemKind.BFLOAT16: (ElemKind.FLOAT, ElemKind.FLOAT64),
    ElemKind.INT8: (ElemKind.INT16, ElemKind.INT32, ElemKind.INT64, ElemKind.FLOAT, ElemKind.FLOAT64),
    ElemKind.UINT8: (ElemKind.INT16, ElemKind.INT32, ElemKind.INT64, ElemKind.FLOAT, ElemKind.FLOAT64),
    ElemKind.INT16: (ElemKind.INT32, ElemKind.INT64, ElemKind.FLOAT, ElemKind.FLOAT64),
    ElemKind.INT32: (ElemKind.INT64, ElemKind.FLOAT64),
}
"""Element kind -> those that hold all of its numbers, so that a conversion there and on is one conversion."""


def _widens(node: Node) -> bool:
    return node.output.type.elem in _WIDER.get(node.input(0).type.elem, ())


def _needs_no_expand(node: Node) -> bool:
    """Whether a node that broadcasts gives the same shape without the Expand of an operand."""
    shapes = [_source(node, index).type.shape for index in range(2)]
    return broadcast_shapes(*shapes) == node.output.type.shape


def _source(node: Node, index: int) -> Value:
    value = node.input(index)
    return value.node.input(0) if isinstance(value, NodeOutput) and value.node.kind == "Expand" else value


def _without_expands(rewriter: Rewriter, match: Match) -> Value:
    node = match["N"]
    return rewriter.add(node.kind, [_source(node, index) for index in range(2)], node.attributes).output


_FUNCTIONS = {
    **BUILT_IN,
    "isFloat": predicate(lambda node: node.output.type.elem in FLOATS),
    "widens": predicate(_widens),
    "needsNoExpand": predicate(_needs_no_expand),
}
_BROADCASTS = " || ".join(f"getType($) == '{kind}'" for kind in ("Add", "Sub", "Mul", "Div", "Min", "Max", "Pow"))


def _rule(name: str, match: str, replace: str, where: dict[str, str], when: str = "") -> Rule:
    """What the match reads on the way may have other readers: it stays for them."""
    return Rule.replacing(name, match, replace, where, when, exclusive=False, functions=_FUNCTIONS)


def _neutral(kind: str, number: int, port: str = "", elem: str = "true") -> Rule:
    """A node whose operand `port`, by default any, is a number that changes nothing."""
    match = f"%x -> {kind}#1; %c -{port}> {kind}#1"
    where = {kind: elem, "%c": f"value($) == {number}"}
    return _rule(f"{kind}By{number}", match, f"{kind}#1 = %x", where, f"shape({kind}#1) == shape(%x)")


RULES = (
    _neutral("Mul", 1),
    _neutral("Div", 1, port="1"),
    _neutral("Pow", 1, port="1"),
    _neutral("Add", 0, elem="!isFloat($)"),
    _neutral("Sub", 0, port="1", elem="!isFloat($)"),
    _rule(
        "Square",
        "%x -0> Pow",
        "Pow = Mul(%x, %x)",
        {"Pow": "isFloat($) && value($[1]) == 2"},
        "shape(Pow) == shape(%x)",
    ),
    _rule("NegNeg", "Neg#1 -> Neg#2", "Neg#2 = Neg#1[0]", {}),
    _rule("AddNeg", "%x -> Add#1; Neg -> Add#1", "Add#1 = Sub(%x, Neg[0])", {}),
    _rule("SubNeg", "%x -0> Sub#1; Neg -1> Sub#1", "Sub#1 = Add(%x, Neg[0])", {}),
    _rule(
        "LeakyRelu",
        "%x -> Mul#1 -> Max#2; %x -> Max#2; %slope -> Mul#1",
        "Max#2 = LeakyRelu(%x) {alpha: value(%slope)}",
        {"%slope": "value($) > 0 && value($) <= 1", "Max": "isFloat($)"},
        "shape(Max#2) == shape(%x)",
    ),
    _rule(
        "PReluOfNumber",
        "PRelu",
        "PRelu = LeakyRelu(PRelu[0]) {alpha: value(PRelu[1])}",
        {"PRelu": "isFloat($) && value($[1]) != none"},
    ),
    _rule("CastCast", "Cast#1 -> Cast#2", "Cast#2 = Cast(Cast#1[0]) {to: Cast#2.to}", {"Cast#1": "widens($)"}),
    Rule(
        "ExpandOfOperand",
        Pattern("Expand -> N", {"N": f"({_BROADCASTS}) && needsNoExpand($)"}, exclusive=False, functions=_FUNCTIONS),
        _without_expands,
    ),
)
