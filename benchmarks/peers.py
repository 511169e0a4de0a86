"""Other programs that run ONNX models on a CPU, as contenders: each if it is installed.

ONNX Runtime, OpenVINO and ncnn are called through their Python interfaces, the C of emx-onnx-cgen from C. All compute
in float32. A maker raises Unavailable with the reason where its program is not installed or cannot run the model.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from calls import Caller
from contender import Contender, PythonContender, Unavailable
from onnx import version_converter
from shared_models import symbols

# Above this, the C of emx-onnx-cgen reads its weights from a file: as text they would take minutes to compile.
MOST_WEIGHTS_AS_TEXT = 4 << 20
OLDEST_OPSET, CONVERTED_OPSET = 7, 13


@dataclass(frozen=True)
class Task:
    """What peers get: a model, its inputs by name, the shapes of its outputs, threads, a folder for files."""

    model: Path
    inputs: Mapping[str, np.ndarray]
    output_shapes: tuple[tuple[int, ...], ...]
    threads: int
    scratch: Path
    caller: Caller


def modern(model: Path, folder: Path) -> Path:
    """The model, or where its opset is older than what peers support, a converted copy in the folder."""
    loaded = onnx.load(model)
    versions = [entry.version for entry in loaded.opset_import if entry.domain in ("", "ai.onnx")]
    if min(versions, default=OLDEST_OPSET) >= OLDEST_OPSET:
        return model
    converted = folder / model.name
    onnx.save(version_converter.convert_version(loaded, CONVERTED_OPSET), converted)
    return converted


def _module(name: str, package: str) -> Any:
    """An installed module."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Unavailable(f"not installed (pip install {package})") from None


def _shell(command: list[str | Path], directory: Path) -> None:
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise Unavailable(f"{Path(command[0]).name} fails: {' '.join(last) or f'exit code {done.returncode}'}")


def onnxruntime(task: Task) -> Contender:
    """ONNX Runtime on its CPU provider."""
    module = _module("onnxruntime", "onnxruntime")
    options = module.SessionOptions()
    options.intra_op_num_threads = task.threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors
    session = module.InferenceSession(str(task.model), options, providers=["CPUExecutionProvider"])
    inputs = dict(task.inputs)

    def call() -> list[np.ndarray]:
        return list(session.run(None, inputs))

    return PythonContender(call, call)


def openvino(task: Task) -> Contender:
    """OpenVINO on its CPU device, for shortest latency."""
    module = _module("openvino", "openvino")
    model = module.Core().read_model(str(task.model))
    model.reshape({name: list(array.shape) for name, array in task.inputs.items()})
    settings = {
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_NUM_THREADS": task.threads,
        "INFERENCE_PRECISION_HINT": "f32",
    }
    compiled = module.Core().compile_model(model, "CPU", settings)
    request = compiled.create_infer_request()
    for name, array in task.inputs.items():
        request.set_tensor(name, module.Tensor(array))

    def outputs() -> list[np.ndarray]:
        request.infer()
        return [request.get_output_tensor(index).data.copy() for index in range(len(compiled.outputs))]

    return PythonContender(request.infer, outputs)


def ncnn(task: Task) -> Contender:
    """ncnn, with a model that pnnx converts; Winograd and packed layouts as by default, nothing below float32."""
    module = _module("ncnn", "ncnn")
    _shell(_pnnx_command(task), task.scratch)
    net = module.Net()
    net.opt.num_threads = task.threads
    for name in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_storage"):
        setattr(net.opt, name, False)
    if net.load_param(str(task.scratch / "ncnn.param")) or net.load_model(str(task.scratch / "ncnn.bin")):
        raise Unavailable("cannot load what pnnx wrote")
    inputs = [module.Mat(array[0]) for array in task.inputs.values()]

    def outputs() -> list[np.ndarray]:
        extractor = net.create_extractor()
        for index, array in enumerate(inputs):
            extractor.input(f"in{index}", array)
        return [np.array(extractor.extract(f"out{index}")[1]) for index in range(len(task.output_shapes))]

    def call() -> None:
        extractor = net.create_extractor()
        for index, array in enumerate(inputs):
            extractor.input(f"in{index}", array)
        for index in range(len(task.output_shapes)):
            extractor.extract(f"out{index}")

    return PythonContender(call, outputs)


def _pnnx_command(task: Task) -> list[str | Path]:
    """pnnx with its files in the scratch folder. The program in its package is used: the module needs PyTorch."""
    found = importlib.util.find_spec("pnnx")
    program = Path(found.origin).parent / "pnnx" if found and found.origin else Path("pnnx")
    if not shutil.which(program):
        raise Unavailable("needs pnnx to convert models (pip install --no-deps pnnx)")
    model = task.scratch / "model.onnx"
    shutil.copy(task.model, model)
    shapes = ",".join(str(list(array.shape)).replace(" ", "") for array in task.inputs.values())
    return [program, model, f"inputshape={shapes}", "fp16=0", "ncnnparam=ncnn.param", "ncnnbin=ncnn.bin"]


def emx(task: Task) -> Contender:
    """The C that emx-onnx-cgen writes, compiled with gcc."""
    if not importlib.util.find_spec("emx_onnx_cgen"):
        raise Unavailable("not installed (pip install emx-onnx-cgen)")
    (task.scratch / "entry.c").write_text(_emx_entry(len(task.inputs), len(task.output_shapes)))
    in_file = task.model.stat().st_size > MOST_WEIGHTS_AS_TEXT
    dims = [word for name, size in symbols(task.model).items() for word in ("--input-dim", f"{name}={size}")]
    generate = [sys.executable, "-m", "emx_onnx_cgen", "compile", "--model-name", "emx", *dims]
    threshold = ["--large-weight-threshold", "1" if in_file else "0"]
    _shell([*generate, *threshold, task.model, "emx.c"], task.scratch)
    optimised = ["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC"]
    _shell(["gcc", *optimised, "-o", "emx.so", "entry.c", "-lm"], task.scratch)
    return EmxContender(task, in_file)


def _emx_entry(inputs: int, outputs: int) -> str:
    arguments = [f"inputs[{index}]" for index in range(inputs)] + [f"outputs[{index}]" for index in range(outputs)]
    return (
        '#include "emx.c"\n'
        "int emx_entry(void **inputs, void **outputs, void *unused)\n"
        f"{{\n    (void)unused;\n    emx({', '.join(arguments)});\n    return 0;\n}}\n"
    )


class EmxContender:
    """The function of emx-onnx-cgen, called from C."""

    def __init__(self, task: Task, in_file: bool) -> None:
        self._caller, self._library = task.caller, ctypes.CDLL(str(task.scratch / "emx.so"))
        if in_file and not self._library.emx_load(str(next(task.scratch.glob("*.bin"))).encode()):
            raise Unavailable("cannot load its weights")
        self._inputs = list(task.inputs.values())
        self._outputs = [np.empty(shape, np.float32) for shape in task.output_shapes]
        tables = [
            (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
            for arrays in (self._inputs, self._outputs)
        ]
        self._tables = tables
        self._addresses = [*(ctypes.addressof(table) for table in tables), 0]

    def play(self, seconds: float) -> np.ndarray:
        return self._caller.microseconds(self._library.emx_entry, self._addresses, seconds, fewest=1)

    def outputs(self) -> list[np.ndarray]:
        self.play(0.0)
        return [array.copy() for array in self._outputs]


PEERS: dict[str, Callable[[Task], Contender]] = {
    "onnxruntime": onnxruntime,
    "openvino": openvino,
    "ncnn": ncnn,
    "emx": emx,
}
SINGLE_THREADED = ("emx",)
"""Peers that use one thread, and are compared with one thread only."""
