"""The graph side of the pass manager: what a Graph's state is, and pipelines as `-graph-passes` spells them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inbundle.errors import CompileError
from inbundle.graph.graph import Graph, Node
from inbundle.graph.verifier import verify
from inbundle.pass_manager import PassConfig, State, UnitKind
from inbundle.passes.dce import delete_unused

GraphPass = PassConfig[Graph]

DCE = GraphPass("DCE", delete_unused, dce_before=False)


def graph_state(graph: Graph) -> State:
    """Nodes, constants and outputs by name. Passes do not change a constant's data in place."""
    state: dict[str, object] = {node.name: _node_state(node) for node in graph.nodes}
    state.update((constant.name, id(constant.data)) for constant in graph.constants)
    state.update((f"output {name}", value.name) for name, value in graph.outputs.items())
    return state


def _node_state(node: Node) -> object:
    """Attributes by their text: 0.0 and -0.0 are equal but do not compute the same."""
    operands = [value.name if value is not None else None for value in node.inputs]
    return node.kind, operands, repr(node.attributes), [(value.name, value.type) for value in node.outputs]


def _verify(graph: Graph, after: str) -> None:
    try:
        verify(graph)
    except CompileError as error:
        raise error.at(after) from None


GRAPHS = UnitKind[Graph](
    label="graph",
    parts="nodes",
    state=graph_state,
    count=lambda graph: len(graph.nodes),
    verify=_verify,
    dce=DCE,
)


def chosen_passes(
    words: Sequence[str],
    known: Mapping[str, GraphPass],
    default: Sequence[GraphPass],
    first: Sequence[GraphPass] = (),
) -> tuple[GraphPass, ...]:
    """The pipeline that the words of `-graph-passes` describe, from left to right.

    `default`: the default pipeline. `none`: nothing. `ID`: that pass. `ID*`: that pass until it changes nothing.
    `-ID`: what is there so far, without that pass, which must be there; a DCE before other passes stays.

    Args:
        known: pass id -> the pass as it is configured.
        first: passes that stand in front of what the words say.

    Raises:
        CompileError: an unknown pass; names those there are. `none` beside other words, or a pass left out that is not
            there.
    """
    if "none" in words and len(words) > 1:
        raise CompileError("-graph-passes: none stands for no pass at all, but other words stand beside it")
    pipeline = list(first)
    for word in words:
        if word == "default":
            pipeline += default
        elif word.startswith("-"):
            pipeline = _without(pipeline, _known(word[1:], known).name)
        elif word != "none":
            pipeline.append(_configured(word, known))
    return tuple(pipeline)


def _without(pipeline: Sequence[GraphPass], name: str) -> list[GraphPass]:
    left = [config for config in pipeline if config.name != name]
    if len(left) == len(pipeline):
        hint = f"write what it is left out of first: -graph-passes=default,-{name}"
        raise CompileError(f"-graph-passes: nothing in front of -{name} has the pass {name}", hint=hint)
    return left


def _configured(word: str, known: Mapping[str, GraphPass]) -> GraphPass:
    config = _known(word.removesuffix("*"), known)
    return GraphPass(config.name, config.run, word.endswith("*") or config.until_fixed_point, config.dce_before)


def _known(name: str, known: Mapping[str, GraphPass]) -> GraphPass:
    if name in ("default", "none"):
        raise CompileError(f"-graph-passes: {name} is no pass, so that no - or * goes with it")
    if name not in known:
        names = ", ".join(sorted(known))
        raise CompileError(f"-graph-passes: there is no pass '{name}'", hint=f"there are default, none, {names}")
    return known[name]
