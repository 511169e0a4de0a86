"""Every node kind, lowered and interpreted, gives the numbers of the ONNX reference evaluator."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from inbundle.frontend import graph_of_model
from inbundle.graph.ops import OPS
from inbundle.graph.ops.meta import META
from inbundle.ir.passes import optimize
from inbundle.ir.planner import plan
from inbundle.ir.verifier import verify
from inbundle.lowering import LOWERINGS, lower
from inbundle.options import CompileOptions
from ir_interpreter import run

Shape = tuple[int, ...]
F, D, H, I32, I64, U8, B = (
    TensorProto.FLOAT,
    TensorProto.DOUBLE,
    TensorProto.FLOAT16,
    TensorProto.INT32,
    TensorProto.INT64,
    TensorProto.UINT8,
    TensorProto.BOOL,
)


@dataclass(frozen=True)
class Case:
    """One operator: shapes of its inputs (None: absent), or arrays for initializers."""

    op: str
    inputs: list[Shape | np.ndarray | None]
    attributes: dict = field(default_factory=dict)
    outputs: int = 1
    elem: int = F
    opset: int = 21

    def __str__(self) -> str:
        shapes = [
            value if value is None or isinstance(value, tuple) else f"const{value.shape}" for value in self.inputs
        ]
        return f"{self.op}-{'-'.join(map(str, shapes))}-{self.attributes}".replace(" ", "")


def ints(*values: Any) -> np.ndarray:
    return np.array(values, np.int64)


W1 = {"kernel_shape": [3]}
W2 = {"kernel_shape": [3, 2]}
# What needs no more than one input of any numbers; the others of the family have cases of their own.
UNARY = sorted(
    kind
    for kind, lowering in LOWERINGS.items()
    if lowering.__module__ == "inbundle.lowering.activation"
    and kind not in ("Clip", "Log", "Sqrt", "Acosh", "Asin", "Acos", "Atanh")
)
COMPARISONS = ("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual")
CASES = [
    Case("Conv", [(2, 4, 7, 6), (6, 2, 3, 2), (6,)], {"group": 2, "pads": [1, 0, 0, 1], "strides": [2, 1]}),
    Case("Conv", [(1, 2, 7, 6), (1, 2, 3, 2)], {"dilations": [1, 2]}),
    Case("Conv", [(1, 2, 9), (3, 2, 3)], {"auto_pad": "SAME_UPPER", "strides": [2]}),
    Case("Conv", [(1, 2, 4, 5, 3), (2, 2, 2, 2, 2), (2,)], {"pads": [1, 0, 1, 0, 1, 0]}),
    Case("MaxPool", [(1, 2, 7, 5)], {**W2, "strides": [2, 2], "pads": [1, 1, 1, 0], "ceil_mode": 1}, outputs=2),
    Case("MaxPool", [(2, 2, 6, 5)], {**W2, "storage_order": 1}, outputs=2),
    Case("MaxPool", [(1, 2, 9)], {**W1, "dilations": [2]}),
    Case("AveragePool", [(1, 2, 7, 5)], {**W2, "strides": [2, 2], "pads": [1, 1, 1, 0]}),
    Case("AveragePool", [(1, 2, 7, 5)], {**W2, "strides": [2, 2], "pads": [1, 1, 1, 0], "count_include_pad": 1}),
    Case("AveragePool", [(1, 1, 4, 4, 4)], {"kernel_shape": [2, 2, 2]}),
    Case("GlobalAveragePool", [(2, 3, 4, 5)]),
    Case("GlobalMaxPool", [(2, 3, 4, 5)]),
    Case("Gemm", [(3, 4), (4, 5), (5,)]),
    Case("Gemm", [(4, 3), (5, 4), (3, 1)], {"transA": 1, "transB": 1, "alpha": 0.5, "beta": 2.0}),
    Case("Gemm", [(3, 4), (4, 5)], elem=D),
    Case("MatMul", [(3, 4), (4, 5)]),
    Case("MatMul", [(4,), (4, 5)]),
    Case("MatMul", [(3, 4), (4,)]),
    Case("MatMul", [(4,), (4,)]),
    Case("MatMul", [(2, 1, 3, 4), (5, 4, 2)]),
    Case("MatMul", [(4,), (2, 4, 3)]),
    Case("MatMul", [(2, 3, 4), (4,)]),
    *(Case(op, [(2, 3, 4), (3, 1)]) for op in ("Add", "Sub", "Mul", "Div", "Min", "Max", "PRelu")),
    Case("Add", [(), (2,)]),
    Case("Div", [(2, 3), (3,)], elem=I32),
    Case("Mul", [(2, 3), (2, 3)], elem=I64),
    Case("Pow", [np.abs(np.arange(6, dtype=np.float32).reshape(2, 3)) + 1, (3,)]),
    *(Case(op, [(2, 3, 4)], elem=elem) for op in UNARY for elem in (F, H)),
    Case("Gelu", [(2, 3)], {"approximate": "tanh"}),
    Case("Log", [np.arange(1, 5, dtype=np.float32)]),
    Case("Sqrt", [np.arange(1, 5, dtype=np.float32)]),
    Case("Acosh", [np.array([1, 1.5, 30], np.float32)]),
    *(Case(op, [np.array([-0.9, 0, 0.3, 0.99], np.float32)]) for op in ("Asin", "Acos", "Atanh")),
    *(Case("Mod", [(2, 3), (3,)], {"fmod": fmod}, elem=elem) for fmod, elem in ((0, I32), (1, U8), (1, F), (1, H))),
    Case("Clip", [(2, 3), np.float32(-0.5), np.float32(0.5)]),
    Case("Clip", [(2, 3), None, np.float32(0.25)]),
    Case("Reciprocal", [(2, 3)]),
    *(Case(op, [(2, 3, 4), (3, 1)], elem=elem) for op in COMPARISONS for elem in (F, U8)),
    *(Case(op, [(2, 3, 4), (3, 1)], elem=B) for op in ("And", "Or", "Xor", "Equal")),
    *(Case(f"Bitwise{op}", [(2, 3, 4), (3, 1)], elem=I32) for op in ("And", "Or", "Xor")),
    Case("Not", [(2, 3)], elem=B),
    Case("BitwiseNot", [(2, 3)], elem=U8),
    Case("BitShift", [(2, 3), (3,)], {"direction": "LEFT"}, elem=U8),
    Case("BitShift", [(2, 3), (3,)], {"direction": "RIGHT"}, elem=U8),
    Case("IsNaN", [(2, 3)]),
    Case("IsInf", [(2, 3)], {"detect_negative": 0}),
    Case("Where", [np.array([[True], [False]]), (1, 3), (3,)]),
    Case("Where", [np.array([True, False, True]), (2, 1), (2, 3)], elem=I64),
    Case("Softmax", [(2, 3, 4)], {"axis": 1}),
    Case("Softmax", [(2, 3, 4)], {"axis": 1}, opset=11),
    Case("LogSoftmax", [(2, 3, 4)]),
    Case("BatchNormalization", [(2, 3, 4, 2), (3,), (3,), (3,), np.array([0.5, 1, 2], np.float32)], {"epsilon": 0.01}),
    Case("InstanceNormalization", [(2, 3, 4, 2), (3,), (3,)], {"epsilon": 0.01}),
    Case("InstanceNormalization", [(2, 3), (3,), (3,)]),
    Case("GroupNormalization", [(2, 6, 3, 2), (6,), (6,)], {"num_groups": 2}),
    Case("GroupNormalization", [(2, 6, 5), (3,), (3,)], {"num_groups": 3}, opset=18),
    Case("LayerNormalization", [(2, 3, 4), (4,), (4,)]),
    Case("LayerNormalization", [(2, 3, 4), (3, 4)], {"axis": -2, "epsilon": 0.1}),
    Case("LayerNormalization", [(2, 3, 4), (4,), (4,)], outputs=3),
    Case("LayerNormalization", [(2, 3, 4), (4,), (4,)], elem=H),
    Case("Reshape", [(2, 3, 4), ints(0, -1)]),
    Case("Flatten", [(2, 3, 4)], {"axis": 2}),
    Case("Transpose", [(2, 3, 4)], {"perm": [2, 0, 1]}),
    Case("Concat", [(2, 3), (2, 1), (2, 4)], {"axis": 1}),
    Case("Concat", [(2, 3), (0, 3), (1, 3)], {"axis": 0}, elem=B),
    Case("Slice", [(4, 5, 6), ints(1, -1), ints(3, -7), ints(0, 2), ints(1, -2)]),
    Case("Split", [(6, 4)], {"num_outputs": 3}, outputs=3),
    Case("Pad", [(2, 3, 4), ints(1, 0, 2, 0, 2, 1), np.float32(7)]),
    Case("Pad", [(2, 3, 4), ints(1, 0, 2, 0, 2, 1)], {"mode": "reflect"}),
    Case("Pad", [(2, 3, 4), ints(1, 0, 2, 0, 2, 1)], {"mode": "edge"}),
    Case("Pad", [(2, 3, 4), ints(1, 0, 2, 0, 2, 1)], {"mode": "wrap"}),
    Case("Gather", [(4, 5), ints(-1, 0, 2)], {"axis": 1}),
    Case("Gather", [(4, 5), np.array(1, np.int64)], {"axis": 0}),
    Case("Expand", [(3, 1), ints(2, 1, 4)]),
    Case("Cast", [(2, 3)], {"to": I32}),
    Case("Cast", [(2, 3)], {"to": B}),
    Case("Cast", [(2, 3)], {"to": H}),
    Case("Cast", [(2, 3)], {"to": TensorProto.BFLOAT16}),
    *(
        Case(op, [(2, 3, 4), ints(0, 2)], {"keepdims": keep})
        for op in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin")
        for keep in (0, 1)
    ),
    Case("ReduceProd", [(2, 3, 4), ints(0, 2)]),
    Case("CumSum", [(2, 3, 4), np.array(1)], {"reverse": 1}),
    Case("CumSum", [(2, 3, 4), np.array(-1)], {"exclusive": 1}, elem=I32),
    Case("TopK", [(3, 7), ints(3)], {"axis": 1}, outputs=2),
    Case("TopK", [(7, 3), ints(2)], {"axis": 0, "largest": 0}, outputs=2),
    Case("ScatterND", [(4, 3), ints([2], [0], [2]), (3, 3)], {"reduction": "add"}),
    Case("ScatterElements", [(4, 3), ints([1, -1, 2]), (1, 3)], {"axis": 0}),
    Case("ReduceSum", [(2, 0, 3), ints(1)], {"keepdims": 0}),
    Case("ArgMax", [(2, 5)], {"axis": 1, "keepdims": 0}, elem=U8),
    Case("ArgMax", [(2, 5)], {"axis": 0, "select_last_index": 1}, elem=U8),
    Case("ArgMin", [(2, 5)], {"axis": 1, "select_last_index": 1}, elem=U8),
]  # fmt: skip


def model_of(case: Case) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """A model of one node, and random values for its inputs."""
    rng = np.random.default_rng(7)
    names, infos, initializers, values = [], [], [], {}
    for index, given in enumerate(case.inputs):
        names.append(f"i{index}" if given is not None else "")
        if isinstance(given, tuple):
            infos.append(helper.make_tensor_value_info(names[-1], case.elem, given))
            dtype = helper.tensor_dtype_to_np_dtype(case.elem)
            drawn = rng.normal(size=given) if dtype.kind == "f" else rng.integers(1, 6, given)
            values[names[-1]] = np.asarray(drawn).astype(dtype)
        elif given is not None:
            initializers.append(numpy_helper.from_array(np.asarray(given), names[-1]))
    outputs = [f"o{index}" for index in range(case.outputs)]
    node = helper.make_node(case.op, names, outputs, "node", **case.attributes)
    shown = [onnx.ValueInfoProto(name=name) for name in outputs]
    graph = helper.make_graph([node], "g", infos, shown, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", case.opset)], ir_version=9)
    return onnx.shape_inference.infer_shapes(model), values


def reference(case: Case, model: onnx.ModelProto, values: dict[str, np.ndarray]) -> list[np.ndarray]:
    if case.op == "Softmax" and case.opset < 13:  # the evaluator knows only the newer meaning
        x = values["i0"].reshape(values["i0"].shape[0], -1)
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return [(e / e.sum(axis=1, keepdims=True)).reshape(values["i0"].shape)]
    results = ReferenceEvaluator(model).run(None, values)
    if case.attributes.get("storage_order") == 1:  # the evaluator's indices are those of another window
        results[1] = column_major_positions(results[0], values["i0"])
    return results


def column_major_positions(chosen: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Where in x (N x C x H x W, no value twice) each chosen element is: a flat index with column-major images."""
    channels, height, width = x.shape[1:]
    n, c, h, w = np.unravel_index([int(np.argmax(x == value)) for value in chosen.ravel()], x.shape)
    return (((n * channels + c) * width + w) * height + h).reshape(chosen.shape)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_ir_computes_what_onnx_says(case: Case) -> None:
    model, values = model_of(case)
    graph = graph_of_model(model, CompileOptions(), name="model", base_dir=None)
    expected = reference(case, model, values)
    function = lower(graph)
    verify(function)
    plain = run(function, values)
    optimize(function)
    verify(function)
    optimised = run(function, values, plan(function))
    for name, wanted in zip(plain, expected, strict=True):
        assert plain[name].dtype == wanted.dtype
        assert plain[name].shape == wanted.shape
        tolerance = 2e-3 if wanted.dtype == np.float16 else 1e-5
        np.testing.assert_allclose(plain[name].astype(np.float64), wanted.astype(np.float64), tolerance, tolerance)
        np.testing.assert_array_equal(optimised[name], plain[name])


def test_every_node_kind_has_a_lowering_and_a_case() -> None:
    differing = sorted(set(LOWERINGS) ^ set(OPS))
    assert not differing, f"only in one of graph/ops/ and lowering/: {differing}"
    kinds_of_importers = {"Flatten": "Reshape", "Split": "Slice"}
    untested = sorted(set(OPS) - {META} - {kinds_of_importers.get(case.op, case.op) for case in CASES})
    assert not untested, f"add a Case in tests/lowering/test_lowering_numbers.py for {untested}"
