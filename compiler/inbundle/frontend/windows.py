"""The attributes of sliding windows as ONNX gives them, resolved to numbers; shared by Conv and the pools."""

from __future__ import annotations

from inbundle.frontend.node_context import NodeContext
from inbundle.graph.graph import Attribute, Value
from inbundle.graph.ops.windows import check_windows, resolve_pads, spatial_shape


def window_attributes(ctx: NodeContext, x: Value, kernel: tuple[int, ...]) -> dict[str, Attribute]:
    """kernel_shape, strides, pads and dilations of the normal form for windows of size `kernel` on `x`.

    Raises:
        CompileError: attributes that do not fit the rank of `x`, unknown auto_pad.
    """
    spatial = spatial_shape(x.type)
    rank = len(spatial)
    strides = ctx.attr_ints("strides", (1,) * rank)
    dilations = ctx.attr_ints("dilations", (1,) * rank)
    pads = ctx.attr_ints("pads", (0,) * (2 * rank))
    given: dict[str, Attribute] = {"kernel_shape": kernel, "strides": strides, "pads": pads, "dilations": dilations}
    check_windows(rank, given)
    return {**given, "pads": resolve_pads(auto_pad(ctx), pads, spatial, kernel, strides, dilations)}


def auto_pad(ctx: NodeContext) -> str:
    return ctx.attr_string("auto_pad", "NOTSET")
