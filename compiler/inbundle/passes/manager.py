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
    words: Sequence[str], known: Mapping[str, GraphPass], default: Sequence[GraphPass]
) -> tuple[GraphPass, ...]:
    """The pipeline that the words of `-graph-passes` describe, from left to right.

    `default`: the default pipeline. `none`: nothing. `ID`: that pass. `ID*`: that pass until it changes nothing.
    `-ID`: what is there so far, without that pass; a DCE before other passes stays.

    Args:
        known: pass id -> the pass as it is configured.

    Raises:
        CompileError: an unknown pass; names those there are.
    """
    pipeline: list[GraphPass] = []
    for word in words:
        if word == "default":
            pipeline += default
        elif word.startswith("-"):
            left_out = _known(word[1:], known).name
            pipeline = [config for config in pipeline if config.name != left_out]
        elif word != "none":
            pipeline.append(_configured(word, known))
    return tuple(pipeline)


def _configured(word: str, known: Mapping[str, GraphPass]) -> GraphPass:
    config = _known(word.removesuffix("*"), known)
    return GraphPass(config.name, config.run, word.endswith("*") or config.until_fixed_point, config.dce_before)


def _known(name: str, known: Mapping[str, GraphPass]) -> GraphPass:
    if name not in known:
        names = ", ".join(sorted(known))
        raise CompileError(f"-graph-passes: there is no pass '{name}'", hint=f"there are default, none, {names}")
    return known[name]
