"""A Graph as an ONNX model: to write it to a file, and to run it in ONNX's reference evaluator."""

from inbundle.graph.onnx.evaluator import Evaluator, evaluate
from inbundle.graph.onnx.writer import to_model, write_onnx

__all__ = ["Evaluator", "evaluate", "to_model", "write_onnx"]
