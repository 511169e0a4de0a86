"""Convolutions with 3 x 3 filters by Winograd's F(2 x 2, 3 x 3): 16 products for four results instead of 36."""

import numpy as np

from inbundle.graph.graph import Constant, Graph, Node
from inbundle.graph.onnx.nodes import exports
from inbundle.graph.ops import REQUIRED, OpSpec, declare
from inbundle.graph.types import ElemKind
from inbundle.ir.instructions import declare as declare_instruction
from inbundle.kernels.context import kernel
from inbundle.lowering.context import lowers

G = np.array([[1, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]])

# The node: operands, attributes, type of the result.


def _infer(inputs, attributes):
    x, filters = inputs[0].type, inputs[1].type
    top, left, bottom, right = attributes["pads"]
    return [x.with_shape((1, filters.shape[0], x.shape[2] + top + bottom - 2, x.shape[3] + left + right - 2))]


declare(
    OpSpec(
        "WinogradConv",
        "Conv of one image with 3 x 3 filters, given as M x C x 4 x 4: G filter G^T",
        ("X", "filters", "B"),
        ("Y",),
        _infer,
        {"pads": REQUIRED},
    )
)


@exports("WinogradConv")
def _to_onnx(sink):
    back = np.linalg.pinv(G)
    filters = back @ sink.node.input(1).data @ back.T
    inputs = [sink.inputs[0], sink.constant("filters", filters.astype(np.float32)), sink.inputs[2]]
    sink.emit("Conv", inputs, sink.outputs, {"pads": sink.node.attributes["pads"]})


# The pass: which convolutions become such nodes.


def transform_post_lowering(graph: Graph) -> None:
    for node in graph.nodes:
        if node.kind == "Conv" and _fits(node):
            x, filters = node.input(0), node.input(1)
            transformed = graph.add_constant(f"{filters.name}_winograd", (G @ filters.data @ G.T).astype(np.float32))
            zeros = np.zeros(filters.type.shape[0], np.float32)
            bias = node.input(2) if node.has_input(2) else graph.add_constant(f"{node.name}_zeros", zeros)
            node.kind, node.attributes = "WinogradConv", {"pads": node.attributes["pads"]}
            node.inputs = [x, transformed, bias]


def _fits(node: Node) -> bool:
    wanted = {"kernel_shape": (3, 3), "strides": (1, 1), "dilations": (1, 1), "group": 1}
    is_plain = all(node.attributes[name] == value for name, value in wanted.items())
    x = node.input(0).type
    return is_plain and x.shape[0] == 1 and x.elem is ElemKind.FLOAT and isinstance(node.input(1), Constant)


# The instruction, and the node as this instruction.

declare_instruction("winograd", "conv", "out:Dest in:Src in:Filter in:Bias", "Pads", "see WinogradConv")


@lowers("WinogradConv")
def _lower(context, node):
    context.emit("winograd", node, context.inputs(node), {"Pads": node.attributes["pads"]})


# The kernel. `first` and `last` are output channels.

KERNEL = """
float sums[{filters}][16];

for (inpla_int oy = 0; oy < {rows}; oy += 2)
for (inpla_int ox = 0; ox < {columns}; ox += 2) {{
for (inpla_int m = first; m < last; ++m)
for (inpla_int i = 0; i < 16; ++i)
sums[m][i] = 0;

for (inpla_int c = 0; c < {channels}; ++c) {{
float d[16], v[16];

for (inpla_int i = 0; i < 16; ++i) {{
const inpla_int y = oy + i / 4 - {top}, x = ox + i % 4 - {left};
const int inside = y >= 0 && y < {height} && x >= 0 && x < {width};
d[i] = inside ? src[(c * {height} + y) * {width} + x] : 0;
}}
for (inpla_int i = 0; i < 4; ++i) {{
v[i] = d[i] - d[i + 8];
v[i + 4] = d[i + 4] + d[i + 8];
v[i + 8] = d[i + 8] - d[i + 4];
v[i + 12] = d[i + 4] - d[i + 12];
}}
for (inpla_int i = 0; i < 16; i += 4) {{
d[i] = v[i] - v[i + 2];
d[i + 1] = v[i + 1] + v[i + 2];
d[i + 2] = v[i + 2] - v[i + 1];
d[i + 3] = v[i + 1] - v[i + 3];
}}
for (inpla_int m = first; m < last; ++m)
for (inpla_int i = 0; i < 16; ++i)
sums[m][i] += filter[(m * {channels} + c) * 16 + i] * d[i];
}}
for (inpla_int m = first; m < last; ++m) {{
float v[8];

for (inpla_int i = 0; i < 4; ++i) {{
v[i] = sums[m][i] + sums[m][i + 4] + sums[m][i + 8];
v[i + 4] = sums[m][i + 4] - sums[m][i + 8] - sums[m][i + 12];
}}
for (inpla_int i = 0; i < 4; ++i) {{
const inpla_int y = oy + i / 2, x = ox + i % 2;
const float *row = v + i / 2 * 4;
const float value = i % 2 ? row[1] - row[2] - row[3] : row[0] + row[1] + row[2];

if (y < {rows} && x < {columns})
dest[(m * {rows} + y) * {columns} + x] = value + bias[m];
}}
}}
}}
"""


@kernel("winograd")
def _kernel(context):
    _, channels, height, width = context.shape("Src")
    _, filters, rows, columns = context.shape("Dest")
    top, left = context.integers("Pads")[:2]
    return KERNEL.format_map(locals())
