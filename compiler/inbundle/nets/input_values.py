"""The file of `-inpla-input`: values of a model's inputs, to be written into the script as literals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from inbundle.errors import CompileError
from inbundle.ir.function import WeightVar


def read_input_values(path: Path, inputs: Sequence[WeightVar]) -> dict[str, np.ndarray]:
    """Values of all `inputs`, by name, as float32 in the inputs' shapes.

    `.npz` holds an array per input, by name; `.npy` the one input; any other file is raw float32, little endian, the
    inputs one after the other.

    Raises:
        CompileError: unreadable file, missing or unknown input, wrong number of values.
    """
    try:
        found = _read(path, inputs)
        return {variable.name: _fitting(found, variable) for variable in inputs}
    except CompileError as error:
        raise error.at(str(path)) from None
    except (OSError, ValueError, EOFError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CompileError(f"cannot read the input values: {reason}", where=(str(path),)) from None


def _read(path: Path, inputs: Sequence[WeightVar]) -> Mapping[str, np.ndarray]:
    names = [variable.name for variable in inputs]
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as stored:
            unknown = sorted(set(stored.files) - set(names))
            if unknown:
                raise CompileError(f"the model has no input '{unknown[0]}'", hint=f"inputs: {', '.join(names)}")
            return {name: stored[name] for name in stored.files}
    if path.suffix == ".npy":
        if len(names) != 1:
            raise CompileError(f"one array for {len(names)} inputs", hint="use .npz with an array per input name")
        return {names[0]: np.load(path, allow_pickle=False)}
    values = np.frombuffer(path.read_bytes(), "<f4")
    ends = np.cumsum([variable.type.elements for variable in inputs])
    if values.size != (ends[-1] if len(ends) else 0):
        raise CompileError(f"{values.size} values for inputs of {ends[-1] if len(ends) else 0} elements")
    return dict(zip(names, np.split(values, ends[:-1]), strict=True))


def _fitting(found: Mapping[str, np.ndarray], variable: WeightVar) -> np.ndarray:
    if variable.name not in found:
        raise CompileError(f"no values for the input '{variable.name}'", hint="add an array of that name")
    values = found[variable.name]
    if values.dtype.kind not in "fiub":
        raise CompileError(f"the values for the input '{variable.name}' are {values.dtype}, not real numbers")
    if values.size != variable.type.elements:
        raise CompileError(f"{values.size} values for the input '{variable.name}' of type {variable.type}")
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise CompileError(f"a value for the input '{variable.name}' is NaN, which has no literal in Inpla")
    with np.errstate(over="ignore"):
        fitting = values.astype(np.float32).reshape(variable.type.shape)
    if (np.isinf(fitting) & np.isfinite(values.reshape(fitting.shape))).any():
        raise CompileError(f"a value for the input '{variable.name}' is too large for float32")
    return fitting
