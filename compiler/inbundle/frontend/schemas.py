"""Checks of opset versions, and of nodes against ONNX's own schema of the model's opset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import onnx
from onnx import AttributeProto, defs

from inbundle.errors import CompileError
from inbundle.frontend.node_context import NodeContext

_DOMAIN_NAMES = {"ai.onnx": ""}


def domain_of(name: str) -> str:
    """The domain with ONNX's own spelt as the empty string."""
    return _DOMAIN_NAMES.get(name, name)


def opset_versions(model: onnx.ModelProto, nodes: Sequence[onnx.NodeProto]) -> dict[str, int]:
    """Domain -> opset version of the model.

    Raises:
        CompileError: a domain in use without a version, or an ai.onnx version that the installed onnx does not know.
    """
    versions = {domain_of(entry.domain): int(entry.version) for entry in model.opset_import}
    if not versions and model.ir_version < 3:
        versions = {"": 1}
    for domain in dict.fromkeys(domain_of(node.domain) for node in nodes):
        if domain not in versions:
            raise CompileError(
                f"the model uses operators of '{domain or 'ai.onnx'}' but imports no opset version of it"
            )
    _check_default_domain(versions.get("", 1))
    return versions


def _check_default_domain(version: int) -> None:
    newest = defs.onnx_opset_version()
    if version > newest:
        raise CompileError(
            f"opset {version} of ai.onnx is newer than {newest}, the newest that onnx {onnx.__version__} knows",
            hint=f"export the model with an opset up to {newest}, or upgrade onnx",
        )
    if version < 1:
        raise CompileError(f"opset {version} of ai.onnx does not exist; the oldest is 1")


def schema_of(operator: str, version: int, domain: str) -> defs.OpSchema | None:
    """The operator's schema in opset `version`; None when the operator does not exist there."""
    try:
        return defs.get_schema(operator, version, domain)
    except defs.SchemaError:
        return None


def check_node(ctx: NodeContext, schema: defs.OpSchema) -> None:
    """Refuse wrong numbers of inputs and outputs, and attributes that are unknown, missing or of the wrong type."""
    _check_count(ctx, "input", len(ctx.node.input), schema.min_input, schema.max_input)
    _check_count(ctx, "output", len(ctx.node.output), schema.min_output, schema.max_output)
    for attribute in ctx.node.attribute:
        _check_attribute(ctx, attribute, schema.attributes)
    for name, declared in schema.attributes.items():
        if declared.required and not ctx.has_attribute(name):
            raise ctx.error("the attribute is missing", attribute=name)


def _check_count(ctx: NodeContext, what: str, count: int, least: int, most: int) -> None:
    if not least <= count <= most:
        wanted = f"{least}" if least == most else f"at least {least}" if most > 1000 else f"{least} to {most}"
        raise ctx.error(f"has {count} {what}{'s' * (count != 1)}; in opset {ctx.opset} it takes {wanted}")


def _check_attribute(
    ctx: NodeContext, attribute: AttributeProto, declared: Mapping[str, defs.OpSchema.Attribute]
) -> None:
    if attribute.name not in declared:
        known = f"attributes: {', '.join(sorted(declared))}" if declared else "the operator has no attributes"
        raise ctx.error(f"there is no such attribute in opset {ctx.opset}", attribute=attribute.name, hint=known)
    wanted = int(declared[attribute.name].type.value)  # type: ignore[attr-defined]  # an enumeration, unlike its stub
    if int(attribute.type) != wanted:
        names = [AttributeProto.AttributeType.Name(number) for number in (int(attribute.type), wanted)]
        raise ctx.error(f"the attribute is {names[0]}, not {names[1]}", attribute=attribute.name)
