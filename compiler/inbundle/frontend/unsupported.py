"""Collects the nodes that have no importer, so that the user learns of all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import onnx

from inbundle.errors import UnsupportedError
from inbundle.frontend.importers.registry import find
from inbundle.frontend.node_context import node_name
from inbundle.frontend.schemas import domain_of, schema_of

_SHOWN_NODES = 3
# Their results depend on shapes alone, so that what reads them would be folded.
_SHAPE_QUERIES = ("Shape", "Size")


class UnsupportedNodes:
    """The nodes without an importer, and the tensors that are unknown because of them."""

    def __init__(self, versions: Mapping[str, int]) -> None:
        self._versions = versions
        self._nodes: list[onnx.NodeProto] = []
        # Unknown tensor -> whether it would be known at compile time if all operators were supported.
        self._unknown: dict[str, bool] = {}

    def add(self, node: onnx.NodeProto) -> None:
        self._nodes.append(node)
        self._unknown.update(dict.fromkeys(filter(None, node.output), False))

    def blocks(self, node: onnx.NodeProto, is_constant: Callable[[str], bool]) -> bool:
        """Whether `node` reads an unknown tensor; then it is noted here too if it has no importer itself."""
        inputs = [name for name in node.input if name]
        if not any(name in self._unknown for name in inputs):
            return False
        known = node.op_type in _SHAPE_QUERIES or all(
            self._unknown[name] if name in self._unknown else is_constant(name) for name in inputs
        )
        domain = domain_of(node.domain)
        if not known and find(node.op_type, self._versions[domain], domain) is None:
            self.add(node)
        else:
            self._unknown.update(dict.fromkeys(filter(None, node.output), known))
        return True

    def raise_if_any(self) -> None:
        """Raise one UnsupportedError that lists every operator with its nodes."""
        if not self._nodes:
            return
        by_operator: dict[tuple[str, str], list[str]] = {}
        for node in self._nodes:
            by_operator.setdefault((domain_of(node.domain), node.op_type), []).append(node_name(node))
        shown = [self._describe(*operator, names) for operator, names in by_operator.items()]
        raise UnsupportedError(f"unsupported operator{'s' * (len(shown) > 1)}: {'; '.join(shown)}")

    def _describe(self, domain: str, operator: str, names: list[str]) -> str:
        version = self._versions[domain]
        exists = bool(domain) or schema_of(operator, version, domain) is not None
        note = f"{domain} opset {version}" if domain else f"opset {version}" if exists else f"not in opset {version}"
        nodes = ", ".join(f"'{name}'" for name in names[:_SHOWN_NODES])
        more = f" and {len(names) - _SHOWN_NODES} more" if len(names) > _SHOWN_NODES else ""
        return f"{operator} ({note}) at node{'s' * (len(names) > 1)} {nodes}{more}"
