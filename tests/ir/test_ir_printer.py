"""The textual IR, letter by letter."""
# ruff: noqa: E501

from __future__ import annotations

import numpy as np

from inbundle.graph.graph import Graph
from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.passes import optimize
from inbundle.ir.printer import to_text
from inbundle.lowering import lower


def floats(*shape: int) -> TensorType:
    return TensorType(ElemKind.FLOAT, shape)


def test_the_example_of_the_format() -> None:
    graph = Graph("tiny")
    x = graph.add_input("x", floats(1, 4))
    graph.outputs["y"] = graph.add("Relu", [x], name="relu").output
    assert (
        to_text(lower(graph))
        == """\
function tiny
declare {
  %x = WeightVar float<1 x 4> mutable // size: 16 // Users: @in 1
  %y = WeightVar float<1 x 4> mutable // size: 16 // Users: @out 2

  ; size = 32 bytes
}

code {
  0 %relu_res = allocactivation  { Ty: float<1 x 4>} // size: 16 // Users: @out 3, @in 2, @out 1
  1 %relu = relu @out %relu_res, @in %x
  2 %y_save = copy @out %y, @in %relu_res
  3 %dealloc_relu_res = deallocactivation @out %relu_res // size: 16
}
"""
    )


def convolutional() -> Graph:
    """Convolution, activations, pool, flatten, matrix product, softmax."""
    graph = Graph("net")
    image = graph.add_input("image", floats(1, 1, 5, 5))
    filters = graph.add_constant("filters", np.ones((2, 1, 2, 2), np.float32))
    window = {"kernel_shape": (2, 2), "pads": (0, 0, 0, 0), "dilations": (1, 1)}
    conv = graph.add("Conv", [image, filters, None], {**window, "strides": (1, 1)}, name="conv")
    leaky = graph.add("LeakyRelu", [conv.output], {"alpha": 0.1}, name="leaky")
    pool = graph.add("MaxPool", [leaky.output], {**window, "strides": (2, 2)}, name="pool")
    flat = graph.add("Reshape", [pool.output], {"shape": (1, 8)}, name="flat")
    matrix = graph.add_constant("matrix", np.ones((8, 3), np.float32))
    scores = graph.add("MatMul", [flat.output, matrix], name="fc")
    graph.outputs["probabilities"] = graph.add("Softmax", [scores.output], {"axis": 1}, name="softmax").output
    return graph


BEFORE_THE_PASSES = """\
function net
declare {
  %image = WeightVar float<1 x 1 x 5 x 5> mutable // size: 100 // Users: @in 1
  %filters = WeightVar float<2 x 1 x 2 x 2> const // size: 32 // Users: @in 1
  %matrix = WeightVar float<8 x 3> const // size: 96 // Users: @in 10
  %probabilities = WeightVar float<1 x 3> mutable // size: 12 // Users: @out 15

  ; size = 240 bytes
}

code {
  0 %conv_res = allocactivation  { Ty: float<1 x 2 x 4 x 4>} // size: 128 // Users: @out 4, @in 3, @out 1
  1 %conv = convolution @out %conv_res, @in %image, @in %filters { Kernels: [2, 2], Strides: [1, 1], Pads: [0, 0, 0, 0], Dilations: [1, 1], Group: 1}
  2 %leaky_res = allocactivation  { Ty: float<1 x 2 x 4 x 4>} // size: 128 // Users: @out 7, @in 6, @out 3
  3 %leaky = leakyrelu @out %leaky_res, @in %conv_res { Alpha: 0.1}
  4 %dealloc_conv_res = deallocactivation @out %conv_res // size: 128
  5 %pool_res = allocactivation  { Ty: float<1 x 2 x 2 x 2>} // size: 32 // Users: @out 11, @in 8, @out 6
  6 %pool = maxpool @out %pool_res, @in %leaky_res { Kernels: [2, 2], Strides: [2, 2], Pads: [0, 0, 0, 0], Dilations: [1, 1], StorageOrder: 0}
  7 %dealloc_leaky_res = deallocactivation @out %leaky_res // size: 128
  8 %flat_view = tensorview @in %pool_res { Ty: float<1 x 8>, Offset: 0} // Users: @in 10
  9 %fc_res = allocactivation  { Ty: float<1 x 3>} // size: 12 // Users: @out 14, @in 13, @out 10
  10 %fc = matmul @out %fc_res, @in %flat_view, @in %matrix
  11 %dealloc_pool_res = deallocactivation @out %pool_res // size: 32
  12 %softmax_res = allocactivation  { Ty: float<1 x 3>} // size: 12 // Users: @out 16, @in 15, @out 13
  13 %softmax = softmax @out %softmax_res, @in %fc_res { Axis: 1}
  14 %dealloc_fc_res = deallocactivation @out %fc_res // size: 12
  15 %probabilities_save = copy @out %probabilities, @in %softmax_res
  16 %dealloc_softmax_res = deallocactivation @out %softmax_res // size: 12
}
"""

AFTER_THE_PASSES = """\
function net
declare {
  %image = WeightVar float<1 x 1 x 5 x 5> mutable // size: 100 // Users: @in 1
  %filters = WeightVar float<2 x 1 x 2 x 2> const // size: 32 // Users: @in 1
  %probabilities = WeightVar float<1 x 3> mutable // size: 12 // Users: @in 5, @out 5, @out 3
  %matrix = WeightVar float<8 x 3> const // size: 96 // Users: @in 3

  ; size = 240 bytes
}

code {
  0 %pool_res = allocactivation  { Ty: float<1 x 2 x 2 x 2>} // size: 32 // Users: @out 4, @in 2, @out 1
  1 %conv = convolution @out %conv_res, @in %image, @in %filters { Kernels: [2, 2], Strides: [1, 1], Pads: [0, 0, 0, 0], Dilations: [1, 1], Group: 1} {
      %leaky = leakyrelu @out %leaky_res, @in %conv_res { Alpha: 0.1}
      %pool = maxpool @out %pool_res, @in %leaky_res { Kernels: [2, 2], Strides: [2, 2], Pads: [0, 0, 0, 0], Dilations: [1, 1], StorageOrder: 0}
    }
  2 %flat_view = tensorview @in %pool_res { Ty: float<1 x 8>, Offset: 0} // Users: @in 3
  3 %fc = matmul @out %probabilities, @in %flat_view, @in %matrix
  4 %dealloc_pool_res = deallocactivation @out %pool_res // size: 32
  5 %softmax = softmax @out %probabilities, @in %probabilities { Axis: 1}
}
"""


def test_a_network_before_and_after_the_passes() -> None:
    function = lower(convolutional())
    assert to_text(function) == BEFORE_THE_PASSES
    optimize(function)
    assert to_text(function) == AFTER_THE_PASSES


MOVES = """\
function moves
declare {
  %x = WeightVar index64<2 x 3> mutable // size: 48 // Users: @in 2, @in 1
  %top = WeightVar index64<2 x 1> mutable // size: 16 // Users: @out 7

  ; size = 64 bytes
}

code {
  0 %join_res = allocactivation  { Ty: index64<2 x 6>} // size: 96 // Users: @out 5, @in 4, @inout 2, @inout 1
  1 %join = inserttensor @inout %join_res, @in %x { Offsets: [0, 0]}
  2 %join__1 = inserttensor @inout %join_res, @in %x { Offsets: [0, 3]}
  3 %arg_res = allocactivation  { Ty: index64<2>} // size: 16 // Users: @out 8, @in 6, @out 4
  4 %arg = argmax @out %arg_res, @in %join_res { Axis: 1, SelectLastIndex: 1}
  5 %dealloc_join_res = deallocactivation @out %join_res // size: 96
  6 %arg_view = tensorview @in %arg_res { Ty: index64<2 x 1>, Offset: 0} // Users: @in 7
  7 %top_save = copy @out %top, @in %arg_view
  8 %dealloc_arg_res = deallocactivation @out %arg_res // size: 16
}
"""


def test_inserts_integers_booleans_and_views() -> None:
    graph = Graph("moves")
    x = graph.add_input("x", TensorType(ElemKind.INT64, (2, 3)))
    join = graph.add("Concat", [x, x], {"axis": 1}, name="join")
    arg = graph.add("ArgMax", [join.output], {"axis": 1, "select_last_index": True}, name="arg")
    graph.outputs["top"] = arg.output
    assert to_text(lower(graph)) == MOVES
