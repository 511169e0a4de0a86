"""The ONNX backend interface on top of bundles: `inbundle.backend.prepare(model).run(inputs)`.

A bundle is static. An input that the model needs at compile time (a shape, the axes of a reduction …) is bound to its
value when `run` is called; every new set of such values compiles a bundle of its own, which is kept for the next call.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.base import Backend, BackendRep, namedtupledict

from inbundle import driver
from inbundle.bundle.runner import Bundle
from inbundle.errors import DataDependentError
from inbundle.frontend.importers.registry import operators
from inbundle.frontend.source import model_source
from inbundle.options import CompileOptions, named_options


class InbundleRep(BackendRep):
    """A prepared model. Bundles live in a temporary directory as long as this object."""

    def __init__(self, model: onnx.ModelProto, options: CompileOptions) -> None:
        self._model = model
        self._options = options
        self._scratch = tempfile.TemporaryDirectory(prefix="inbundle-")
        self._bundles: dict[bytes, Bundle] = {}
        self._bound: list[str] = []
        initializers = {tensor.name for tensor in model.graph.initializer}
        self._inputs = [value.name for value in model.graph.input if value.name not in initializers]
        self._outputs = [value.name for value in model.graph.output]

    def run(self, inputs: Any, **_: Any) -> Any:
        """Runs the model on its inputs, in the model's order (or by name), and returns its outputs."""
        values = inputs if isinstance(inputs, dict) else dict(zip(self._inputs, inputs, strict=True))
        values = {name: np.asarray(value) for name, value in values.items()}
        bundle = self._bundle(values)
        read = {tensor.name for tensor in bundle.inputs}
        results = bundle.run({name: value for name, value in values.items() if name in read})
        return namedtupledict("Outputs", self._outputs)(*(results[name] for name in self._outputs))

    def _bundle(self, values: dict[str, np.ndarray]) -> Bundle:
        """The bundle for the values of the inputs that are needed at compile time; found out by trying."""
        while True:
            key = self._key(values)
            if key in self._bundles:
                return self._bundles[key]
            try:
                self._bundles[key] = self._compile(values)
            except DataDependentError as error:
                needed = self._sources_of(error.tensor) - set(self._bound)
                if not needed:
                    raise
                self._bound += sorted(needed)

    def _key(self, values: dict[str, np.ndarray]) -> bytes:
        """What a compiled bundle depends on: the shapes of all inputs and the values of the bound ones."""
        digest = hashlib.sha256()
        for name in self._inputs:
            digest.update(f"{name}{values[name].shape}".encode())
            if name in self._bound:
                digest.update(values[name].tobytes())
        return digest.digest()

    def _compile(self, values: dict[str, np.ndarray]) -> Bundle:
        model = onnx.ModelProto()
        model.CopyFrom(self._model)
        for value in list(model.graph.input):
            if value.name in self._bound:
                model.graph.input.remove(value)
                model.graph.initializer.append(numpy_helper.from_array(values[value.name], value.name))
            elif value.name in values:
                _set_shape(value, values[value.name].shape)
        directory = Path(self._scratch.name) / f"bundle{len(self._bundles)}"
        driver.compile_model(model_source(model), directory, self._options)
        return Bundle(directory)

    def _sources_of(self, tensor: str) -> set[str]:
        """The model inputs that a tensor is computed from."""
        producers = {output: node for node in self._model.graph.node for output in node.output}
        found: set[str] = set()
        pending, seen = [tensor], set()
        while pending:
            name = pending.pop()
            if name in seen:
                continue
            seen.add(name)
            if name in self._inputs:
                found.add(name)
            elif name in producers:
                pending += producers[name].input
        return found


def _options(given: dict[str, Any]) -> CompileOptions:
    """Compile options from keyword arguments. The object is position-independent, so that Python can load it, and
    compiled quickly: a model is mostly run once here."""
    return named_options({"relocation_model": "pic", "opt_level": "0", **given})


def _set_shape(value: onnx.ValueInfoProto, shape: tuple[int, ...]) -> None:
    """Binds the symbolic dimensions of an input to those of the array it gets."""
    dims = value.type.tensor_type.shape.dim
    for dim, size in zip(dims, shape, strict=False):
        if not dim.HasField("dim_value"):
            dim.dim_value = size


class InbundleBackend(Backend):
    """`onnx.backend.base.Backend`, device CPU."""

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> InbundleRep:
        """Makes a model ready to run; keyword arguments are compile options. The frontend checks the model."""
        return InbundleRep(model, _options(kwargs))

    @classmethod
    def run_model(cls, model: onnx.ModelProto, inputs: Any, device: str = "CPU", **kwargs: Any) -> Any:
        """Prepares and runs in one call."""
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(
        cls, node: onnx.NodeProto, inputs: Any, device: str = "CPU", outputs_info: Any = None, **kwargs: Any
    ) -> Any:
        """Runs a single node on arrays. Output types are inferred by the compiler."""
        arrays = [np.asarray(value) for value in inputs]
        names = [name for name in node.input if name]
        graph = onnx.helper.make_graph(
            [node],
            "node",
            [
                onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
                for name, a in zip(names, arrays, strict=True)
            ],
            [onnx.ValueInfoProto(name=name) for name in node.output if name],
        )
        opset = kwargs.pop("opset_version", onnx.defs.onnx_opset_version())
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)])
        return InbundleRep(model, _options(kwargs)).run(arrays)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device.split(":")[0] == "CPU"


prepare = InbundleBackend.prepare
run_model = InbundleBackend.run_model
run_node = InbundleBackend.run_node
supports_device = InbundleBackend.supports_device
is_compatible = InbundleBackend.is_compatible


def supported_operators() -> Sequence[str]:
    """The operators of the default domain that the compiler imports, sorted."""
    return operators()
