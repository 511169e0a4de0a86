"""Runs a bundle from Python: compiles its C for this machine, loads it, calls its entry on arrays."""

from __future__ import annotations

import ctypes
import math
import struct
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from inbundle.bundle.error_codes import error_text
from inbundle.bundle.manifest_file import load_manifest
from inbundle.bundle.profiler import Profiler
from inbundle.bundle.targets import resolve
from inbundle.errors import CompileError
from inbundle.graph.types import ElemKind
from inbundle.options import CompileOptions, whole_number

_DTYPES = {kind.glow_name: kind.dtype for kind in ElemKind}


@dataclass(frozen=True)
class TensorInfo:
    """An input or output: the model's name for it, the type of its arrays, its place in the mutable weights."""

    name: str
    dtype: np.dtype
    shape: tuple[int, ...]
    offset: int

    def view(self, region: np.ndarray) -> np.ndarray:
        """The tensor in the bytes of the region."""
        size = math.prod(self.shape) * self.dtype.itemsize
        return region[self.offset : self.offset + size].view(self.dtype).reshape(self.shape)


class Regions:
    """The memory of one run at a time: mutableWeight and activations, beside the constants that all runs read.

    Attributes:
        inputs, outputs: by name, arrays in mutableWeight; an input is there for the next run once it is assigned.
        places: the inputs with what is known of them.
        addresses: of the three regions, as the entry takes them.
        pointers: the same as values of C, so that a call converts nothing.
    """

    def __init__(self, bundle: Bundle, constants: np.ndarray) -> None:
        sizes = bundle.manifest["regions"]
        mutable, activations = (aligned_bytes(sizes[name]["size"]) for name in ("mutableWeight", "activations"))
        self.inputs = {tensor.name: tensor.view(mutable) for tensor in bundle.inputs}
        self.outputs = {tensor.name: tensor.view(mutable) for tensor in bundle.outputs}
        self.places = tuple((tensor, self.inputs[tensor.name]) for tensor in bundle.inputs)
        self._memory = (constants, mutable, activations)  # an address does not keep it alive
        self.addresses = tuple(int(region.ctypes.data) for region in self._memory)
        self.pointers = tuple(map(ctypes.c_void_p, self.addresses))


class Bundle:
    """The bundle in a directory, ready to run. Several threads may call `run` at once: each call has its own regions.

    Args:
        network: the bundle's name, needed where the directory holds several.

    A bundle for another machine tells its tensors and its manifest; only what needs its code raises CompileError.

    Raises:
        CompileError: no bundle, files that are not those that were compiled.

    Attributes:
        directory: where the bundle lies.
        manifest: what NAME.yaml says.
        inputs, outputs: in the model's order.
    """

    def __init__(self, directory: Path, network: str = "") -> None:
        self.directory = directory
        self.manifest = load_manifest(directory, network)
        self.inputs = _tensors(self.manifest, "input")
        self.outputs = _tensors(self.manifest, "output")
        self._name = str(self.manifest["network"])
        self._code = _library(directory, self.manifest) if _runs_here(self.manifest) else None
        weights = np.frombuffer((directory / f"{self._name}.weights.bin").read_bytes(), np.uint8)
        self._constants = aligned_bytes(len(weights))
        self._constants[:] = weights
        self._free: list[Regions] = []

    @property
    def _library(self) -> ctypes.CDLL:
        """The loaded code. Raises CompileError: it is another machine's."""
        if self._code is None:
            target = self.manifest["target"]["name"]
            message = f"the bundle was compiled for {target} and cannot run on this machine"
            raise CompileError(message, where=(self._name,), hint="compile the model without -target")
        return self._code

    @cached_property
    def entry(self) -> Callable[..., int]:
        """The entry as a C function of the addresses of the three regions. Raises CompileError as `run` does."""
        entry: Callable[..., int] = getattr(self._library, self.manifest["entry"])
        return entry

    def run(self, values: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """The outputs by name, for the inputs by name.

        Raises:
            CompileError: an input is missing, unknown, or of another shape or element type; the bundle is for another
                machine; or the entry failed.
        """
        entry = self.entry
        regions = self._take()
        try:
            self._put(values, regions)
            code = entry(*regions.pointers)
            if code:
                raise CompileError(f"run failed with code {code}: {error_text(code)}", where=(self._name,))
            return {name: array.copy() for name, array in regions.outputs.items()}
        finally:
            self._free.append(regions)

    def regions(self) -> Regions:
        """Memory of one's own, to call `entry` on."""
        return Regions(self, self._constants)

    def _take(self) -> Regions:
        """Regions that no other caller has."""
        try:
            return self._free.pop()
        except IndexError:
            return self.regions()

    def set_threads(self, count: int) -> None:
        """Lets runs that begin from now on use `count` threads: 1 to the number that the model was compiled for, which
        it is at first. The results stay the same.

        Raises:
            CompileError: another number.
        """
        most = self.manifest["options"]["threads"]
        number = whole_number(count)
        if type(number) is not int or not 1 <= number <= most:
            hint = "for more compile the model with -threads=N"
            message = f"{count!r} threads: expected a whole number, 1 to {most}"
            raise CompileError(message, where=(self._name,), hint=hint)
        if most > 1:
            self._library[f"{self._name}_set_threads"](number)

    def profiler(self) -> Profiler:
        """The time of each task, in a bundle that was compiled with `-profile-kernels`.

        Raises:
            CompileError: it was not.
        """
        return Profiler(self._library, self._name)

    def _put(self, values: Mapping[str, Any], regions: Regions) -> None:
        """Copies the inputs to their places. A small model takes no longer than thorough checks: what is plainly right
        is known by a look at it.
        """
        if type(values) is not dict or values.keys() != regions.inputs.keys():
            self._check_names(values)
        for tensor, place in regions.places:
            value = values.get(tensor.name)
            if type(value) is np.ndarray and value.dtype is tensor.dtype and value.shape == tensor.shape:
                place[...] = value
            else:
                place[...] = self._array(tensor, values)

    def _check_names(self, values: Mapping[str, Any]) -> None:
        known = [tensor.name for tensor in self.inputs]
        if not isinstance(values, Mapping):
            example = ", ".join(f"{name!r}: array" for name in known)
            message = f"run takes arrays by the names of inputs, not {type(values).__name__}"
            raise CompileError(message, where=(self._name,), hint=f"run({{{example}}})")
        unknown = [name for name in values if name not in known]
        if unknown:
            raise CompileError(f"no input '{unknown[0]}'", where=(self._name,), hint=f"inputs: {', '.join(known)}")

    def _array(self, tensor: TensorInfo, values: Mapping[str, Any]) -> np.ndarray:
        """The value of an input, checked."""
        if tensor.name not in values:
            raise self._wrong(tensor, "no value")
        try:
            array = np.asarray(values[tensor.name])
        except ValueError:  # such as lists of several lengths
            raise self._wrong(tensor, f"expected an array, got {type(values[tensor.name]).__name__}") from None
        if array.dtype != tensor.dtype:
            raise self._wrong(tensor, f"expected elements of type {tensor.dtype}, got {array.dtype}")
        if array.shape != tensor.shape:
            raise self._wrong(tensor, f"expected shape {list(tensor.shape)}, got {list(array.shape)}")
        return array

    def _wrong(self, tensor: TensorInfo, message: str) -> CompileError:
        return CompileError(message, where=(self._name, f"input '{tensor.name}'"))


def aligned_bytes(size: int, alignment: int = 64) -> np.ndarray:
    """Uninitialised bytes at an aligned address."""
    buffer = np.empty(size + alignment, np.uint8)
    start = -buffer.ctypes.data % alignment
    return buffer[start : start + size]


def _tensors(manifest: dict[str, Any], kind: str) -> tuple[TensorInfo, ...]:
    return tuple(
        TensorInfo(fact["name"], _DTYPES[fact["type"]], tuple(fact["shape"]), fact["offset"])
        for fact in manifest["tensors"]
        if fact["kind"] == kind
    )


def _library(directory: Path, manifest: dict[str, Any]) -> ctypes.CDLL:
    """The bundle as a loaded library, which has the entry. Its file is gone once it is loaded."""
    with tempfile.TemporaryDirectory(prefix="inbundle-") as scratch:
        library = Path(scratch) / f"{manifest['network']}.so"
        _build(directory, manifest, library)
        try:
            loaded = ctypes.CDLL(str(library))
            getattr(loaded, manifest["entry"]).argtypes = [ctypes.c_void_p] * 3
        except (OSError, AttributeError) as error:
            raise CompileError(f"cannot be loaded: {error}", where=(str(directory),)) from error
    return loaded


def _runs_here(manifest: dict[str, Any]) -> bool:
    target = manifest["target"]
    return bool(target["byte_order"] == sys.byteorder and target["word_bytes"] >= struct.calcsize("P"))


def _build(directory: Path, manifest: dict[str, Any], library: Path) -> None:
    """Links the object where it is position-independent, else compiles the C once more."""
    recorded = manifest["options"]
    is_host = manifest["target"]["name"] == "host"
    machine = {key: recorded[key] for key in ("mcpu", "march", "mabi") if is_host and recorded.get(key)}
    mattr = tuple(recorded.get("mattr", ())) if is_host else ()
    toolchain = resolve(CompileOptions(**machine, mattr=mattr, relocation_model="pic"))
    suffix = "o" if is_host and recorded["relocation_model"] == "pic" else "c"
    toolchain.link_shared(directory.resolve(), [f"{manifest['network']}.{suffix}"], library)
