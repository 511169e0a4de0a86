"""`-verify`: a bundle's outputs against those of the ONNX reference evaluator, on random inputs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from onnx.external_data_helper import load_external_data_for_model
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

from inbundle.bundle.names import network_name
from inbundle.bundle.runner import Bundle, TensorInfo
from inbundle.difference import Difference, difference, random_array
from inbundle.errors import CompileError
from inbundle.frontend.reading import read_model
from inbundle.graph.diagram import printable
from inbundle.options import CompileOptions

RUNS = 3
SEED = 1


def verify_bundle(directory: Path, model: Path, options: CompileOptions) -> Iterator[str]:
    """One line per output: the verdict, and its largest difference from the reference.

    Raises:
        CompileError: the bundle cannot run on this machine, or the reference cannot run the model; behind the last
            line, that an output differs by more than rounding.
    """
    found = _compare(directory, model, options)
    for name, worst in found.items():
        yield f"verify: {printable(name)}: {'FAILED' if worst.is_failure else 'ok'}, {worst}"
    failed = {name: worst for name, worst in found.items() if worst.is_failure}
    if failed:
        names = ", ".join(f"'{name}'" for name in failed)
        allowed = ", ".join(f"{worst.allowed:.3g}" for worst in failed.values())
        message = f"verify: output {names} differs from the ONNX reference by more than {allowed}"
        raise CompileError(message, where=(str(model),), hint=f"the bundle stays in {directory}")


def _compare(directory: Path, model: Path, options: CompileOptions) -> dict[str, Difference]:
    """The worst difference of each output over all runs."""
    bundle = Bundle(directory, network_name(model, options.network_name))
    evaluator = reference(model)
    generator = np.random.default_rng(SEED)
    worst = {tensor.name: Difference() for tensor in bundle.outputs}
    for _ in range(RUNS):
        inputs = {tensor.name: random_input(tensor, generator) for tensor in bundle.inputs}
        expected = _run_reference(evaluator, bundle, inputs, model)
        for name, actual in bundle.run(inputs).items():
            worst[name] = max(worst[name], difference(actual, expected[name], name), key=lambda d: d.excess)
    return worst


def random_input(tensor: TensorInfo, generator: np.random.Generator) -> np.ndarray:
    """A random array for an input of a bundle."""
    return random_array(tensor.dtype, tensor.shape, generator)


# --- the reference -----------------------------------------------------------------------------------------------


def _flattened(x: np.ndarray, axis: int) -> np.ndarray:
    return x.reshape(int(np.prod(x.shape[: axis % max(1, x.ndim)])), -1)


class _Softmax1(OpRun):
    """Softmax before opset 13: over all dimensions from `axis` on. The evaluator takes the last axis alone."""

    op_domain = ""
    op_schema = onnx.defs.get_schema("Softmax", 11)

    def _run(self, x: np.ndarray, axis: int | None = None) -> tuple[np.ndarray]:
        return (np.exp(_log_softmax(x, 1 if axis is None else axis)).astype(x.dtype),)


class _LogSoftmax1(OpRun):
    """LogSoftmax before opset 13, likewise."""

    op_domain = ""
    op_schema = onnx.defs.get_schema("LogSoftmax", 11)

    def _run(self, x: np.ndarray, axis: int | None = None) -> tuple[np.ndarray]:
        return (_log_softmax(x, 1 if axis is None else axis).astype(x.dtype),)


_Softmax1.__name__, _LogSoftmax1.__name__ = "Softmax", "LogSoftmax"


def _log_softmax(x: np.ndarray, axis: int) -> np.ndarray:
    rows = _flattened(x.astype(np.float64), axis)
    shifted = rows - rows.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))).reshape(x.shape)


class _BatchNormalization1(OpRun):
    """BatchNormalization before opset 14, for inference. The evaluator mixes in the batch's own mean and variance.

    Without `spatial` there are statistics for every element of an image and not for every channel.
    """

    op_domain = ""
    op_schema = onnx.defs.get_schema("BatchNormalization", 9)

    def _run(
        self,
        x: np.ndarray,
        scale: np.ndarray,
        bias: np.ndarray,
        mean: np.ndarray,
        variance: np.ndarray,
        epsilon: float,
        **_: object,
    ) -> tuple[np.ndarray]:
        ones = (1,) * (x.ndim - 2)
        scale, bias, mean, variance = (
            a.reshape(*a.shape, *ones) if a.ndim == 1 else a for a in (scale, bias, mean, variance)
        )
        return ((scale * (x - mean) / np.sqrt(variance + epsilon) + bias).astype(x.dtype),)


_BatchNormalization1.__name__ = "BatchNormalization"


def reference(path: Path) -> ReferenceEvaluator:
    """The ONNX reference evaluator for a model file, with the operators of old opsets put right that it gets wrong."""
    model = read_model(path)
    load_external_data_for_model(model, str(path.parent))
    opset = next((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), 1)
    mended: list[type[OpRun]] = [_Softmax1, _LogSoftmax1] if opset < 13 else []
    if opset < 14:
        mended.append(_BatchNormalization1)
    return ReferenceEvaluator(model, new_ops=mended or None)


def _run_reference(
    evaluator: ReferenceEvaluator, bundle: Bundle, inputs: dict[str, np.ndarray], model: Path
) -> dict[str, np.ndarray]:
    names = [tensor.name for tensor in bundle.outputs]
    try:
        with np.errstate(all="ignore"):  # NaN and infinity are results like others
            results = list(evaluator.run(names, inputs))
    except Exception as error:  # whatever an operator's reference implementation raises
        message = f"the ONNX reference evaluator failed: {type(error).__name__}: {error}"
        raise CompileError(message, where=(str(model),)) from error
    return {name: np.asarray(result) for name, result in zip(names, results, strict=True)}
